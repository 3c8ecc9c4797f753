#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 120
# processors: 2
#
# The C example runs a compiled program with buffers of its own, alone and as two MPI ranks, and ends with partita's
# status and text on errors.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
host=$PARTITA_BIN_DIR/c_host
program=$work/average.pta

expect_output() {
  local expected=$1
  shift
  local found
  found=$("$@")
  [[ $found == "$expected" ]] || { echo "FAILED: $*: expected '$expected', found '$found'"; exit 1; }
}

# expect_error STATUS TEXT COMMAND...
expect_error() {
  local status=$1 text=$2 found=0
  shift 2
  "$@" >"$work/log" 2>&1 || found=$?
  [[ $found == "$status" ]] || { echo "FAILED: $*: expected status $status, found $found"; cat "$work/log"; exit 1; }
  grep -qF -- "$text" "$work/log" || { echo "FAILED: $*: no '$text' in"; cat "$work/log"; exit 1; }
}

"$partita" compile "$PARTITA_SOURCE_DIR/examples/c_host/average.mlir" -o "$program" --target opencl
expect_error 2 "usage:" "$host"
expect_error 2 "$work/missing.pta" "$host" "$work/missing.pta"
head -c 100 "$program" >"$work/cut.pta"
expect_error 2 "$work/cut.pta" "$host" "$work/cut.pta"
OCL_ICD_VENDORS=$work/none expect_error 3 "pocl-opencl-icd" "$host" "$program"

has_device || exit 77
# The clients' mean is 4 5 6 7; the model starts at 0 1 2 3 and goes half of the way each round.
expect_output "out0: 2 3 4 5" "$host" "$program"
expect_output "out0: 3.5 4.5 5.5 6.5" "$host" "$program" 3
expect_output "out0: 3.5 4.5 5.5 6.5" on_ranks 2 "$host" "$program" 3 --mpi
