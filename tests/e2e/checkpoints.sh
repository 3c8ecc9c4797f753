#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 240
# processors: 2
#
# run --checkpoint: runs that are killed at any time go on, on any number of ranks, and end with the bits of one that was not
# killed; damaged files are passed over; what cannot be is said.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py

cat >rounds.mlir <<'END'
module @rounds attributes {mr.placements = {clients = 6}} {
  func.func public @main(%x: tensor<3000xf32>, %n: tensor<i32>, %z: tensor<2xcomplex<f32>>, %d: tensor<6x3000xf32>) -> (tensor<f32>, tensor<2xcomplex<f32>>, tensor<3000xf32>, tensor<i32>) {
    %all = "mr.broadcast"(%x) {placement = "clients"} : (tensor<3000xf32>) -> tensor<6x3000xf32>
    %0 = stablehlo.multiply %all, %d : tensor<6x3000xf32>
    %1 = stablehlo.sine %0 : tensor<6x3000xf32>
    %2 = "mr.reduce_mean"(%1) {placement = "clients"} : (tensor<6x3000xf32>) -> tensor<3000xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %3 = stablehlo.add %n, %one : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %4 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3000xf32>, tensor<f32>) -> tensor<f32>
    %5 = stablehlo.cosine %z : tensor<2xcomplex<f32>>
    return %4, %5, %2, %3 : tensor<f32>, tensor<2xcomplex<f32>>, tensor<3000xf32>, tensor<i32>
  }
}
END
quiet "$partita" compile rounds.mlir -o rounds.pta --target cpu
run=("$partita" run rounds.pta --inputs random:3 --carry out2:in0,out3:in1,out1:in2 --rounds 300)

"${run[@]}" --outputs whole.npz >log || failed "without checkpoints"
on_ranks 2 "${run[@]}" --outputs whole_2.npz >log || failed "without checkpoints, 2 ranks"

# The last round that a folder has.
newest() { { ls "$1" 2>/dev/null || true; } | sed -n 's/^round_\([0-9]*\)\.safetensors$/\1/p' | sort -n | tail -n 1; }

# killed_runs RANKS NAME: begins again until a run ends; each is killed some time after its first checkpoint.
killed_runs() {
  local ranks=$1 name=$2 kills=0 pid before resume=()
  while true; do
    setsid bash -c 'exec "$@"' _ mpirun -n "$ranks" --oversubscribe --bind-to none "${run[@]}" \
      --checkpoint "$name" --every 3 "${resume[@]}" --outputs "$name.npz" >log 2>&1 &
    pid=$!
    before=$(newest "$name")
    while [[ $(newest "$name") == "$before" ]] && kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
    sleep "0.0$((RANDOM % 10))"
    if ((kills < 6)) && kill -9 -- "-$pid" 2>/dev/null; then
      wait "$pid" 2>/dev/null || true
      pkill -9 -f "checkpoint $name" || true
      kills=$((kills + 1))
      resume=(--resume)
      continue
    fi
    wait "$pid" || { cat log; failed "$name"; }
    [[ -f $name.npz ]] && break
    resume=(--resume)
  done
  ((kills > 0)) || failed "$name: not killed"
}
killed_runs 1 one
cmp one.npz whole.npz || failed "a run that was killed: other bits"
killed_runs 2 two
cmp two.npz whole_2.npz || failed "a run on 2 ranks that was killed: other bits"

# Another number of ranks: sums in another order alone.
on_ranks 3 "${run[@]}" --checkpoint moved --every 100 --outputs x.npz >log || failed "3 ranks"
ls moved >files
diff files <(printf 'round_%s.safetensors\n' 100 200) || failed "files"
for ranks in 1 2 6; do
  cp -r moved "moved_$ranks"
  on_ranks "$ranks" "${run[@]}" --checkpoint "moved_$ranks" --every 100 --resume --outputs x.npz >log || failed "on $ranks ranks"
  grep -qx "resumed after round 200" log || failed "on $ranks ranks: not resumed"
  python3 "$compare" x.npz whole.npz >log || { cat log; failed "results on $ranks ranks"; }
done

# A damaged file: the one before.
python3 - moved/round_200.safetensors <<'END'
import json, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
length, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + length])
assert header["in0"]["dtype"] == "F32" and header["in0"]["shape"] == [3000] and header["in2"]["shape"] == [2, 2], header
assert header["in1"]["dtype"] == "I32" and struct.unpack_from("<i", data, 8 + length + header["in1"]["data_offsets"][0])[0] >= 200, header
data[-5] ^= 1
open(sys.argv[1], "wb").write(data)
END
for damage in "" "truncate -s 100" "truncate -s 3" "truncate -s 0"; do
  rm -rf damaged && cp -r moved damaged
  [[ -z $damage ]] || $damage damaged/round_200.safetensors
  "${run[@]}" --checkpoint damaged --every 100 --resume --outputs x.npz >log 2>err || { cat err; failed "damaged: '$damage'"; }
  grep -qx "resumed after round 100" log || failed "damaged: '$damage': not resumed after round 100"
  [[ $(grep -c "warning: damaged/round_200.safetensors: expected" err) == 1 ]] || { cat err; failed "damaged: '$damage': no warning"; }
  python3 "$compare" x.npz whole.npz >log || failed "damaged: '$damage': results"
done

# refused TEXT COMMAND...: exit status 2 and a line that holds the text.
refused() {
  local text=$1 status=0
  shift
  "$@" >log 2>&1 || status=$?
  [[ $status == 2 ]] || { cat log; failed "$*: expected status 2, found $status"; }
  grep -qF -- "$text" log || { cat log; failed "$*: no '$text'"; }
}
refused "expected an empty folder or --resume, found round 200" "${run[@]}" --checkpoint moved_1
refused "expected more than the 200 that moved_1 has done, found 200" "${run[@]/300/200}" --checkpoint moved_1 --resume
refused "expected a checkpoint of this program and --carry" "$partita" run rounds.pta --inputs random:3 --carry out2:in0 \
  --checkpoint moved_1 --resume
refused "--resume: expected --checkpoint DIR" "${run[@]}" --resume
refused "--checkpoint: expected --carry" "$partita" run rounds.pta --inputs random:3 --rounds 3 --checkpoint new
refused "--checkpoint: expected no --repeat" "${run[@]}" --repeat 2 --checkpoint new
touch file
refused "file/new" "${run[@]}" --checkpoint file/new
[[ ! -e new ]] || failed "a folder was left behind"
echo passed
