#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
#
# Results that are recorded here and compared elsewhere: `partita record`, whole and as a sample, `check` against artifacts
# that were compiled earlier, `bench artifact` and the table of `bench summary`.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
fail() { echo "$*"; exit 1; }
refused() { # WORDS COMMAND...: exit status 2 and one line with the words
  local words=$1 status=0
  shift
  "$@" >refused.txt 2>&1 || status=$?
  [[ $status == 2 && $(wc -l <refused.txt) == 1 ]] || fail "$*: expected one line and exit status 2, found $status: $(cat refused.txt)"
  grep -qF -- "$words" refused.txt || fail "$*: expected '$words', found $(cat refused.txt)"
}

cat >double.mlir <<'MLIR'
func.func @main(%a: tensor<300x7xf32>, %n: tensor<i32>) -> (tensor<300x7xf32>, tensor<i32>) {
  %0 = stablehlo.add %a, %a : tensor<300x7xf32>
  return %0, %n : tensor<300x7xf32>, tensor<i32>
}
MLIR
"$partita" record double.mlir -o whole.npz --seed 5
"$partita" record double.mlir -o double.io.npz --seed 5 --samples 100
(($(stat -c %s double.io.npz) < $(stat -c %s whole.npz) / 4)) || fail "expected a sample to be smaller than all of it"
for target in interpreter cpu; do
  "$partita" check --target "$target" double.mlir >/dev/null
  "$partita" check --target "$target" --io whole.npz double.mlir >/dev/null
done

# An artifact of another program gives other results, in the sample too.
"$partita" compile double.mlir -o double.pta --target cpu >/dev/null
"$partita" check --artifacts . double.mlir >passed.txt || fail "$(cat passed.txt)"
grep -q '^pass double.mlir (double.pta)' passed.txt || fail "expected the artifact to pass, found $(cat passed.txt)"
"$partita" bench artifact double.pta --turns 5 --seconds 0 --flops 2100 --bytes 16800 --peak-flops 1e9 --json right.json
mkdir other
sed 's/stablehlo.add/stablehlo.multiply/' double.mlir >other/double.mlir
"$partita" compile other/double.mlir -o other/double.pta --target cpu >/dev/null
status=0
"$partita" check --artifacts other double.mlir >wrong.txt || status=$?
[[ $status == 1 && $(cat wrong.txt) == *'of a sample: elements 0, 21'* ]] || fail "expected a departure of the sample, found $status: $(cat wrong.txt)"
cp other/double.pta double.pta
status=0
"$partita" bench artifact double.pta --turns 2 --seconds 0 --bytes 16800 --json wrong.json >wrong.txt || status=$?
[[ $status == 1 && $(cat wrong.txt) == 'FAIL double.pta'* ]] || fail "expected exit status 1 of wrong results, found $status: $(cat wrong.txt)"
mv right.json copy.json
"$partita" bench summary copy.json wrong.json --title 'a < b' --json all.json --plot all.svg >table.md
[[ $(grep -c '| right |$' table.md) == 1 && $(grep -c '| WRONG |$' table.md) == 1 && $(wc -l <table.md) == 4 ]] || fail "$(cat table.md)"
# Each row has the columns of the head.
[[ $(tr -cd '|\n' <table.md | sort -u | wc -l) == 1 ]] || fail "expected as many columns in each row: $(cat table.md)"
python3 - <<'PYTHON'
import json, xml.dom.minidom
both = json.load(open("all.json"))
assert [e["is_right"] for e in both] == [True, False] and both[0]["turns"] == 5 and both[0]["queued_s"] > 0, both
assert "departure" in both[1] and "flops" not in both[1], both
assert len(xml.dom.minidom.parse("all.svg").getElementsByTagName("rect")) == 2, "the ground and a bar for the one that has a peak"
PYTHON

# Kernels by the device's clock, where the backend has one.
sed 's/stablehlo.multiply/stablehlo.add/' other/double.mlir >double.mlir
kernels_of() { # TARGET: "name launches" of each
  "$partita" compile double.mlir -o double.pta --target "$1" >/dev/null
  "$partita" bench artifact double.pta --turns 1 --seconds 0 --kernels --json timed.json
  python3 -c 'import json; print([(k["launches"], k["seconds"] > 0) for k in json.load(open("timed.json"))["kernels"]])'
}
[[ $(kernels_of cpu) == '[]' ]] || fail "expected no times by kernel on cpu"
if has_device; then [[ $(kernels_of opencl) == '[(1.0, True)]' ]] || fail "expected the time of one launch: $(cat timed.json)"; fi

refused 'expected neither --per-op, --shrink nor --poison' "$partita" check --artifacts . --poison double.mlir
refused 'expected what bench artifact writes' "$partita" bench summary all.json
refused '--target: expected one target, found all' "$partita" record double.mlir -o x.npz --target all
refused 'missing.pta' "$partita" bench artifact missing.pta
echo "recordings: as expected"
