#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 120
#
# `partita inspect --device` estimates times of the variant for GPUs; what it cannot estimate is one line.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"

cat >p.mlir <<'MLIR'
func.func @main(%x: tensor<500x300xf32>) -> tensor<500x300xf32> {
  %0 = stablehlo.sine %x : tensor<500x300xf32>
  return %0 : tensor<500x300xf32>
}
MLIR
quiet "$partita" compile p.mlir -o both.pta --target opencl
quiet "$partita" compile p.mlir -o one.pta --target opencl --device pocl-avx2
quiet "$partita" compile p.mlir -o cpu.pta --target cpu
for device in gpu nvidia-sm_80 nvidia-sm_86 nvidia-sm_90 amd-gfx90a amd-gfx1100 intel-xe; do
  quiet "$partita" inspect both.pta --device "$device"
  grep -q '^time by the model, not measured, on ' log || failed "$device: expected its name"
  grep -q '^  sine.* launch ' log || failed "$device: expected a row of the kernel"
  grep -Eq '^sum [0-9.]+ us in 1 launch of one shard$' log || failed "$device: expected the sum"
done
refused 2 "--device: expected a GPU|pocl-avx2" "$partita" inspect both.pta --device pocl-avx2
refused 2 "one.pta: |--device: expected an artifact with a variant for GPUs" "$partita" inspect one.pta --device gpu
refused 2 "--device: expected |nvidia-sm_90|found 'nvidia-sm_9'" "$partita" inspect both.pta --device nvidia-sm_9
refused 2 "--device" "$partita" inspect cpu.pta --device gpu
refused 2 "--device" "$partita" inspect both.pta --device gpu --sharding
finish_refusals
