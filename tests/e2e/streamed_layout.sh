#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 360
#
# With the streamed layout the digits round costs the same for 8, 64 and 512 clients: arena, launches per block, artifact
# but for its numbers, and time to compile (of CPU, within 10 %: the median of many, taken by turns).
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
rounds=1
has_device || rounds=0

for n in 8 64 512; do
  python3 "$PARTITA_SOURCE_DIR/examples/fedavg_digits/make_round.py" --clients $n >"$work/clients_$n.mlir"
  "$partita" compile "$work/clients_$n.mlir" -o "$work/clients_$n.pta" --target opencl --layout loop >"$work/log"
done
# Every text in the artifact is the same once numbers are, and nothing else in the file changes its size.
python3 - "$work"/clients_{8,64,512}.pta <<'PYTHON'
import os, re, sys, zipfile

def texts(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}

def without_numbers(text):
    text = re.sub(rb'"content_hash": "[0-9a-f]{16}"', b'"content_hash": ""', text)
    return re.sub(rb"[0-9]+", b"#", text)

first, *others = sys.argv[1:]
base = texts(first)
for path in others:
    entries = texts(path)
    assert list(entries) == list(base), f"entries: expected {list(base)}, found {list(entries)}"
    for name, text in entries.items():
        expected, found = without_numbers(base[name]).splitlines(), without_numbers(text).splitlines()
        for number, (a, b) in enumerate(zip(expected, found), 1):
            assert a == b, f"{path}: {name}:{number}: expected {a}, found {b}"
        assert len(expected) == len(found), f"{path}: {name}: expected {len(expected)} lines, found {len(found)}"
    sizes = [os.path.getsize(p) - sum(map(len, e.values())) for p, e in ((first, base), (path, entries))]
    assert sizes[0] == sizes[1], f"bytes of the archive itself: expected {sizes[0]}, found {sizes[1]}"
PYTHON

# A noisy machine may spoil one measurement of time, not all of four.
for compiles in 15 31 61 121; do
  "$PARTITA_SOURCE_DIR/benchmarks/digits.sh" --layout loop --compiles $compiles --rounds $rounds --json "$work/bench.json"
  status=0
  python3 - "$work/bench.json" $rounds <<'PYTHON' || status=$?
import json, sys

results = json.load(open(sys.argv[1]))
keys = ["kernel_bytes", "kernel_hash_without_digits"]
if sys.argv[2] != "0":
    keys += ["peak_arena_bytes", "launches_per_block"]
    assert [r["blocks"] for r in results] == [8, 64, 512], results
for key in keys:
    values = [r[key] for r in results]
    assert len(set(values)) == 1 and values[0], f"{key}: expected the same, found {values}"
times = [r["median_compile_cpu_s"] for r in results]
print(f"slowest over fastest median compile time: {max(times) / min(times):.3f}")
sys.exit(0 if max(times) <= 1.1 * min(times) else 3)
PYTHON
  ((status != 3)) || continue
  ((status == 0)) || exit 1
  ((rounds > 0)) || exit 77
  exit 0
done
echo "FAILED: expected median compile times within 10 %"
exit 1
