# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced after _device.sh by scripts that compare times of two ranks.  Other work on the machine disturbs single runs, so
# each time is the least of some, and those that are compared come from one turn: taken again, all of them, until what is
# expected of them holds.

# time_of NAME ARTIFACT NET [REPEAT]: runs it on two ranks over links of that text; taken[NAME] is the fastest of this turn, in
# seconds, and waited[NAME] the least that a rank waits in one run for sums to arrive, the mean of the ranks.
declare -A taken waited
time_of() {
  local repeat=${4:-6}
  on_ranks 2 env PARTITA_EMULATE_NET="$3" "$partita" run "$2" --inputs random:1 --repeat "$repeat" --devices-per-rank 1 \
    --stats stats.json --trace trace.json >log 2>&1 || failed "$2 over '$3'"
  read -r "taken[$1]" "waited[$1]" < <(python3 - "$repeat" <<'END'
import json, statistics, sys
events = json.load(open("trace.json"))["traceEvents"]
least = []
for rank in (0, 1):
    waits = [e["dur"] * 1e-6 for e in sorted((e for e in events if e.get("cat") == "collective" and e["pid"] == rank), key=lambda e: e["ts"])]
    runs = int(sys.argv[1]) + 1  # the first one is not timed
    assert waits and len(waits) % runs == 0, f"{len(waits)} steps of collectives in {runs} runs"
    of_run = len(waits) // runs
    least.append(min(sum(waits[i * of_run:(i + 1) * of_run]) for i in range(1, runs)))
print(json.load(open("stats.json"))["min_s"], statistics.mean(least))
END
  )
}

# half_of NAME BITS: links over which so many bits take half of taken[NAME].
half_of() {
  python3 -c 'import sys; print(f"bw:{float(sys.argv[1]) / (float(sys.argv[2]) / 2) / 1e6:.3f}Mbit,lat:100us")' "$2" "${taken[$1]}"
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
