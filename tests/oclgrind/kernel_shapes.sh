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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=$PARTITA_SOURCE_DIR/tests/oclgrind/kernel_shapes.mlir
for layout in loop batch:3 batch; do
  "$PARTITA_BIN_DIR/partita" compile "$program" -o "$work/shapes.pta" --target opencl --layout "$layout" >/dev/null
  oclgrind --log "$work/log" --data-races "$PARTITA_BIN_DIR/partita" run "$work/shapes.pta" --inputs random:7 \
    --outputs "$work/out.npz"
  [[ ! -s $work/log ]] || { cat "$work/log"; exit 1; }
  [[ -s $work/out.npz ]] || { echo "no outputs were written"; exit 1; }
  echo "layout $layout: no finding"
done
