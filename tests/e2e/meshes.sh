#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 600
#
# Programs of one shard of a mesh (tests/e2e/meshes): what the interpreter gives comes out on every target, on any number
# of ranks and devices that fits the mesh, and other numbers are refused.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
programs=$PARTITA_SOURCE_DIR/tests/e2e/meshes
targets=(cpu)
if has_device; then targets+=(opencl); fi
cd "$work"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py

# held FILE MEMBER: a number of a file of statistics.
member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

# same_on PROGRAM TARGET RANKS [OPTIONS of run…]: the interpreter's results.
same_on() {
  local program=$1 target=$2 ranks=$3
  shift 3
  rm -f out.npz
  on_ranks "$ranks" "$partita" run "$program.$target.pta" --inputs random:1 --outputs out.npz --stats stats.json \
    --check-replicas "$@" >log 2>&1 || failed "$program on $target, $ranks ranks $*: exit status $?"
  python3 "$compare" out.npz "$program.npz" >log || failed "$program on $target, $ranks ranks $*"
}

# refused_on PROGRAM TARGET RANKS TEXT [OPTIONS…]: exit status 2 and a line with the text.
refused_on() {
  local program=$1 target=$2 ranks=$3 text=$4 status=0
  shift 4
  on_ranks "$ranks" "$partita" run "$program.$target.pta" --inputs random:1 "$@" >log 2>&1 || status=$?
  [[ $status == 2 ]] || failed "$program on $ranks ranks: expected status 2, found $status"
  grep -qF -- "error: $text" log || failed "$program on $ranks ranks: no '$text'"
}

for program in layers moves placed; do
  cp "$programs/$program.mlir" .
  quiet "$partita" record "$program.mlir" -o "$program.npz" --target interpreter --seed 1
  quiet "$partita" check "$program.mlir" --io "$program.npz" --target all
  quiet "$partita" check "$program.mlir" --io "$program.npz" --target cpu --poison
  for target in "${targets[@]}"; do
    quiet "$partita" compile "$program.mlir" -o "$program.$target.pta" --target "$target"
  done
done

for ranks in 1 2 4 8; do same_on layers cpu "$ranks"; done
same_on layers cpu 2 --devices-per-rank 8
for ranks in 1 2 3 6; do same_on moves cpu "$ranks"; done
for ranks in 1 2 8; do same_on placed cpu "$ranks"; done
for target in "${targets[@]}"; do
  same_on layers "$target" 1 --devices-per-rank 2
  same_on layers "$target" 2 --devices-per-rank 2
  same_on moves "$target" 2
  same_on moves "$target" 1 --devices-per-rank 3
  refused_on moves "$target" 4 "devices: expected 1, 2, 3, 6 or a multiple of 6 for a mesh of 6 shards, found 4 (4 ranks, 1 on each)"
  refused_on moves "$target" 1 "devices: expected 1, 2, 3, 6 or a multiple of 6 for a mesh of 6 shards, found 4 (1 rank, 4 on each)" \
    --devices-per-rank 4
  same_on placed "$target" 4
  same_on placed "$target" 2 --devices-per-rank 4
  # Three and six blocks do not divide four clients that meet within their loop: replicas of one and of two blocks.
  same_on placed "$target" 6
  same_on placed "$target" 6 --devices-per-rank 2
done

quiet "$partita" check placed.mlir --io placed.npz --target all --layout loop

# A rank holds its shards' parts alone: weights cut in four, and what all hold once.
same_on layers cpu 1
whole=$(member stats.json held_bytes)
same_on layers cpu 8
part=$(member stats.json held_bytes)
((part * 4 < whole)) || failed "held bytes: expected less than a quarter of $whole on each of 8 ranks, found $part"

# Between rounds outputs become inputs where they are cut alike.
quiet on_ranks 2 "$partita" run layers.cpu.pta --inputs random:1 --rounds 3 --carry out2:in1,out3:in2 --outputs carried.npz
quiet on_ranks 1 "$partita" run layers.cpu.pta --inputs random:1 --rounds 3 --carry out2:in1,out3:in2 --outputs alone.npz
quiet python3 "$compare" carried.npz alone.npz

quiet "$partita" inspect layers.cpu.pta
for text in "mesh  data = 2 model = 4: 8 shards, on 1, 2, 4, 8 or a multiple of 8 devices" \
  "dimension 1 over model (tensor<6x3xf32> on each shard)" "start all_reduce sum f32 over groups 0"; do
  grep -qF -- "$text" log || failed "inspect: no '$text'"
done

# A failure within a collective of groups ends the job.
status=0
PARTITA_FAULT=fail@rank:1,call:8 on_ranks 4 "$partita" run layers.cpu.pta --inputs random:1 --timeout 5 >log 2>&1 || status=$?
[[ $status != 0 ]] || failed "an injected failure: expected a failing run"
grep -q "error: step 'all_reduce over the mesh': shard [23] (rank 1) failed: .*injected failure" log || failed "an injected failure: the reason is not said"
echo passed
