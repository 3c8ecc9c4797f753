// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rotations by numbers that come in: items before the end of the array read one place, those after it another.
module @rotation_by_a_number {
  func.func public @main(%x: tensor<1000xf32>, %y: tensor<3x170xi8>, %s0: tensor<i32>, %s1: tensor<i32>, %s2: tensor<i32>, %s3: tensor<i32>, %s4: tensor<i32>) -> (tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %f0 = stablehlo.constant dense<1.0> : tensor<1000xf32>
    %x0 = stablehlo.multiply %x, %f0 : tensor<1000xf32>
    %xx0 = stablehlo.concatenate %x0, %x0, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
    %a0 = stablehlo.dynamic_slice %xx0, %s0, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
    %b0 = stablehlo.add %a0, %x : tensor<1000xf32>
    %g0 = stablehlo.constant dense<0> : tensor<3x170xi8>
    %y0 = stablehlo.add %y, %g0 : tensor<3x170xi8>
    %yy0 = stablehlo.concatenate %y0, %y0, dim = 1 : (tensor<3x170xi8>, tensor<3x170xi8>) -> tensor<3x340xi8>
    %c0 = stablehlo.dynamic_slice %yy0, %zero, %s0, sizes = [3, 170] : (tensor<3x340xi8>, tensor<i32>, tensor<i32>) -> tensor<3x170xi8>
    %d0 = stablehlo.subtract %c0, %y : tensor<3x170xi8>
    %f1 = stablehlo.constant dense<2.0> : tensor<1000xf32>
    %x1 = stablehlo.multiply %x, %f1 : tensor<1000xf32>
    %xx1 = stablehlo.concatenate %x1, %x1, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
    %a1 = stablehlo.dynamic_slice %xx1, %s1, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
    %b1 = stablehlo.add %a1, %x : tensor<1000xf32>
    %g1 = stablehlo.constant dense<1> : tensor<3x170xi8>
    %y1 = stablehlo.add %y, %g1 : tensor<3x170xi8>
    %yy1 = stablehlo.concatenate %y1, %y1, dim = 1 : (tensor<3x170xi8>, tensor<3x170xi8>) -> tensor<3x340xi8>
    %c1 = stablehlo.dynamic_slice %yy1, %zero, %s1, sizes = [3, 170] : (tensor<3x340xi8>, tensor<i32>, tensor<i32>) -> tensor<3x170xi8>
    %d1 = stablehlo.subtract %c1, %y : tensor<3x170xi8>
    %f2 = stablehlo.constant dense<4.0> : tensor<1000xf32>
    %x2 = stablehlo.multiply %x, %f2 : tensor<1000xf32>
    %xx2 = stablehlo.concatenate %x2, %x2, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
    %a2 = stablehlo.dynamic_slice %xx2, %s2, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
    %b2 = stablehlo.add %a2, %x : tensor<1000xf32>
    %g2 = stablehlo.constant dense<2> : tensor<3x170xi8>
    %y2 = stablehlo.add %y, %g2 : tensor<3x170xi8>
    %yy2 = stablehlo.concatenate %y2, %y2, dim = 1 : (tensor<3x170xi8>, tensor<3x170xi8>) -> tensor<3x340xi8>
    %c2 = stablehlo.dynamic_slice %yy2, %zero, %s2, sizes = [3, 170] : (tensor<3x340xi8>, tensor<i32>, tensor<i32>) -> tensor<3x170xi8>
    %d2 = stablehlo.subtract %c2, %y : tensor<3x170xi8>
    %f3 = stablehlo.constant dense<8.0> : tensor<1000xf32>
    %x3 = stablehlo.multiply %x, %f3 : tensor<1000xf32>
    %xx3 = stablehlo.concatenate %x3, %x3, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
    %a3 = stablehlo.dynamic_slice %xx3, %s3, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
    %b3 = stablehlo.add %a3, %x : tensor<1000xf32>
    %g3 = stablehlo.constant dense<3> : tensor<3x170xi8>
    %y3 = stablehlo.add %y, %g3 : tensor<3x170xi8>
    %yy3 = stablehlo.concatenate %y3, %y3, dim = 1 : (tensor<3x170xi8>, tensor<3x170xi8>) -> tensor<3x340xi8>
    %c3 = stablehlo.dynamic_slice %yy3, %zero, %s3, sizes = [3, 170] : (tensor<3x340xi8>, tensor<i32>, tensor<i32>) -> tensor<3x170xi8>
    %d3 = stablehlo.subtract %c3, %y : tensor<3x170xi8>
    %f4 = stablehlo.constant dense<16.0> : tensor<1000xf32>
    %x4 = stablehlo.multiply %x, %f4 : tensor<1000xf32>
    %xx4 = stablehlo.concatenate %x4, %x4, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
    %a4 = stablehlo.dynamic_slice %xx4, %s4, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
    %b4 = stablehlo.add %a4, %x : tensor<1000xf32>
    %g4 = stablehlo.constant dense<4> : tensor<3x170xi8>
    %y4 = stablehlo.add %y, %g4 : tensor<3x170xi8>
    %yy4 = stablehlo.concatenate %y4, %y4, dim = 1 : (tensor<3x170xi8>, tensor<3x170xi8>) -> tensor<3x340xi8>
    %c4 = stablehlo.dynamic_slice %yy4, %zero, %s4, sizes = [3, 170] : (tensor<3x340xi8>, tensor<i32>, tensor<i32>) -> tensor<3x170xi8>
    %d4 = stablehlo.subtract %c4, %y : tensor<3x170xi8>
    return %b0, %d0, %b1, %d1, %b2, %d2, %b3, %d3, %b4, %d4 : tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>, tensor<1000xf32>, tensor<3x170xi8>
  }
}
