#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 450
#
# compile --allreduce-dtype: sums of many elements are off by no more than rounding of terms and sum, short ones not at all, and
# fewer bytes travel; with feedback the mean of rounds comes closer; one rank rounds nothing; what cannot be is refused.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
targets=(cpu)
if has_device; then targets+=(opencl); fi
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py

# Means of many elements and of few, and 20 rounds of the first added up.
cat >means.mlir <<'END'
module @means attributes {mr.placements = {clients = 6}} {
  func.func public @main(%x: tensor<6x5000xf32>, %w: tensor<6x7xf32>) -> (tensor<5000xf32>, tensor<7xf32>, tensor<5000xf32>) {
    %mean = "mr.reduce_mean"(%x) {placement = "clients"} : (tensor<6x5000xf32>) -> tensor<5000xf32>
    %short = "mr.reduce_mean"(%w) {placement = "clients"} : (tensor<6x7xf32>) -> tensor<7xf32>
    %none = stablehlo.constant dense<0.0> : tensor<5000xf32>
    %first = stablehlo.constant dense<0> : tensor<i32>
    %end:2 = stablehlo.while(%i = %first, %total = %none) : tensor<i32>, tensor<5000xf32>
    cond {
      %rounds = stablehlo.constant dense<20> : tensor<i32>
      %more = stablehlo.compare LT, %i, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %totals = "mr.broadcast"(%total) {placement = "clients"} : (tensor<5000xf32>) -> tensor<6x5000xf32>
      %terms = "mr.map"(%x, %totals) ({
      ^bb0(%a: tensor<5000xf32>, %t: tensor<5000xf32>):
        %zero = stablehlo.constant dense<0.0> : tensor<5000xf32>
        %nothing = stablehlo.multiply %t, %zero : tensor<5000xf32>
        %b = stablehlo.add %a, %nothing : tensor<5000xf32>
        "mr.return"(%b) : (tensor<5000xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<6x5000xf32>, tensor<6x5000xf32>) -> tensor<6x5000xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %part = "mr.reduce_mean"(%terms) {placement = "clients"} : (tensor<6x5000xf32>) -> tensor<5000xf32>
      %sum = stablehlo.add %total, %part : tensor<5000xf32>
      %next = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %next, %sum : tensor<i32>, tensor<5000xf32>
    }
    return %mean, %short, %end#1 : tensor<5000xf32>, tensor<7xf32>, tensor<5000xf32>
  }
}
END
member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }
# errors FILE: largest differences of the results from expected.npz, by result.
errors() {
  python3 - "$1" expected.npz <<'END'
import struct
import sys
import zipfile


def values(path, name):
    data = zipfile.ZipFile(path).read(name + ".npy")
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%df" % ((len(data) - begin) // 4), data[begin:])


for name in ("out0", "out1", "out2"):
    print(max(abs(a - b) for a, b in zip(values(sys.argv[1], name), values(sys.argv[2], name))))
END
}
is_less() { python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < float(sys.argv[2]))' "$1" "$2"; }

run_on() { # run_on RANKS ARTIFACT
  rm -f out.npz
  on_ranks "$1" "$partita" run "$2" --inputs random:1 --outputs out.npz --stats stats.json --devices-per-rank 1 --check-replicas \
    >log 2>&1 || failed "$2 on $1 ranks: exit status $?"
}
quiet "$partita" compile means.mlir -o f32.pta --target cpu --allreduce-dtype f32
run_on 1 f32.pta
cp out.npz expected.npz
run_on 3 f32.pta
python3 "$compare" out.npz expected.npz >log || failed "f32 on 3 ranks"
exact_bytes=$(($(member stats.json communicated_bytes) / 3))
# Of values of size 4 and below: what a mean of six may be off by, and the share of the bytes.
for row in "bf16 0.016 0.51" "f16 0.002 0.51" "int8 0.035 0.27"; do
  read -r dtype bound share <<<"$row"
  for target in "${targets[@]}"; do
    quiet "$partita" compile means.mlir -o "$dtype.pta" --target "$target" --allreduce-dtype "$dtype"
    quiet "$partita" compile means.mlir -o "$dtype.feedback.pta" --target "$target" --allreduce-dtype "$dtype" --allreduce-feedback
    run_on 1 "$dtype.pta"
    python3 "$compare" out.npz expected.npz >log || failed "$dtype on one rank of $target"
    # Ranks combine on the host: devices of one kind show all of the numbers of ranks.
    numbers=(3)
    [[ $target != cpu ]] || numbers=(2 3 8)
    for ranks in "${numbers[@]}"; do
      run_on "$ranks" "$dtype.pta"
      mapfile -t off < <(errors out.npz)
      is_less 1e-5 "${off[0]}" || failed "$dtype on $ranks ranks of $target: nothing was rounded"
      is_less "${off[0]}" "$bound" || failed "$dtype on $ranks ranks of $target: off by ${off[0]}"
      is_less "${off[1]}" 1e-6 || failed "$dtype on $ranks ranks of $target: few elements are off by ${off[1]}"
      is_less "$(member stats.json communicated_bytes)" "$(python3 -c "print($share * $ranks * $exact_bytes)")" ||
        failed "$dtype: $(member stats.json communicated_bytes) bytes on $ranks ranks, $exact_bytes on each as f32"
      run_on "$ranks" "$dtype.feedback.pta"
      mapfile -t kept < <(errors out.npz)
      is_less "${kept[2]}" "$(python3 -c "print(0.25 * ${off[2]})")" ||
        failed "$dtype on $ranks ranks of $target: ${kept[2]} with feedback, ${off[2]} without"
    done
  done
done
"$partita" inspect int8.feedback.pta | grep -q 'all_reduce sum f32 as int8 with feedback' || failed "inspect"

compile() { # compile WORDS OPTION...
  refused 2 "$1" "$partita" compile means.mlir -o "$out/p.pta" --target cpu "${@:2}"
}
compile "--allreduce-dtype: expected f32, bf16, f16 or int8, found 'f64'" --allreduce-dtype f64
compile "--reproducible: expected no --allreduce-dtype" --allreduce-dtype int8 --reproducible
compile "--allreduce-feedback: expected an --allreduce-dtype" --allreduce-feedback
finish_refusals
