#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 900
#
# MLIR's own parser, the one inside of jaxlib, accepts what `partita opt` prints: programs as read, with locations and
# after passes, and the samples of all ops. Skipped where JAX cannot be had.
set -euo pipefail
: "${PARTITA_SOURCE_DIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${PARTITA_BIN_DIR:=$PARTITA_SOURCE_DIR/build/release/bin}"
partita=$PARTITA_BIN_DIR/partita
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=tests/support/_venv.sh
source "$PARTITA_SOURCE_DIR/tests/support/_venv.sh"
jax_venv "$work/log"

# print NAME FILE OPTIONS...: what opt prints, unless it refuses the program.
print() {
  local name=$1
  shift
  "$partita" opt "$@" -o "$work/texts/$name.mlir" 2>>"$work/refused" || rm -f "$work/texts/$name.mlir"
}
mkdir "$work/texts" "$work/samples"
programs=("$PARTITA_SOURCE_DIR"/tests/e2e/programs/*.mlir)
if [[ -n ${PARTITA_CORPUS:-} ]]; then programs+=("$PARTITA_CORPUS"/*.mlir "$PARTITA_CORPUS"/*.mlirbc); fi
for program in "${programs[@]}"; do
  name=$(basename "$program")
  # MLIR resolves no symbols below of ops that it does not know, which maps are to it.
  if ! { grep -q '"mr.map"' "$program" && grep -q 'call @' "$program"; }; then
    print "$name" "$program"
    print "$name.locations" "$program" --locations
  fi
  print "$name.frontend" "$program" --pipeline frontend
  print "$name.compile" "$program" --pipeline compile
done
if [[ -x $PARTITA_BIN_DIR/test_ops ]]; then
  PARTITA_SAMPLE_TEXTS=$work/samples "$PARTITA_BIN_DIR/test_ops" --gtest_brief=1 --gtest_filter='SampleTexts.*' >"$work/log" ||
    { cat "$work/log"; exit 1; }
fi
"$venv/bin/python" "$PARTITA_SOURCE_DIR/tests/support/parse_with_mlir.py" "$work/texts" "$work/samples"
