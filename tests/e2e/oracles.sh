#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 720
#
# The programs of programs/ give their known values: under `check` on every target, and as artifacts on 1 to 4 ranks
# and on 2 shards of one process. Some also have a known number of collective calls. With arguments only the programs named (stems).
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
programs=$PARTITA_SOURCE_DIR/tests/e2e/programs
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py

# One per phase, accumulation dtype and combiner on several ranks.
declare -A collective_calls=(
  [local_training]=0 [fedsgd_round]=1 [fedavg_round]=1 [papa]=1 [weighted_mean]=1
  [branch_train_merge]=2 [fedsgd_rounds]=4 [fedavg_rounds]=4 [nested]=2
  [carried_state]=4 [grad_mean_loss]=1 [grad_fedsgd_rounds]=3 [grad_meta]=3
)
failures=0
failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# check_calls STEM SHARDS WHERE
check_calls() {
  local stem=$1 shards=$2 where=$3 expected=${collective_calls[$1]:-} found
  [[ -n $expected ]] || return 0
  ((shards > 1)) || expected=0
  found=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["collective_calls"])' "$work/stats.json")
  [[ $found == "$expected" ]] || failed "$where: expected $expected collective calls, found $found"
}

# run_on STEM RANKS DEVICES_PER_RANK
run_on() {
  local stem=$1 ranks=$2 devices=$3 where="$1 on $2 ranks of $3 devices" status=0
  rm -f "$work/out.npz"
  on_ranks "$ranks" "$partita" run "$work/$stem.pta" --devices-per-rank "$devices" \
    --inputs "$programs/$stem.io.npz" --outputs "$work/out.npz" --stats "$work/stats.json" \
    >"$work/log" 2>&1 || status=$?
  if ((status != 0)); then
    failed "$where: exit status $status"
    cat "$work/log"
    return
  fi
  python3 "$compare" "$work/out.npz" "$programs/$stem.io.npz" >"$work/log" || { failed "$where"; cat "$work/log"; }
  check_calls "$stem" $((ranks * devices)) "$where"
}

stems=("$@")
if ((${#stems[@]} == 0)); then
  for file in "$programs"/*.mlir; do stems+=("$(basename "$file" .mlir)"); done
fi
files=("${stems[@]/#/$programs/}")
files=("${files[@]/%/.mlir}")
checks=(check --target all --poison) device=1
has_device || { checks=(check --target interpreter); device=0; }
"$partita" "${checks[@]}" "${files[@]}" || failed "partita ${checks[*]}"
if ((device)); then
  for stem in "${stems[@]}"; do
    [[ -e $programs/$stem.io.npz ]] && in_slice || continue
    "$partita" compile "$programs/$stem.mlir" -o "$work/$stem.pta" --target opencl >"$work/log" 2>&1 ||
      { failed "compile $stem: exit status $?"; cat "$work/log"; continue; }
    for ranks in 1 2 3 4; do run_on "$stem" "$ranks" 1; done
    run_on "$stem" 1 2
  done
fi
((failures == 0)) || { echo "$failures failures"; exit 1; }
((device)) || exit 77
echo "${#stems[@]} programs passed"
