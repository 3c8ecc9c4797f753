#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 360
#
# compile --reproducible: the same bits on any number of ranks and devices, uneven ones and more than partitions too, also
# when a checkpoint goes on elsewhere.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
targets=(cpu)
if has_device; then targets+=(opencl); fi

# Rounds of SGD on own data of seven clients in two layers, and the gradient of their mean loss.
cat >rounds.mlir <<'END'
module @rounds attributes {mr.placements = {clients = 7}} {
  func.func private @loss(%w: tensor<40x24xf32>, %v: tensor<24xf32>, %x: tensor<9x40xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<9x40xf32>, tensor<40x24xf32>) -> tensor<9x24xf32>
    %1 = stablehlo.tanh %0 : tensor<9x24xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<9x24xf32>, tensor<24xf32>) -> tensor<9xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<9xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @mean_loss(%w: tensor<40x24xf32>, %v: tensor<24xf32>, %x: tensor<7x9x40xf32>) -> tensor<f32> {
    %ws = "mr.broadcast"(%w) {placement = "clients"} : (tensor<40x24xf32>) -> tensor<7x40x24xf32>
    %vs = "mr.broadcast"(%v) {placement = "clients"} : (tensor<24xf32>) -> tensor<7x24xf32>
    %0 = "mr.map"(%ws, %vs, %x) ({
    ^bb0(%a: tensor<40x24xf32>, %b: tensor<24xf32>, %d: tensor<9x40xf32>):
      %1 = func.call @loss(%a, %b, %d) : (tensor<40x24xf32>, tensor<24xf32>, tensor<9x40xf32>) -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<7x40x24xf32>, tensor<7x24xf32>, tensor<7x9x40xf32>) -> tensor<7xf32>
    %2 = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<7xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%w: tensor<40x24xf32>, %v: tensor<24xf32>, %x: tensor<7x9x40xf32>) -> (tensor<40x24xf32>, tensor<24xf32>, tensor<f32>) {
    %0:3 = "mr.grad"(%w, %v, %x) {callee = @mean_loss, wrt = array<i64: 0, 1>, value = true} : (tensor<40x24xf32>, tensor<24xf32>, tensor<7x9x40xf32>) -> (tensor<f32>, tensor<40x24xf32>, tensor<24xf32>)
    %rate = stablehlo.constant dense<1.0e-3> : tensor<f32>
    %r1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<40x24xf32>
    %r2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.multiply %0#1, %r1 : tensor<40x24xf32>
    %2 = stablehlo.multiply %0#2, %r2 : tensor<24xf32>
    %3 = stablehlo.subtract %w, %1 : tensor<40x24xf32>
    %4 = stablehlo.subtract %v, %2 : tensor<24xf32>
    return %3, %4, %0#0 : tensor<40x24xf32>, tensor<24xf32>, tensor<f32>
  }
}
END
options=(--inputs random:5 --carry out0:in0,out1:in1 --rounds 12)
different=0
for target in "${targets[@]}"; do
  for how in plain reproducible; do
    quiet "$partita" compile rounds.mlir -o "$how.pta" --target "$target" $([[ $how == plain ]] || echo --reproducible)
    "$partita" run "$how.pta" "${options[@]}" --devices-per-rank 1 --outputs "$how.npz" >log || failed "$how on 1 rank"
  done
  python3 "$PARTITA_SOURCE_DIR/tests/support/compare_npz.py" reproducible.npz plain.npz >log || { cat log; failed "results on $target"; }
  for ranks in 2 3 4 7 8; do
    on_ranks "$ranks" "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 1 --check-replicas --outputs x.npz >log ||
      failed "$target, $ranks ranks"
    cmp x.npz reproducible.npz || failed "$target: other bits on $ranks ranks"
    on_ranks "$ranks" "$partita" run plain.pta "${options[@]}" --devices-per-rank 1 --outputs x.npz >log || failed "$target, $ranks ranks"
    cmp -s x.npz plain.npz || different=$((different + 1))
  done
  on_ranks 2 "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 3 --outputs x.npz >log || failed "$target, 2 x 3"
  cmp x.npz reproducible.npz || failed "$target: other bits on 2 ranks of 3 devices"
done
((different > 0)) || failed "expected sums in another order to have other bits: the test shows nothing"

# A checkpoint goes on elsewhere with the same bits.
on_ranks 3 "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 1 --checkpoint kept --every 5 --outputs x.npz >log || failed "kept"
on_ranks 2 "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 1 --checkpoint kept --every 5 --resume --outputs y.npz >log || failed "resumed"
grep -qx "resumed after round 10" log || failed "not resumed"
cmp y.npz reproducible.npz || failed "other bits after a checkpoint"
echo passed
