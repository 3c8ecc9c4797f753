#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 60
#
# A compilation that is interrupted, or whose C compiler is killed or has no room, leaves no file, whole or half.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"
cp "$PARTITA_SOURCE_DIR/examples/c_host/average.mlir" p.mlir
mkdir scratch
: >"$work/stderr"
export TMPDIR=$work/scratch PARTITA_CACHE_DIR=

compiler() { # compiler NAME LINE
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}
nothing_left() {
  [[ -z $(find scratch "$out" -mindepth 1) ]] || complain "expected no file, found $(find scratch "$out" -mindepth 1)"
}

compiler slow 'touch started; exec sleep 5'
# A shell without job control has its background commands ignore SIGINT.
for signal in TERM HUP; do
  PARTITA_CC=$work/slow "$partita" compile p.mlir --target cpu --tier 1 -o "$out/p.pta" >stdout 2>stderr &
  for ((tries = 0; tries < 200; ++tries)); do
    [[ -n $(find scratch -name started) ]] && break
    sleep 0.05
  done
  [[ -n $(find scratch -name started) ]] || complain "expected the compiler to start"
  kill -s "$signal" $!
  status=0
  wait $! 2>/dev/null || status=$?
  ((status == 128 + $(kill -l "$signal"))) || complain "expected an end by SIG$signal, found exit status $status"
  nothing_left
done

compiler killed 'kill -s KILL $$'
refused 3 "killed: expected it to compile the kernels, found it killed by signal 9" \
  env PARTITA_CC="$work/killed" "$partita" compile p.mlir --target cpu --tier 1 -o "$out/p.pta"
compiler full 'echo "as: No space left on device"; exit 1'
refused 3 "expected room for the compiler's files in $work/scratch, found: No space left on device" \
  env PARTITA_CC="$work/full" "$partita" compile p.mlir --target cpu --tier 1 -o "$out/p.pta"
nothing_left
finish_refusals
