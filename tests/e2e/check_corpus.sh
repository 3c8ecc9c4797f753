#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e corpus
# timeout: 900
#
# `partita check` on the whole conformance corpus, text and bytecode: every program gives JAX's results on every target that
# is there, over poisoned memory where it is compiled.  tests/expectations.txt names what does not, and why; a case that
# passes although it is listed fails.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
if [[ -z ${PARTITA_CORPUS:-} ]]; then
  echo "PARTITA_CORPUS is not set: the conformance corpus is not here"
  exit 77
fi
if [[ -n ${PARTITA_TARGETS:-} ]]; then
  read -r -a targets <<<"$PARTITA_TARGETS"
else
  targets=(interpreter cpu)
  if has_device; then targets+=(opencl); fi
fi
expectations=$PARTITA_SOURCE_DIR/tests/expectations.txt
cd "$PARTITA_CORPUS"
shopt -s nullglob
cases=(*.mlir *.mlirbc rounds/*_[28].mlir)
log=$work/log
mkdir "$log"

# shellcheck disable=SC2086  # no word where it is empty
run_case() { # TARGET CASE: its output and, in the last line, its exit status
  local status=0 poison=--poison
  [[ $1 != interpreter ]] || poison=
  "$partita" check --target "$1" $poison "$2" >"$log/${2//\//_}.$1" 2>&1 || status=$?
  echo "$status" >>"$log/${2//\//_}.$1"
}
export -f run_case
export partita log
# shellcheck disable=SC2016  # expanded by the inner shell
for target in "${targets[@]}"; do printf "$target %s\n" "${cases[@]}"; done | xargs -P 2 -L 1 bash -c 'run_case "$0" "$1"'

reason() { # TARGET CASE: why it is expected to fail; nothing where it is not
  local pattern target why
  while read -r pattern target why; do
    # shellcheck disable=SC2053  # a pattern
    if [[ $pattern != '#'* && -n $pattern && $2 == $pattern && ($target == all || $target == "$1") ]]; then
      echo "$why"
      return
    fi
  done <"$expectations"
}

wrong=0 passed=0 expected=0
for target in "${targets[@]}"; do
  for case in "${cases[@]}"; do
    file=$log/${case//\//_}.$target
    why=$(reason "$target" "$case")
    if [[ $(tail -n 1 "$file") == 0 ]]; then
      if [[ -z $why ]]; then
        passed=$((passed + 1))
        continue
      fi
      echo "STALE $case ($target): it passes, but tests/expectations.txt says: $why"
    elif [[ -n $why && $(tail -n 1 "$file") == [12] ]]; then
      expected=$((expected + 1))
      continue
    else
      echo "FAIL $case ($target)"
      head -n -1 "$file" | tail -n 20
    fi
    wrong=$((wrong + 1))
  done
done
while read -r pattern target why; do
  [[ $pattern == '#'* || -z $pattern ]] && continue
  # shellcheck disable=SC2053  # a pattern
  for case in "${cases[@]}"; do [[ $case == $pattern ]] && continue 2; done
  echo "STALE $pattern ($target): no such case, but tests/expectations.txt says: $why"
  wrong=$((wrong + 1))
done <"$expectations"
echo "$passed passed, $expected failed as expected, $wrong wrong"
[[ $wrong == 0 ]]
