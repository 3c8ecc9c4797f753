#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# The digits round with several numbers of clients: sizes, counts, compile time and time per round of one layout, as a
# table; with --json FILE as numbers too. With the streamed layout (loop) nothing but the time per round grows.
set -euo pipefail

usage="usage: digits.sh [--clients 8,64,512] [--layout loop] [--compiles N] [--rounds N] [--json FILE]"
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${PARTITA_BIN_DIR:-$source_dir/build/release/bin}
clients=8,64,512 layout=loop options=()
while (($# > 0)); do
  [[ $1 != --help && $1 != -h ]] || { echo "$usage"; exit 0; }
  (($# >= 2)) || { echo "error: digits.sh: expected a value after $1; $usage" >&2; exit 2; }
  case $1 in
    --clients) clients=$2 ;;
    --layout) layout=$2 ;;
    --compiles | --rounds | --json) options+=("$1" "$2") ;;
    *) echo "error: digits.sh: expected an option, found '$1'; $usage" >&2; exit 2 ;;
  esac
  shift 2
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=()
for n in ${clients//,/ }; do
  [[ $n =~ ^[1-9][0-9]*$ ]] || { echo "error: digits.sh: --clients: expected numbers above 0, found '$n'" >&2; exit 2; }
  python3 "$source_dir/examples/fedavg_digits/make_round.py" --clients "$n" >"$work/clients_$n.mlir"
  programs+=("$work/clients_$n.mlir")
done
"$bin/partita" bench "${programs[@]}" --layout "$layout" ${options[@]+"${options[@]}"}
