#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 450
#
# Programs of which no shard needs the whole, on 1 to 8 ranks and each target: what the interpreter gives, from shards that hold
# their parts and little beside.  Sorts and scans along what is cut; a step of training whose data, parameters and moments are
# cut along one axis, with a call for each parameter's value and gradient and one for the loss.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
targets=(cpu)
if has_device; then targets+=(opencl); fi
cd "$work"

member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

for program in ordered_whole zero_whole; do
  cp "$PARTITA_SOURCE_DIR/tests/e2e/meshes/$program.mlir" .
  quiet "$partita" record "$program.mlir" -o "$program.npz" --target interpreter --seed 1
  for target in "${targets[@]}"; do
    quiet "$partita" compile "$program.mlir" -o whole.pta --target "$target" --no-sharding
    quiet "$partita" run whole.pta --inputs random:1 --stats whole.json --devices-per-rank 1
    quiet "$partita" compile "$program.mlir" -o parts.pta --target "$target"
    for ranks in 1 2 4 8; do
      rm -f out.npz
      on_ranks "$ranks" "$partita" run parts.pta --inputs random:1 --outputs out.npz --stats stats.json --devices-per-rank 1 >log 2>&1 ||
        failed "$program on $ranks ranks, $target: exit status $?"
      python3 "$compare" out.npz "$program.npz" >log || failed "$program on $ranks ranks, $target"
    done
    held=$(member stats.json held_bytes) whole=$(member whole.json held_bytes) calls=$(member stats.json collective_calls)
    ((5 * held < whole)) || failed "$program, $target: 8 ranks hold $held bytes each, the whole program $whole"
    [[ $program != zero_whole || $calls == 5 ]] || failed "$program, $target: expected 5 calls, found $calls"
    echo "$program, $target: $held bytes on each of 8 ranks, $whole of the whole program, $calls calls"
  done
done
echo passed
