// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums over experts and features, of operands that are contiguous along the features but not along both: vectors along the one
// in a loop over the others.  Of 40 and 21 features, dimensions named in either order, a third one, whole numbers; small integers, so that sums are exact.
module @contraction_of_experts {
  func.func public @main(%x: tensor<3x7x40xf32>, %w: tensor<3x9x40xf32>, %y: tensor<3x21x12xf32>, %v: tensor<3x12x21xf32>, %s: tensor<2x5x3x33xf32>, %t: tensor<3x2x6x33xf32>, %p: tensor<4x6x20xi32>, %q: tensor<4x10x20xi32>) -> (tensor<7x9xf32>, tensor<9x7xf32>, tensor<12x12xf32>, tensor<5x6xf32>, tensor<6x10xi32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [0, 2] x [0, 2] : (tensor<3x7x40xf32>, tensor<3x9x40xf32>) -> tensor<7x9xf32>
    %1 = stablehlo.dot_general %w, %x, contracting_dims = [2, 0] x [2, 0] : (tensor<3x9x40xf32>, tensor<3x7x40xf32>) -> tensor<9x7xf32>
    %2 = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<3x21x12xf32>) -> tensor<3x12x21xf32>
    %3 = stablehlo.dot_general %2, %v, contracting_dims = [2, 0] x [2, 0] : (tensor<3x12x21xf32>, tensor<3x12x21xf32>) -> tensor<12x12xf32>
    %4 = stablehlo.dot_general %s, %t, contracting_dims = [3, 0, 2] x [3, 1, 0] : (tensor<2x5x3x33xf32>, tensor<3x2x6x33xf32>) -> tensor<5x6xf32>
    %5 = stablehlo.dot_general %p, %q, contracting_dims = [0, 2] x [0, 2] : (tensor<4x6x20xi32>, tensor<4x10x20xi32>) -> tensor<6x10xi32>
    return %0, %1, %3, %4, %5 : tensor<7x9xf32>, tensor<9x7xf32>, tensor<12x12xf32>, tensor<5x6xf32>, tensor<6x10xi32>
  }
}
