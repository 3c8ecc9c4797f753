# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by the scripts of this folder: paths, a scratch folder, commands
# that must succeed, mpirun, and the skip where there is no OpenCL device.

: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
export PARTITA_SOURCE_DIR PARTITA_BIN_DIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
partita=$PARTITA_BIN_DIR/partita
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# True where `partita devices` lists one; says so otherwise.
has_device() {
  "$partita" devices >"$work/devices.txt" 2>&1 || exit 1
  grep -q '^opencl: .*(' "$work/devices.txt" && return
  echo "no OpenCL device"
  return 1
}

# failed WORDS...: says so, shows ./log and ends the script.
failed() {
  echo "FAILED: $*"
  cat log
  exit 1
}

# quiet COMMAND...: the command with its output in ./log; shown if it fails.
quiet() { "$@" >log 2>&1 || failed "$*: exit status $?"; }

# in_slice: whether this case of a long list, counted from 0, is run: with PARTITA_TEST_SLICE=K/N one of N, else each.
slice_cases=0
in_slice() {
  local slice=${PARTITA_TEST_SLICE:-0/1}
  ((slice_cases++ % ${slice#*/} == ${slice%/*}))
}

# on_ranks R COMMAND...: the command on R ranks.
on_ranks() {
  mpirun --bind-to none --oversubscribe -n "$@" </dev/null
}
