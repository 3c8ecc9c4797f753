#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 180
#
# Options of compile and run on the digits round of eight clients: dumps, --strict, budgets, JSON errors, statistics, trace,
# shards in one process; and the same bytes from the same input and options.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"


mkdir one other other/folder
python3 "$PARTITA_SOURCE_DIR/examples/fedavg_digits/make_round.py" --clients 8 >one/round.mlir
cp one/round.mlir other/folder/copy.mlir

# The same artifact whatever the names, folders, time and surroundings.
(cd one && quiet "$partita" compile round.mlir -o round.pta --target opencl --layout batch:4 --gemm generated) || exit 1
quiet env TZ=Asia/Tokyo LC_ALL=C HOME=/ "$partita" compile other/folder/copy.mlir -o other/x.pta --gemm generated --layout batch:4 --target opencl
cmp one/round.pta other/x.pta || failed "the same input and options: expected the same artifact"

# Dumps are numbered through, hold programs, and those of a pass are the ones of `all`.
quiet "$partita" compile one/round.mlir -o p.pta --target opencl --dump-after all --dump-dir dumps
quiet "$partita" compile one/round.mlir -o q.pta --target opencl --dump-after place --dump-after simplify --dump-dir some
cmp p.pta q.pta || failed "--dump-after: expected the same artifact"
numbers=$(find dumps -name '*.mlir' -printf '%f\n' | cut -c 1-2 | sort -n)
passes=$(wc -w <<<"$numbers")
if ((passes < 5)) || [[ $numbers != "$(seq -f %02.0f "$passes")" ]]; then
  failed "--dump-after all: expected 01, 02, …, found $numbers"
fi
(($(find some -name '*.mlir' | wc -l) == 5)) || failed "--dump-after place and simplify: expected 5 files, found $(ls some)"
for file in some/*; do cmp "$file" "dumps/${file#some/}" || failed "$file: expected what --dump-after all writes"; done
for file in dumps/*; do quiet "$partita" opt "$file"; done

# --strict passes where all is recovered, and says what is not.
quiet "$partita" compile one/round.mlir -o strict.pta --target opencl --strict
cmp p.pta strict.pta || failed "--strict: expected the same artifact"
cat >outside.mlir <<'MLIR'
module attributes {mr.placements = {clients = 6}} {
  func.func public @main(%x: tensor<6x3xf32>) -> tensor<6x3xf32> {
    %y = "mr.map"(%x) ({
    ^bb0(%a: tensor<3xf32>):
      %b = stablehlo.sine %a : tensor<3xf32>
      "mr.return"(%b) : (tensor<3xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %z = stablehlo.reverse %y, dims = [0] : tensor<6x3xf32>
    return %z : tensor<6x3xf32>
  }
}
MLIR
quiet "$partita" compile outside.mlir -o outside.pta --target opencl
grep -q "not recovered or fused: .*'clients'" log || failed "compile: expected a line about what is not recovered"
refused 2 "--strict: expected everything recovered and fused, found: |'clients'" \
  "$partita" compile outside.mlir -o "$out/p.pta" --target opencl --strict

# The formula of planned bytes is checked for one shard.
quiet "$partita" compile one/round.mlir -o p.pta --target opencl --layout loop
read -r constant each < <(sed -n 's/^planned bytes \([0-9]*\) bytes + \([0-9]*\) bytes \* block(clients).*/\1 \2/p' log)
planned=$((constant + 8 * each))
quiet "$partita" compile one/round.mlir -o p.pta --target opencl --layout loop --memory-budget ${planned}B
refused 2 "--memory-budget: expected at most $((planned - 1)) bytes on one shard, found $planned" \
  "$partita" compile one/round.mlir -o "$out/p.pta" --target opencl --layout loop --memory-budget $((planned - 1))

# Errors as JSON: one object on one line.
sed 's/%x_w1 = stablehlo.dot_general %step_x/%x_w1 = stablehlo.dot_general %step_y/' one/round.mlir >wrong.mlir
for arguments in "compile wrong.mlir -o $out/p.pta --target opencl" "compile wrong.mlir --nonsense" "run none.pta"; do
  status=0
  # shellcheck disable=SC2086
  "$partita" --error-format json $arguments >stdout 2>stderr || status=$?
  [[ $status == 2 && ! -s stdout && -z $(ls -A "$out") ]] || { cp stderr log; failed "--error-format json $arguments: exit status $status"; }
  python3 - "$arguments" <<'PYTHON' || { cp stderr log; failed "--error-format json $arguments"; }
import json, sys
(line,) = open("stderr").read().splitlines()
error = json.loads(line)
assert error["kind"] == "user" and error["exit_code"] == 2 and error["error"], error
if sys.argv[1].startswith("compile wrong.mlir -o"):
    text = open("wrong.mlir").read().splitlines()
    assert error["file"] == "wrong.mlir" and "%x_w1" in text[error["line"] - 1] and error["column"] > 1, error
    assert "dot_general" in error["error"], error
PYTHON
done

has_device || exit 77
quiet "$partita" run p.pta --inputs random:7 --outputs alone.npz --stats alone.json --repeat 3 --devices-per-rank 1
quiet "$partita" run p.pta --inputs random:7 --outputs two.npz --stats two.json --trace trace.json \
  --devices-per-rank 2 --check-replicas
python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" two.npz alone.npz >log || failed "--devices-per-rank 2: other outputs"
python3 - "$planned" <<'PYTHON' || failed "statistics and trace"
import json, sys
alone, two, trace = (json.load(open(name + ".json")) for name in ("alone", "two", "trace"))
assert alone["repeats"] == 3 and two["repeats"] == 1
assert 0 < alone["min_s"] <= alone["median_s"]
assert alone["planned_bytes"] == int(sys.argv[1]), alone
assert two["planned_bytes"] < alone["planned_bytes"] and two["peak_arena_bytes"] == alone["peak_arena_bytes"], two
assert alone["peak_device_bytes"] >= alone["peak_arena_bytes"] > 0
assert alone["blocks"] == two["blocks"] == 8
assert (alone["collective_calls"], two["collective_calls"]) == (0, 1)
assert alone["communicated_bytes"] == 0 < two["communicated_bytes"]
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
assert events and all(e["dur"] >= 0 and e["name"] for e in events)
PYTHON
finish_refusals
