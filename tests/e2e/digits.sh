#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi example
# timeout: 300
# processors: 2
#
# The federated digits example: round.mlir is what make_round.py prints, the losses of three rounds are the same on 1, 2
# and 3 ranks, and 30 rounds on 2 ranks reach the accuracy.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
example=$PARTITA_SOURCE_DIR/examples/fedavg_digits

python3 "$example/make_round.py" --clients 64 >"$work/round.mlir"
cmp "$work/round.mlir" "$example/round.mlir" ||
  { echo "FAILED: round.mlir: expected what make_round.py --clients 64 prints"; exit 1; }
has_device || exit 77

for ranks in 1 2 3; do
  "$example/run.sh" --ranks "$ranks" --rounds 3 >"$work/log_$ranks" 2>&1 ||
    { echo "FAILED: run.sh --ranks $ranks: exit status $?"; cat "$work/log_$ranks"; exit 1; }
  sed -n 's/^round [0-9]*\/3: loss //p' "$work/log_$ranks" >"$work/losses_$ranks"
done
# The losses of the first three rounds, from a reference of the same round.
printf '%s\n' 1.8037689 1.4179096 1.1626041 >"$work/losses_expected"
python3 - "$work"/losses_{expected,1,2,3} <<'PYTHON' || { cat "$work/log_1"; exit 1; }
import sys
expected, *runs = [[float(line) for line in open(path)] for path in sys.argv[1:]]
for ranks, losses in enumerate(runs, 1):
    if len(losses) != 3 or any(abs(a - b) > 1e-4 * b for a, b in zip(losses, expected)):
        sys.exit(f"FAILED: losses on {ranks} ranks: expected {expected}, found {losses}")
PYTHON

"$example/run.sh" --ranks 2 --at-least 92 >"$work/log" 2>&1 ||
  { echo "FAILED: run.sh --ranks 2: exit status $?"; cat "$work/log"; exit 1; }
tail -n 3 "$work/log"
