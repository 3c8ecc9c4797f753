#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi corpus
# timeout: 600
#
# Rounds of the conformance corpus: one artifact each gives JAX's results on 1, 2, 3, 4 and 9 ranks (one more than there
# are partitions), with no collective call on one rank and one per phase, accumulation dtype and combiner on several.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
if [[ -z ${PARTITA_CORPUS:-} ]]; then
  echo "PARTITA_CORPUS is not set: the conformance corpus is not here"
  exit 77
fi
has_device || exit 77

# Name of the program, collective calls on several ranks, options of compile.
cases=(
  "drjax_fedavg_nomesh 1 --placement clients=8"
  "drjax_fedavg_mesh8 1"
  "drjax_composite_round_jit 1"
  "drjax_composite_round_scan 1"
  "drjax_composite_grad_jit 1"
  "drjax_composite_grad_scan 1"
  "rounds/mlp_8 1 --placement clients=8 --gemm clblast"
)
failures=0
failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
for case in "${cases[@]}"; do
  read -r name calls options <<<"$case"
  # shellcheck disable=SC2086  # options are words
  "$partita" compile "$PARTITA_CORPUS/$name.mlir" -o "$work/program.pta" --target opencl $options >"$work/log" 2>&1 ||
    { failed "compile $name"; cat "$work/log"; continue; }
  if [[ $options == *clblast* ]]; then
    "$partita" inspect "$work/program.pta" >"$work/log"
    grep -qi 'clblast' "$work/log" || failed "$name: inspect shows no CLBlast GEMM"
  fi
  for ranks in 1 2 3 4 9; do
    status=0
    rm -f "$work/out.npz"
    # One shard per rank: sums within a rank count as collective calls too.
    on_ranks "$ranks" "$partita" run "$work/program.pta" --inputs "$PARTITA_CORPUS/$name.io.npz" \
      --devices-per-rank 1 --outputs "$work/out.npz" --stats "$work/stats.json" >"$work/log" 2>&1 || status=$?
    if ((status != 0)); then
      failed "$name on $ranks ranks: exit status $status"
      cat "$work/log"
      continue
    fi
    python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" "$work/out.npz" "$PARTITA_CORPUS/$name.io.npz" \
      >"$work/log" || { failed "$name on $ranks ranks"; cat "$work/log"; }
    expected=$((ranks > 1 ? calls : 0))
    found=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["collective_calls"])' "$work/stats.json")
    [[ $found == "$expected" ]] || failed "$name on $ranks ranks: expected $expected collective calls, found $found"
  done
done
((failures == 0)) && echo "all ${#cases[@]} programs on 1, 2, 3, 4, 9 ranks"
