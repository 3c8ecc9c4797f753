# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by the scripts of this folder: steps with time limits, their summary, and what several scripts take
# as a step.
summary=()
failures=0
running=
trap 'if [[ $running ]]; then kill "$running"; fi; exit 130' INT TERM

# step NAME SECONDS COMMAND...: runs the command with a time limit and notes how it went.  What it has started ends with it,
# so that nothing disturbs the next step.
step() {
  local name=$1 limit=$2 begin=$SECONDS status
  shift 2
  printf '\n==== %s\n' "$name"
  timeout --kill-after=30 "$limit" "$@" &
  running=$!
  wait "$running"
  status=$?
  running=
  local result=passed
  if ((status != 0)); then
    result="FAILED (exit status $status)"
    failures=$((failures + 1))
  fi
  summary+=("$(printf '%-28s %5d s  %s' "$name" $((SECONDS - begin)) "$result")")
}

# further_step NAME SECONDS COMMAND...: a step that also .ci/nightly takes, in full: begun only where its limit ends within
# the first 85 of the 90 minutes that a run may take, so that a slow machine leaves it out rather than the change.
further_step() {
  if ((SECONDS + $2 > 5100)); then
    summary+=("$(printf '%-28s %5d s  left out: %d s had gone' "$1" 0 "$SECONDS")")
    return
  fi
  step "$@"
}

# The summary; fails where a step has failed.
finish_steps() {
  printf '\n==== summary, %d s\n' "$SECONDS"
  printf '%s\n' "${summary[@]}"
  ((failures == 0))
}

# Left out: one that counts shapes of random graphs, which are other ones under clang, and one that takes too long.
asan() {
  ./dev build asan tests_unit tests_ops tests_passes tests_fuzz &&
    ./dev ctest asan -L '^(unit|ops|passes)$' -E 'unit.RandomGraph|Targets/DraftsOf'
}
export -f asan
