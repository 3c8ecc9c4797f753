#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e mpi
# timeout: 450
#
# compile --reproducible of programs over a mesh: the same bits on any number of ranks and devices, of a training step whose
# data and model are cut, and of rounds over clients whose models are; a checkpoint goes on elsewhere.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
cd "$work"
compare=$PARTITA_SOURCE_DIR/tests/support/compare_npz.py
targets=(cpu)
if has_device; then targets+=(opencl); fi

# Rounds of SGD on own data of four clients; columns of both layers over four shards, so that a client's loss and the gradient
# of its bias are sums over the mesh: some of a few bytes, one long.
cat >rounds.mlir <<'END'
module @rounds attributes {mr.placements = {clients = 4}} {
  sdy.mesh @mesh = <["model"=4]>
  func.func private @loss(%b: tensor<4000xf32>, %w: tensor<4000x24xf32>, %v: tensor<24xf32>, %x: tensor<9x4000xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %bs = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4000xf32>) -> tensor<9x4000xf32>
    %xs = stablehlo.multiply %x, %bs : tensor<9x4000xf32>
    %0 = stablehlo.dot_general %xs, %w, contracting_dims = [1] x [0] : (tensor<9x4000xf32>, tensor<4000x24xf32>) -> tensor<9x24xf32>
    %1 = stablehlo.tanh %0 : tensor<9x24xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<9x24xf32>, tensor<24xf32>) -> tensor<9xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<9xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
    return %4 : tensor<f32>
  }
  func.func private @mean_loss(%b: tensor<4000xf32>, %w: tensor<4000x24xf32>, %v: tensor<24xf32>, %x: tensor<4x9x4000xf32>) -> tensor<f32> {
    %bs = "mr.broadcast"(%b) {placement = "clients"} : (tensor<4000xf32>) -> tensor<4x4000xf32>
    %ws = "mr.broadcast"(%w) {placement = "clients"} : (tensor<4000x24xf32>) -> tensor<4x4000x24xf32>
    %vs = "mr.broadcast"(%v) {placement = "clients"} : (tensor<24xf32>) -> tensor<4x24xf32>
    %0 = "mr.map"(%bs, %ws, %vs, %x) ({
    ^bb0(%c: tensor<4000xf32>, %a: tensor<4000x24xf32>, %e: tensor<24xf32>, %d: tensor<9x4000xf32>):
      %1 = func.call @loss(%c, %a, %e, %d) : (tensor<4000xf32>, tensor<4000x24xf32>, tensor<24xf32>, tensor<9x4000xf32>) -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0, 0>, out_axes = array<i64: 0>} : (tensor<4x4000xf32>, tensor<4x4000x24xf32>, tensor<4x24xf32>, tensor<4x9x4000xf32>) -> tensor<4xf32>
    %2 = "mr.reduce_mean"(%0) {placement = "clients"} : (tensor<4xf32>) -> tensor<f32>
    return %2 : tensor<f32>
  }
  func.func public @main(%b: tensor<4000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %w: tensor<4000x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %v: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, %x: tensor<4x9x4000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) -> (tensor<4000xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<4000x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, tensor<f32>) {
    %0:4 = "mr.grad"(%b, %w, %v, %x) {callee = @mean_loss, wrt = array<i64: 0, 1, 2>, value = true} : (tensor<4000xf32>, tensor<4000x24xf32>, tensor<24xf32>, tensor<4x9x4000xf32>) -> (tensor<f32>, tensor<4000xf32>, tensor<4000x24xf32>, tensor<24xf32>)
    %rate = stablehlo.constant dense<1.0e-4> : tensor<f32>
    %r0 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4000xf32>
    %r1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4000x24xf32>
    %r2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.multiply %0#1, %r0 : tensor<4000xf32>
    %2 = stablehlo.multiply %0#2, %r1 : tensor<4000x24xf32>
    %3 = stablehlo.multiply %0#3, %r2 : tensor<24xf32>
    %4 = stablehlo.subtract %b, %1 : tensor<4000xf32>
    %5 = stablehlo.subtract %w, %2 : tensor<4000x24xf32>
    %6 = stablehlo.subtract %v, %3 : tensor<24xf32>
    return %4, %5, %6, %0#0 : tensor<4000xf32>, tensor<4000x24xf32>, tensor<24xf32>, tensor<f32>
  }
}
END

# same_bits PROGRAM OPTION...: on each target, on 1 to 8 ranks and on ranks of two devices; and that sums in another order
# have other bits.
same_bits() {
  local program=$1 target how ranks different=0
  shift
  for target in "${targets[@]}"; do
    for how in plain reproducible; do
      quiet "$partita" compile "$program" -o "$how.pta" --target "$target" $([[ $how == plain ]] || echo --reproducible)
      "$partita" run "$how.pta" "$@" --devices-per-rank 1 --outputs "$how.npz" >log 2>&1 || failed "$program: $how on 1 rank"
    done
    python3 "$compare" reproducible.npz plain.npz >log || { cat log; failed "$program: results on $target"; }
    for ranks in 2 4 8; do
      on_ranks "$ranks" "$partita" run reproducible.pta "$@" --devices-per-rank 1 --check-replicas --outputs x.npz >log 2>&1 ||
        failed "$program: $target, $ranks ranks"
      cmp x.npz reproducible.npz || failed "$program: $target: other bits on $ranks ranks"
      [[ $target == cpu ]] || continue
      on_ranks "$ranks" "$partita" run plain.pta "$@" --devices-per-rank 1 --outputs x.npz >log 2>&1 || failed "$program: plain, $ranks ranks"
      cmp -s x.npz plain.npz || different=$((different + 1))
    done
    for ranks in 2 4; do
      on_ranks "$ranks" "$partita" run reproducible.pta "$@" --devices-per-rank 2 --outputs x.npz >log 2>&1 || failed "$program: $target, $ranks x 2"
      cmp x.npz reproducible.npz || failed "$program: $target: other bits on $ranks ranks of 2 devices"
    done
  done
  ((different > 0)) || failed "$program: expected sums in another order to have other bits: the test shows nothing"
}

options=(--inputs random:5 --carry out0:in0,out1:in1,out2:in2 --rounds 6)
same_bits rounds.mlir "${options[@]}"
cp reproducible.npz rounds.npz

# A checkpoint goes on elsewhere with the same bits.
on_ranks 4 "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 1 --checkpoint kept --every 4 --outputs x.npz >log 2>&1 || failed "kept"
on_ranks 2 "$partita" run reproducible.pta "${options[@]}" --devices-per-rank 1 --checkpoint kept --every 4 --resume --outputs y.npz >log 2>&1 || failed "resumed"
grep -qx "resumed after round 4" log || failed "not resumed"
cmp y.npz rounds.npz || failed "other bits after a checkpoint"

if [[ -z ${PARTITA_CORPUS:-} ]]; then
  echo "PARTITA_CORPUS is not set: the conformance corpus is not here"
else
  same_bits "$PARTITA_CORPUS/spmd_dp_tp_lm_train.mlir" --inputs "$PARTITA_CORPUS/spmd_dp_tp_lm_train.io.npz"
fi
echo passed
