#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
# label: e2e
# timeout: 240
#
# State that rounds carry lies in one place where the program gives its arguments up: the same results, less memory.
set -euo pipefail
# shellcheck source=tests/e2e/_device.sh
source "$(dirname "${BASH_SOURCE[0]}")/_device.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# A step with momentum: weights and velocity become those of the next round, the gradient's data stay.
# write NAME ATTRIBUTES-OF-W ATTRIBUTES-OF-V
write() {
  cat >"$1.mlir" <<TEXT
func.func public @main(%w: tensor<64x1024xf32> $2, %v: tensor<64x1024xf32> $3, %g: tensor<64x1024xf32>) -> (tensor<64x1024xf32>, tensor<64x1024xf32>) {
  %rate = stablehlo.constant dense<0.5> : tensor<64x1024xf32>
  %0 = stablehlo.multiply %rate, %v : tensor<64x1024xf32>
  %1 = stablehlo.add %0, %g : tensor<64x1024xf32>
  %2 = stablehlo.multiply %w, %1 : tensor<64x1024xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<64x1024xf32>
  return %3, %1 : tensor<64x1024xf32>, tensor<64x1024xf32>
}
TEXT
}
write kept "" ""
write given "{tf.aliasing_output = 0 : i32}" "{tf.aliasing_output = 1 : i32}"
write crossed "{tf.aliasing_output = 1 : i32}" "{tf.aliasing_output = 0 : i32}"
planned() { sed -n 's/.*"planned_bytes":\([0-9]*\).*/\1/p' s.json; }
state=$((64 * 1024 * 4))
for target in cpu opencl; do
  for name in kept given crossed; do "$partita" compile "$name.mlir" -o "$name.pta" --target "$target" >log; done
  for words in "--rounds 1" "--rounds 4 --carry out0:in0,out1:in1" "--rounds 4 --carry out0:in1,out1:in0" \
    "--rounds 4 --carry out0:in0" "--rounds 3 --carry out0:in0,out0:in1" "--rounds 3 --carry out1:in1,out1:in0" "--rounds 3"; do
    # shellcheck disable=SC2086
    "$partita" run kept.pta --inputs random:5 $words --outputs expected.npz >log
    for name in given crossed; do
      # shellcheck disable=SC2086
      "$partita" run "$name.pta" --inputs random:5 $words --outputs found.npz >log
      cmp expected.npz found.npz
    done
  done
  carry=(--rounds 4 --carry "out0:in0,out1:in1")
  "$partita" run kept.pta --inputs random:5 "${carry[@]}" --stats s.json >log
  kept=$(planned)
  "$partita" run given.pta --inputs random:5 "${carry[@]}" --stats s.json >log
  [[ $(planned) == $((kept - 2 * state)) ]]
  # What is carried elsewhere is not given up.
  "$partita" run given.pta --inputs random:5 --rounds 4 --carry "out0:in0" --stats s.json >log
  [[ $(planned) == $((kept - state)) ]]
  "$partita" run given.pta --inputs random:5 --rounds 4 --carry "out0:in1,out1:in0" --stats s.json >log
  [[ $(planned) == "$kept" ]]
done
