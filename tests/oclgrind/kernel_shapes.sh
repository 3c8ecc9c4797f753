#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: codegen
# timeout: 300
#
# Generated kernels of every shape under oclgrind, streamed and in blocks with an uneven tail: no
# invalid access and no race.
set -euo pipefail
command -v oclgrind >/dev/null || { echo "oclgrind is not installed"; exit 77; }
export PARTITA_CACHE_DIR=  # nor is what is run here left for another test
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# check STEM LAYOUT
check() {
  "$PARTITA_BIN_DIR/partita" compile "$PARTITA_SOURCE_DIR/tests/oclgrind/$1.mlir" -o "$work/shapes.pta" --target opencl \
    --layout "$2" >/dev/null
  rm -f "$work/out.npz"
  oclgrind --log "$work/log" --data-races "$PARTITA_BIN_DIR/partita" run "$work/shapes.pta" --inputs random:7 \
    --outputs "$work/out.npz"
  [[ ! -s $work/log ]] || { cat "$work/log"; exit 1; }
  [[ -s $work/out.npz ]] || { echo "no outputs were written"; exit 1; }
  echo "$1, layout $2: no finding"
}
for layout in loop batch:3 batch; do check kernel_shapes "$layout"; done
check window_shapes auto
