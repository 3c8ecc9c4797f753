#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: codegen simt
# timeout: 450
#
# Kernels of groups under oclgrind: no invalid access to memory or local memory, no race, no barrier that not all items
# come by; what a small GPU has is enough.  Matrix units are exchanges through local memory, which have 24 bytes of it for
# each of a group's 128 items beside the 48 KiB that the device they stand for has.  All programs group_*.mlir here.
set -euo pipefail
command -v oclgrind >/dev/null || { echo "oclgrind is not installed"; exit 77; }
export PARTITA_CACHE_DIR=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# check PROGRAM DEVICE LOCAL-BYTES MATRIX-UNITS
check() {
  "$PARTITA_BIN_DIR/partita" compile "$1" -o "$work/shapes.pta" --target opencl --device "$2" >/dev/null
  rm -f "$work/out.npz"
  PARTITA_MATRIX_UNITS=$4 oclgrind --log "$work/log" --data-races --local-mem-size "$3" --max-wgsize 256 \
    "$PARTITA_BIN_DIR/partita" run "$work/shapes.pta" --inputs random:7 --outputs "$work/out.npz"
  [[ ! -s $work/log ]] || { cat "$work/log"; exit 1; }
  [[ -s $work/out.npz ]] || { echo "no outputs were written"; exit 1; }
  echo "$(basename "$1") $2: no finding"
}
for program in "$PARTITA_SOURCE_DIR"/tests/oclgrind/group_*.mlir; do
  check "$program" gpu 32768 none
  check "$program" nvidia-sm_90 $((49152 + 128 * 24)) exchange
done
