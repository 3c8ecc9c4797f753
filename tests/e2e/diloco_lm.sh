#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 300
# processors: 2
#
# The language model of examples/diloco_lm learns: on the CPU alone and on 2 ranks, and on OpenCL; inner steps
# communicate nothing, outer steps once. What cannot be trained is refused.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
program=$PARTITA_BIN_DIR/diloco_lm
text=$PARTITA_SOURCE_DIR/examples/diloco_lm/gettysburg.txt

# expect WHERE COMMAND...: the run's log says what is communicated.
expect() {
  local where=$1
  shift
  "$@" >"$work/log" 2>&1 || { echo "FAILED: $where"; cat "$work/log"; exit 1; }
  grep -q '^step   5 .* collective calls 0$' "$work/log" || { echo "FAILED: $where: step 5"; cat "$work/log"; exit 1; }
  grep -q '^step  12 .* collective calls 1$' "$work/log" || { echo "FAILED: $where: step 12"; cat "$work/log"; exit 1; }
}

options=(--text "$text" --steps 12 --interval 4 --at-most 0.75)
expect "1 rank" "$program" "${options[@]}" --emit "$work/lm.mlir"
expect "2 ranks" on_ranks 2 "$program" "${options[@]}" --mpi
"$partita" compile "$work/lm.mlir" -o "$work/lm.pta" --target cpu >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# Intervals as one program lose as much as steps do, on any number of ranks, and send twice for two fragments.
streaming=(--text "$text" --steps 12 --interval 4 --fragments 2 --delay 1 --at-most 0.8)
for ranks in 0 1 2; do
  run=("$program" "${streaming[@]}")
  ((ranks == 0)) || run=(on_ranks "$ranks" "${run[@]}" --by-interval --mpi)
  "${run[@]}" >"$work/log" 2>&1 || { echo "FAILED: streaming, $ranks ranks"; cat "$work/log"; exit 1; }
  ((ranks == 0)) || grep -q '^step  12 .* collective calls 2$' "$work/log" || { echo "FAILED: calls"; cat "$work/log"; exit 1; }
  sed -n 's/^step  12  loss \([0-9.]*\) .*/\1/p' "$work/log" >>"$work/losses"
done
[[ $(sort -u "$work/losses" | wc -l) == 1 && $(wc -l <"$work/losses") == 3 ]] || { echo "FAILED: losses"; cat "$work/losses"; exit 1; }

status=0
echo "too short" >"$work/short.txt"
"$program" --text "$work/short.txt" >"$work/log" 2>&1 || status=$?
[[ $status == 2 ]] || { echo "FAILED: expected exit status 2, found $status"; exit 1; }
grep -q 'expected more than 128 characters, found 10' "$work/log" || { cat "$work/log"; exit 1; }

has_device || exit 77
expect "OpenCL" "$program" "${options[@]}" --layers 1 --target opencl
