#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Prepares the digits, compiles the round for OpenCL, trains it on R MPI ranks and prints the loss of
# each round and the test accuracy. PARTITA_BIN_DIR says where the binaries are.
set -euo pipefail

usage="usage: run.sh [--ranks R] [--rounds K] [--at-least PERCENT] [--keep FOLDER]"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${PARTITA_BIN_DIR:-$(cd "$here/../.." && pwd)/build/release/bin}
ranks=2 rounds=30 at_least=0 keep=""

fail() {
  echo "error: run.sh: $1" >&2
  exit 2
}

while (($# > 0)); do
  [[ $1 != --help && $1 != -h ]] || { echo "$usage"; exit 0; }
  (($# >= 2)) || fail "expected a value after $1; $usage"
  case $1 in
    --ranks) ranks=$2 ;;
    --rounds) rounds=$2 ;;
    --at-least) at_least=$2 ;;
    --keep) keep=$2 ;;
    *) fail "expected an option, found '$1'; $usage" ;;
  esac
  shift 2
done
[[ $ranks =~ ^[1-9][0-9]*$ ]] || fail "--ranks: expected a number above 0, found '$ranks'"
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "--rounds: expected a number above 0, found '$rounds'"
for program in partita fedavg_digits; do
  [[ -x $bin/$program ]] || fail "expected $bin/$program, found none; ./dev build makes it"
done

if [[ -n $keep ]]; then
  work=$keep
  mkdir -p "$work"
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi

# Lines "round 3/30: out4 = 0.98" become "round 3/30: loss 0.98"; on a terminal a bar stays below them.
show_progress() {
  local line done_rounds filled bar on_terminal=$1
  while IFS= read -r line; do
    if [[ $line =~ ^round\ ([0-9]+)/[0-9]+:\ out4\ =\ (.*)$ ]]; then
      done_rounds=${BASH_REMATCH[1]}
      line="round $done_rounds/$rounds: loss ${BASH_REMATCH[2]}"
      if ((on_terminal)); then
        filled=$((done_rounds * 40 / rounds))
        printf -v bar '%*s' "$filled" ''
        printf '\r\033[K%s\n[%s%*s]' "$line" "${bar// /#}" $((40 - filled)) ''
        continue
      fi
    fi
    ((on_terminal)) && printf '\r\033[K'
    printf '%s\n' "$line"
  done
  ((on_terminal)) && printf '\r\033[K'
  return 0
}
on_terminal=0
[[ ! -t 1 ]] || on_terminal=1

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$bin/fedavg_digits" prepare --data "$here/digits.npz" --out "$work/inputs.npz"
"$bin/partita" compile "$here/round.mlir" -o "$work/round.pta" --target opencl
mpirun --bind-to none --oversubscribe -n "$ranks" "$bin/partita" run "$work/round.pta" \
  --inputs "$work/inputs.npz" --rounds "$rounds" --carry out0:in0,out1:in1,out2:in2,out3:in3 \
  --print out4 --outputs "$work/final.npz" --stats "$work/stats.json" </dev/null |
  show_progress "$on_terminal"
"$bin/fedavg_digits" evaluate --data "$here/digits.npz" --params "$work/final.npz" \
  --at-least "$at_least"
