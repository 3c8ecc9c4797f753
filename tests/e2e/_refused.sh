# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
#
# Sourced by the scripts of this folder that give bad input: `refused` runs a command that must end in a clear error.

# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
out=$work/out # where commands are told to write; must stay empty
mkdir "$out"
failures=0 cases=0
seconds_allowed=60 # of one command, on a busy machine

complain() {
  failures=$((failures + 1))
  echo "FAILED: $1"
  head -c 2000 "$work/stderr"
}

# check_refusal WORDS STATUS EXPECTED: what the last command left in $work/std{out,err} is one line `error: …` that holds
# each of WORDS (separated by |), nothing else was said or written, and the status is as expected.
check_refusal() {
  local words=$1 status=$2 expected=$3 line word
  [[ $status == "$expected" ]] || complain "expected exit status $expected, found $status"
  (($(grep -c 'error: ' "$work/stderr") == 1)) || complain "expected one line with 'error: '"
  line=$(grep -m 1 'error: ' "$work/stderr" || true)
  [[ $line == "error: "* ]] || complain "expected a line that begins with 'error: '"
  local IFS='|'
  for word in $words; do
    [[ $line == *"$word"* ]] || complain "expected '$word' in the error"
  done
  [[ -z $(ls -A "$out") ]] || complain "expected no output, found $(ls -A "$out")"
  [[ ! -s $work/stdout ]] || complain "expected nothing on standard output"
  rm -rf "${out:?}"/*
}

# refused STATUS WORDS COMMAND...
refused() {
  local expected=$1 words=$2 status=0 before=$failures
  shift 2
  cases=$((cases + 1))
  timeout -k 5 "$seconds_allowed" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || status=$?
  check_refusal "$words" "$status" "$expected"
  ((failures == before)) || echo "  by: $*"
}

# Ends the script.
finish_refusals() {
  echo "$cases cases, $failures failures"
  ((failures == 0 && cases > 0)) || exit 1
}
