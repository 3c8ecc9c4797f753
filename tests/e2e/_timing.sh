# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced after _device.sh by scripts that compare times of two ranks.  Other work on the machine disturbs single runs, so
# each time is the least of many, and those that are compared are taken by turns until what is expected of them holds.

# time_of NAME ARTIFACT NET [REPEAT]: runs it on two ranks over links of that text; best[NAME] is the fastest so far, in seconds.
declare -A best
time_of() {
  on_ranks 2 env PARTITA_EMULATE_NET="$3" "$partita" run "$2" --inputs random:1 --repeat "${4:-6}" --devices-per-rank 1 \
    --stats stats.json >log 2>&1 || failed "$2 over '$3'"
  best[$1]=$(python3 -c 'import json, sys; print(min(json.load(open("stats.json"))["min_s"], *map(float, sys.argv[1:])))' \
    ${best[$1]:+"${best[$1]}"} inf)
}

# half_of NAME BITS: links over which so many bits take half of best[NAME].
half_of() {
  python3 -c 'import sys; print(f"bw:{float(sys.argv[1]) / (float(sys.argv[2]) / 2) / 1e6:.3f}Mbit,lat:100us")' "$2" "${best[$1]}"
}

# by_turns TURNS MEASURE JUDGE: calls MEASURE, then JUDGE, which says what it found and fails where that is not as expected,
# until it is or for so many turns.
by_turns() {
  local turn
  for ((turn = 0; turn < $1; ++turn)); do
    "$2"
    if "$3"; then return; fi
  done
  failed "$3: not as expected in $1 turns"
}
