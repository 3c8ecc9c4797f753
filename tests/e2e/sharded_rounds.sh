#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 600
#
# Federated rounds whose clients' models are cut over a mesh: what the round without a mesh gives, on ranks that hold parts of
# a model, or of the clients, or both; in each layer two sums over the mesh on the way forward and two back, one over the clients
# in a round; half of the memory.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
targets=(cpu)
if has_device; then targets+=(opencl); fi
cd "$work"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
clients=4 layers=2 steps=4

member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }
# planned LOG: bytes that do not depend on the clients.
planned() { sed -nE 's/^planned bytes ([0-9]+) bytes.*/\1/p' "$1"; }

quiet "$partita" bench round-text lm-s -o whole.mlir --clients $clients
quiet "$partita" bench round-text lm-s -o cut.mlir --clients $clients --model-shards 2
quiet "$partita" compile whole.mlir -o whole.pta --target cpu
# The labels are classes and tokens are rows of the table: random integers lie outside of it and count as the nearest.
quiet "$partita" run whole.pta --inputs random:3 --outputs expected.npz
for target in "${targets[@]}"; do
  "$partita" compile cut.mlir -o "cut.$target.pta" --target "$target" >"compile.$target" 2>&1 || failed "cut.mlir for $target"
  ! grep 'is gathered on every shard' "compile.$target" || failed "$target: clients' values are gathered"
  for ranks in 1 2 4; do
    on_ranks "$ranks" "$partita" run "cut.$target.pta" --inputs random:3 --outputs out.npz --stats stats.json --devices-per-rank 1 >log 2>&1 ||
      failed "$target, $ranks ranks: exit status $?"
    python3 "$compare" out.npz expected.npz >log || failed "$target, $ranks ranks: other results"
    held[ranks]=$(member stats.json held_bytes)
  done
  ((3 * held[2] < 2 * held[1])) || failed "$target: 2 ranks hold ${held[2]} bytes each, one ${held[1]}"
done

# Calls of a round on 4 ranks, two of which share each client's model: of each client's each step four sums a layer, and what
# table and loss need; one sum for all that is averaged.
quiet "$partita" compile cut.mlir -o loop.pta --target cpu --layout loop
on_ranks 4 "$partita" run loop.pta --inputs random:3 --stats stats.json --devices-per-rank 1 >log 2>&1 || failed "4 ranks"
calls=$(member stats.json collective_calls)
steps_of_a_shard=$((clients / 2 * steps))
(((calls - 1) % steps_of_a_shard == 0)) || failed "calls of a round: expected one and some for each step, found $calls"
of_a_step=$(((calls - 1) / steps_of_a_shard))
((of_a_step >= 4 * layers && of_a_step <= 4 * layers + 6)) || failed "calls of a step: expected $((4 * layers)) to $((4 * layers + 6)), found $of_a_step"

# A decoder of 1.07 G parameters: planned only.
for shards in 1 2; do
  quiet "$partita" bench round-text 1B -o large.mlir --clients 8 --model-shards $shards
  "$partita" compile large.mlir -o large.pta --target cpu --layout loop --tier 0 >"large.$shards" 2>&1 || failed "1B on $shards shards"
done
! grep 'is gathered on every shard' large.2 || failed "1B: clients' values are gathered"
((20 * $(planned large.2) <= 11 * $(planned large.1))) || failed "1B: $(planned large.2) bytes planned on one of 2 shards, $(planned large.1) without a mesh"
echo "planned bytes: 1B $(planned large.1), on one of 2 shards $(planned large.2); calls of a step: $of_a_step"
