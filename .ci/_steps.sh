# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by the scripts of this folder: steps with time limits, and their summary.
summary=()
failures=0

# step NAME SECONDS COMMAND...: runs the command with a time limit and notes how it went.
step() {
  local name=$1 limit=$2 begin=$SECONDS status
  shift 2
  printf '\n==== %s\n' "$name"
  timeout --foreground "$limit" "$@"
  status=$?
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
