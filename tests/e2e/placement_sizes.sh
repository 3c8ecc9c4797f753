#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 60
#
# Sizes of placements: --placement on a program that arrives vectorised finds its axis, a size that does not fit is an
# error that says so, and sizes that contradict one another or the program are errors too. Needs no device.
set -euo pipefail
# shellcheck source=tests/e2e/_refused.sh
source "$(dirname "${BASH_SOURCE[0]}")/_refused.sh"
cd "$work"

# One round of training without annotation, as DrJAX prints it: the model is broadcast to six clients.
cat >vectorised.mlir <<'MLIR'
module {
  func.func public @main(%w: tensor<3xf32>, %x: tensor<6x4x3xf32>) -> tensor<3xf32> {
    %all = stablehlo.broadcast_in_dim %w, dims = [1] : (tensor<3xf32>) -> tensor<6x3xf32>
    %y = stablehlo.dot_general %x, %all, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<6x4x3xf32>, tensor<6x3xf32>) -> tensor<6x4xf32>
    %g = stablehlo.dot_general %y, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<6x4xf32>, tensor<6x4x3xf32>) -> tensor<6x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<3xf32>
    %six = stablehlo.constant dense<6.0> : tensor<3xf32>
    %mean = stablehlo.divide %sum, %six : tensor<3xf32>
    return %mean : tensor<3xf32>
  }
}
MLIR
# The same axis, named and sized by the program.
cat >declared.mlir <<'MLIR'
module attributes {mr.placements = {clients = 6}} {
  func.func public @main(%x: tensor<6x3xf32>) -> tensor<3xf32> {
    %sum = "mr.reduce_sum"(%x) {placement = "clients"} : (tensor<6x3xf32>) -> tensor<3xf32>
    return %sum : tensor<3xf32>
  }
}
MLIR
# And by a mesh.
cat >mesh.mlir <<'MLIR'
module {
  sdy.mesh @mesh = <["clients"=6]>
  func.func public @main(%x: tensor<6x3xf32>) -> tensor<3xf32> {
    %y = sdy.sharding_constraint %x <@mesh, [{"clients"}, {}]> : tensor<6x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %sum : tensor<3xf32>
  }
}
MLIR

accepted() { # accepted PROGRAM OPTION...
  cases=$((cases + 1))
  "$partita" compile "$1" -o p.pta --target opencl "${@:2}" >"$work/stdout" 2>"$work/stderr" || complain "compile $*"
}
compile() { # compile WORDS PROGRAM OPTION...
  local words=$1 program=$2
  shift 2
  refused 2 "$words" "$partita" compile "$program" -o "$out/p.pta" --target opencl "$@"
}

accepted vectorised.mlir --placement clients=6
grep -q 'maps recovered 1' "$work/stdout" || complain "expected one recovered map"
"$partita" inspect p.pta --sharding >"$work/stdout"
grep -q 'clients = 6' "$work/stdout" || complain "expected the placement in inspect"
accepted declared.mlir --placement clients=6
accepted mesh.mlir

compile "--placement clients=7: expected a dimension of that size that maps and reductions share, found none" vectorised.mlir --placement clients=7
compile "'clients': expected size 6, found 7" declared.mlir --placement clients=7
compile "'clients'|expected size|6|7" mesh.mlir --placement clients=7
compile "--placement: expected each name once, found clients twice" vectorised.mlir --placement clients=6 --placement clients=7
compile "--placement: expected NAME=N, found x" vectorised.mlir --placement x
compile "--placement: expected NAME=N, found =6" vectorised.mlir --placement =6
compile "--placement: expected a size above 0, found clients=0" vectorised.mlir --placement clients=0
compile "--placement: expected a number|found -6" vectorised.mlir --placement clients=-6
compile "--placement: expected a number|found 6x" vectorised.mlir --placement clients=6x
compile "--placement|99999999999999999999" vectorised.mlir --placement clients=99999999999999999999

corpus=${PARTITA_CORPUS:-$PARTITA_SOURCE_DIR/../shared/conformance}
if [[ -f $corpus/drjax_fedavg_nomesh.mlir ]]; then
  accepted "$corpus/drjax_fedavg_nomesh.mlir" --placement clients=8
  compile "--placement clients=7: expected a dimension of that size" "$corpus/drjax_fedavg_nomesh.mlir" --placement clients=7
  compile "'clients'|expected size|4|8" "$corpus/drjax_fedavg_mesh8.mlir" --placement clients=4
elif [[ -n ${PARTITA_CORPUS:-} ]]; then
  complain "PARTITA_CORPUS: expected $corpus/drjax_fedavg_nomesh.mlir, found none"
fi
finish_refusals
