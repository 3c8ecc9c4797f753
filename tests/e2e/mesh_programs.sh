#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 600
#
# Programs with meshes of 4 and 8 devices as JAX prints them (mesh_programs/make_programs.py) give XLA's results on 1 and 8 ranks and on 2
# ranks with 2 devices each, of parts: none of them is left to one device, and no rank of 8 holds what one rank does.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
programs=$PARTITA_SOURCE_DIR/tests/e2e/mesh_programs
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
cd "$work"

member() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$1" "$2"; }

# runs NAME RANKS DEVICES
runs() {
  rm -f out.npz
  on_ranks "$2" "$partita" run program.pta --inputs "$programs/$1.io.npz" --outputs out.npz --stats stats.json \
    --devices-per-rank "$3" >log 2>&1 || failed "$1 on $2 ranks of $3 devices: exit status $? $(cat log)"
  python3 "$compare" out.npz "$programs/$1.io.npz" >log || failed "$1 on $2 ranks of $3 devices: $(head -3 log)"
}

count=0
for path in "$programs"/*.mlir; do
  name=$(basename "$path" .mlir)
  count=$((count + 1))
  in_slice || continue
  "$partita" compile "$path" -o program.pta --target cpu >log 2>&1 || failed "$name: $(cat log)"
  ! grep 'on one device' log || failed "$name is left to one device"
  runs "$name" 1 1
  whole=$(member stats.json held_bytes)
  runs "$name" 2 2
  # Meshes of 4 and of 8 both have parts for each of 4 devices; a mesh of 4 has replicas on 8.
  runs "$name" 8 1
  held=$(member stats.json held_bytes)
  ((2 * held < whole)) || failed "$name: 8 ranks hold $held bytes each, one $whole"
done
((count > 20)) || failed "expected more than 20 programs, found $count"

if has_device; then
  for name in heads_over_model experts orders rows_by_index collectives_of_two_axes; do
    quiet "$partita" compile "$programs/$name.mlir" -o program.pta --target opencl
    runs "$name" 2 2
  done
fi
