#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi simt
# timeout: 900
#
# What labels ops, passes, codegen, e2e and regress run on an OpenCL device, as compiled for GPUs on the one that is here.
# Left out is what does not depend on the class (text, the interpreter, target cpu, refusals), and what the other tests of
# label simt run so: the corpus, group forms. Of programs/ all are checked alone, those that differ in collectives on ranks.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
has_device || exit 77
export PARTITA_OPENCL_CLASS=gpu
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
failures=0

# timed NAME COMMAND...
timed() {
  local name=$1 start=$SECONDS status=0
  shift
  "$@" >"$work/$name.log" 2>&1 || status=$?
  echo "$name: $((SECONDS - start)) s, status $status"
  ((status == 0 || status == 77)) && return
  failures=$((failures + 1))
  tail -n 40 "$work/$name.log"
}

timed programs "$partita" check --target opencl --poison "$PARTITA_SOURCE_DIR"/tests/{e2e/programs,regress}/*.mlir
timed ops "$PARTITA_BIN_DIR/test_codegen" --gtest_brief=1 --gtest_filter='OpSamples.*'
timed codegen "$PARTITA_BIN_DIR/test_codegen" --gtest_brief=1 \
  --gtest_filter='StreamedRows.*:KernelLoops.*:*ScalarTextRuns*as_opencl'
timed passes "$PARTITA_BIN_DIR/test_passes" --gtest_brief=1 \
  --gtest_filter='fuse_launches.*:guard_loops.*:launch_copies.*:launch_rows.*:pack_launches.*:prove_independence.*:remove_*:widen_items.*:assign_arena.*'
timed ranks env PARTITA_TARGETS=opencl "$here/oracles.sh" fedavg_rounds nested grad_fedsgd_rounds branch_train_merge
for script in streamed_layout zero_weight shards algorithm_ranks diloco_lm c_host bench_serve digits; do
  timed "$script" bash "$here/$script.sh"
done
((failures == 0)) || { echo "$failures failed"; exit 1; }
