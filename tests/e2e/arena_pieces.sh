#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 300
#
# Programs on a device whose largest buffer is no larger than their largest value: the arena is cut, results are as they
# were.  One byte less is an error that names the value.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
has_device || exit 77
cd "$work"

# Bytes of the largest value on one shard, and of the arena.
largest_value() { # ARTIFACT [FOLDER OF ITS VARIANT]
  unzip -p "$1" "${2:-}plan.json" | python3 -c '
import json, sys
width = {"i1": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "bf16": 2, "f16": 2, "i64": 8, "ui64": 8, "f64": 8, "c64": 8, "c128": 16}
plan = json.load(sys.stdin)
ends = {p["end"]: p["size"] for p in plan["placements"] if "end" in p}
operators = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__}
def value(e):
    if isinstance(e, int): return e
    return ends.get(e[1], 0) if e[0] == "var" else operators[e[0]](value(e[1]), value(e[2]))
print(max(value(b["count"]) * width.get(b["dtype"], 4) for b in plan["buffers"]), plan["arena_bytes"])'
}

cut=0
for program in "$PARTITA_SOURCE_DIR"/tests/e2e/programs/*.mlir; do
  grep -q "@main" "$program" || continue
  for class in cpu gpu; do
    export PARTITA_OPENCL_CLASS=$class
    quiet "$partita" compile "$program" -o p.pta --target opencl
    folder=
    [[ $class == cpu ]] || folder=variants/simt/
    read -r largest arena < <(largest_value p.pta $folder)
    ((arena > largest)) || continue
    cut=$((cut + 1))
    in_slice || continue
    quiet "$partita" run p.pta --inputs random:3 --devices-per-rank 1 --outputs whole.npz
    quiet env PARTITA_OPENCL_LARGEST_BUFFER="$largest" \
      "$partita" run p.pta --inputs random:3 --devices-per-rank 1 --outputs cut.npz
    cmp whole.npz cut.npz || failed "$program ($class): other results from an arena in pieces"
    status=0
    PARTITA_OPENCL_LARGEST_BUFFER=$((largest - 1)) \
      "$partita" run p.pta --inputs random:3 --devices-per-rank 1 --outputs none.npz >log 2>&1 || status=$?
    [[ $status == 3 ]] || failed "$program ($class): a value that is too large: exit status $status"
    grep -q "^error: out of device memory: .* takes $largest bytes, .* allows $((largest - 1)) in one buffer" log ||
      failed "$program ($class): the error does not name the value"
    [[ ! -e none.npz ]] || failed "$program ($class): a file is left behind"
  done
done
echo "$cut programs have arenas that are cut"
((cut > 4))
PARTITA_OPENCL_LARGEST_BUFFER=much "$partita" run p.pta --inputs random >log 2>&1 && failed "a limit that is no number"
grep -q "PARTITA_OPENCL_LARGEST_BUFFER: expected a number of bytes, found 'much'" log || failed "a limit that is no number"
