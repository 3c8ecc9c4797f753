#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 180
# processors: 2
#
# partita bench weak-scaling: rows, files and the page; what was measured is not measured again; bad options.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"

measure() { "$partita" bench weak-scaling --out results --quick --target cpu --turns 4 "$@" >out 2>err || { cat out err; failed "$*"; }; }

measure --ranks 1,2
[[ $(grep -vcE "planned only|^simulated" err) == 2 ]] || failed "expected two rows to be measured: $(cat err)"
cp results/results.json first.json
measure --ranks 1,2,3
[[ $(grep -vcE "planned only|^simulated" err) == 1 ]] || failed "expected one more row to be measured: $(cat err)"

python3 - <<'END' || failed "results"
import csv, json
first, results = json.load(open("first.json")), json.load(open("results/results.json"))
rows = results["rows"]
for a, b in zip(first["rows"], rows):
    for side in ("job", "alone", "whole", "propagated"):
        pairs = zip(a[side]["turn_s"], b[side]["turn_s"])
        assert all(abs(x - y) <= 1e-12 for x, y in pairs), "expected the rows that were there to be kept"
assert [(r["model"], r["kind"], r["ranks"], r["clients"]) for r in rows] == [("mlp", "weak", n, n) for n in (1, 2, 3)], rows
# A mean of the model's 198,810 floats, of one rank with nobody, of others by each.
model = 4 * (784 * 200 + 200 + 200 * 200 + 200 + 200 * 10 + 10)
for r in rows:
    job, alone, whole, propagated = r["job"], r["alone"], r["whole"], r["propagated"]
    # Ablations take part in every fourth turn.
    assert [len(m["turn_s"]) for m in (job, alone, whole, propagated)] == [4, 4, 1, 1], r
    assert all(min(m["turn_s"]) > 0 for m in (job, alone, whole, propagated)), r
    assert (propagated["collective_calls"] > 0) == (r["ranks"] > 1), r
    assert alone["communicated_bytes"] == whole["communicated_bytes"] == 0, r
    assert job["collective_calls"] == (0 if r["ranks"] == 1 else 1), r
    # Four bytes are the number of clients, if it is sent at all.
    assert 0 <= job["communicated_bytes"] - (r["ranks"] * model if r["ranks"] > 1 else 0) <= 64, (r, model)
    assert abs(r["gain"] - alone["median_s"] / job["median_s"]) < 1e-9 and r["gain_low"] <= r["gain_high"], r
    assert job["held_bytes"] <= whole["held_bytes"], r
# A decoder, planned only: each of two devices that share a client's model holds little more than half.
(one, two) = results["planned"]
assert [p["model_shards"] for p in (one, two)] == [1, 2] and one["collectives"] == 1, results["planned"]
assert 0.4 < two["planned_bytes"] / one["planned_bytes"] < 0.6, results["planned"]
lines = list(csv.DictReader(open("results/results.csv")))
assert [line["ranks"].rstrip("*") for line in lines] == ["1", "2", "3"], lines
page = open("results/report.html").read()
assert page.count("<svg") == 5 and page.count("<tr>") == 4 and "http" not in page.replace("http://www.w3.org/2000/svg", ""), page[:400]
END
rm -r results
measure --full --ranks 1
python3 - <<'END' || failed "turns of --full"
import json
(row,) = json.load(open("results/results.json"))["rows"]
assert [len(row[m]["turn_s"]) for m in ("job", "alone", "whole", "propagated")] == [4, 4, 4, 4], row
END
"$partita" bench weak-scaling --out results --quick --target cpu --turns 5 --ranks 1 >out 2>err || failed "other turns"
[[ $(grep -vcE "planned only|^simulated" err) == 1 ]] || failed "expected rows of other turns to be measured anew"

# refused TEXT OPTIONS...: exit status 2 and a line that holds the text.
refused() {
  local text=$1 status=0
  shift
  "$partita" bench weak-scaling "$@" >log 2>&1 || status=$?
  [[ $status == 2 ]] || { cat log; failed "$*: expected status 2, found $status"; }
  grep -qF -- "$text" log || { cat log; failed "$*: no '$text'"; }
}
refused "--out is required"
refused "--case" --out other --case resnet
refused "--ranks" --out other --ranks 0
refused "--turns" --out other --turns 2
touch file
refused "file" --out file/folder --quick
echo passed
