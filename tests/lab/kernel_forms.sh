#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: codegen simt
# timeout: 600
#
# What kernels become on GPUs, without one: registers, spills and the inner loop of every form, by kernel_forms.py.
set -euo pipefail
: "${KERNEL_LAB_VENV:=$PARTITA_SOURCE_DIR/build/lab}"
export KERNEL_LAB_VENV
for needed in clang-16 /usr/lib/llvm-16/bin/llc /usr/lib/clc/nvptx64--nvidiacl.bc; do
  command -v "$needed" >/dev/null || [[ -e $needed ]] || { echo "$needed is not installed (./dev lab installs it)"; exit 77; }
done
for needed in ptxas nvdisasm; do
  [[ -n $(command -v "$needed" || find "$KERNEL_LAB_VENV" -name "$needed" -type f -print -quit 2>/dev/null) ]] ||
    { echo "$needed is not installed (./dev lab installs it)"; exit 77; }
done
python3 "$PARTITA_SOURCE_DIR/tests/lab/kernel_forms.py" "$PARTITA_BIN_DIR/partita" "$PARTITA_SOURCE_DIR/tools"
