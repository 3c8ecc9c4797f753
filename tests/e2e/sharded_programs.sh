#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 900
#
# Whole programs with a mesh (tests/e2e/meshes/*_whole.mlir, and those of the conformance corpus) on 1 to 8 ranks: what the
# whole program gives, from shards that hold their parts; and with --no-sharding on one.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
programs=$PARTITA_SOURCE_DIR/tests/e2e/meshes
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
targets=(cpu)
if has_device; then targets+=(opencl); fi
cd "$work"

member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

# runs ARTIFACT RANKS INPUTS EXPECTED
runs() {
  rm -f out.npz
  on_ranks "$2" "$partita" run "$1" --inputs "$3" --outputs out.npz --stats stats.json --devices-per-rank 1 >log 2>&1 ||
    failed "$1 on $2 ranks: exit status $?"
  python3 "$compare" out.npz "$4" >log || failed "$1 on $2 ranks"
}

# A step of a sharded optimiser over 16 MiB of state, of training convolutions on 20 MiB of images cut along their rows, of the
# heat equation on grids of 16 MiB cut along both dimensions: the interpreter's results, and a part of the memory on each rank.
for program in state_whole uneven_whole parts_whole gspmd_whole images_whole heat_whole; do
  cp "$programs/$program.mlir" .
  quiet "$partita" record "$program.mlir" -o "$program.npz" --target interpreter --seed 1
  for target in "${targets[@]}"; do
    quiet "$partita" compile "$program.mlir" -o "$program.pta" --target "$target"
    for ranks in 1 2 4 8; do
      runs "$program.pta" "$ranks" random:1 "$program.npz"
      held[ranks]=$(member stats.json held_bytes)
    done
    [[ ! $program =~ ^(state|images|heat)_ ]] || ((5 * held[8] < held[1])) ||
      failed "$program on $target: 8 ranks hold ${held[8]} bytes each, one ${held[1]}"
    if [[ $program =~ ^(images|heat)_ ]]; then
      "$partita" inspect "$program.pta" >log
      grep -q 'start permute' log || failed "$program on $target: neighbours send nothing"
      ! grep -q 'start all_gather' log || failed "$program on $target: something is gathered"
    fi
    quiet "$partita" compile "$program.mlir" -o "$program.pta" --target "$target" --no-sharding
    runs "$program.pta" 1 random:1 "$program.npz"
    [[ $(member stats.json collective_calls) == 0 ]] || failed "$program: --no-sharding has collectives"
  done
done

# How each value lies, and why.
quiet "$partita" compile "$programs/state_whole.mlir" -o said.pta --target cpu
"$partita" inspect said.pta --sharding >log
grep -qE '^values along [a-z]+ = [0-9]+$' log || failed "inspect --sharding names no axis"
grep -qE '^  %[^:]+: tensor<[^>]+>: dimension [0-9]+ in parts of [0-9]+, by argument [0-9]+$' log ||
  failed "inspect --sharding names no argument that says how it lies"
quiet "$partita" compile "$programs/state_whole.mlir" -o said.pta --target cpu --no-sharding
! "$partita" inspect said.pta --sharding | grep -q "values along" || failed "inspect --sharding shows a mesh under --no-sharding"

if [[ -z ${PARTITA_CORPUS:-} ]]; then
  echo "PARTITA_CORPUS is not set: the conformance corpus is not here"
else
  for name in spmd_dp_tp_lm_train spmd_explicit_axes shard_map_collectives shard_map_dp_train; do
    quiet "$partita" compile "$PARTITA_CORPUS/$name.mlir" -o corpus.pta --target cpu
    for ranks in 1 2 4 8; do
      runs corpus.pta "$ranks" "$PARTITA_CORPUS/$name.io.npz" "$PARTITA_CORPUS/$name.io.npz"
      held[ranks]=$(member stats.json held_bytes)
    done
    ((2 * held[8] < held[1])) || failed "$name: 8 ranks hold ${held[8]} bytes each, one ${held[1]}"
  done
fi

status=0
"$partita" compile "$programs/state_whole.mlir" -o x.pta --target cpu --mesh x=2 >log 2>&1 || status=$?
[[ $status == 2 ]] || failed "--mesh against the program's: status $status"
grep -q 'error: --mesh: expected the mesh that the program declares' log || failed "--mesh against the program's: $(cat log)"
echo passed
