// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values that may share a kernel, against what they must come to: carries that are read where others
// are written, values that are also read at other items, branches, and rounding on the way.
module @shared_kernels {
  func.func @carries_that_need_each_other() {
    %n = stablehlo.constant dense<10> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.constant dense<0> : tensor<70xi32>
    %b = stablehlo.constant dense<1> : tensor<70xi32>
    %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<70xi32>, tensor<70xi32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %sum = stablehlo.add %x, %y : tensor<70xi32>
      stablehlo.return %next, %y, %sum : tensor<i32>, tensor<70xi32>, tensor<70xi32>
    }
    check.expect_eq_const %0#1, dense<55> : tensor<70xi32>
    check.expect_eq_const %0#2, dense<89> : tensor<70xi32>
    return
  }
  func.func @carries_that_read_backwards() {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.iota dim = 0 : tensor<5xi32>
    %b = stablehlo.constant dense<0> : tensor<5xi32>
    %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<5xi32>, tensor<5xi32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %back = stablehlo.reverse %x, dims = [0] : tensor<5xi32>
      %more = stablehlo.add %x, %x : tensor<5xi32>
      %sum = stablehlo.add %y, %back : tensor<5xi32>
      stablehlo.return %next, %more, %sum : tensor<i32>, tensor<5xi32>, tensor<5xi32>
    }
    check.expect_eq_const %0#1, dense<[0, 16, 32, 48, 64]> : tensor<5xi32>
    check.expect_eq_const %0#2, dense<[60, 45, 30, 15, 0]> : tensor<5xi32>
    return
  }
  func.func @old_and_new_of_a_carry() {
    %n = stablehlo.constant dense<3> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %a = stablehlo.constant dense<1.0> : tensor<100xf32>
    %b = stablehlo.constant dense<0.0> : tensor<100xf32>
    %0:3 = stablehlo.while(%i = %zero, %x = %a, %y = %b) : tensor<i32>, tensor<100xf32>, tensor<100xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %next = stablehlo.add %i, %one : tensor<i32>
      %two = stablehlo.constant dense<2.0> : tensor<100xf32>
      %new = stablehlo.multiply %x, %two : tensor<100xf32>
      %change = stablehlo.subtract %new, %x : tensor<100xf32>
      %sum = stablehlo.add %y, %change : tensor<100xf32>
      %both = stablehlo.add %sum, %new : tensor<100xf32>
      %new_sum = stablehlo.subtract %both, %new : tensor<100xf32>
      stablehlo.return %next, %new, %new_sum : tensor<i32>, tensor<100xf32>, tensor<100xf32>
    }
    check.expect_eq_const %0#1, dense<8.0> : tensor<100xf32>
    check.expect_eq_const %0#2, dense<7.0> : tensor<100xf32>
    return
  }
  func.func @rounding_on_the_way() {
    %x = stablehlo.constant dense<1.000980e+00> : tensor<33xf16>
    %big = stablehlo.constant dense<1.024000e+03> : tensor<33xf16>
    %0 = stablehlo.add %x, %big : tensor<33xf16>
    %1 = stablehlo.optimization_barrier %0 : tensor<33xf16>
    %2 = stablehlo.subtract %1, %big : tensor<33xf16>
    %3 = stablehlo.reverse %1, dims = [0] : tensor<33xf16>
    %4 = stablehlo.subtract %3, %big : tensor<33xf16>
    check.expect_eq_const %2, dense<1.0> : tensor<33xf16>
    check.expect_eq_const %4, dense<1.0> : tensor<33xf16>
    return
  }
  func.func @branches_share_their_operands() {
    %i = stablehlo.iota dim = 0 : tensor<6xi32>
    %seven = stablehlo.constant dense<7> : tensor<6xi32>
    %a = stablehlo.multiply %i, %seven : tensor<6xi32>
    %b = stablehlo.concatenate %a, %i, dim = 0 : (tensor<6xi32>, tensor<6xi32>) -> tensor<12xi32>
    %c = stablehlo.reverse %b, dims = [0] : tensor<12xi32>
    %d = stablehlo.add %b, %c : tensor<12xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.pad %d, %zero, low = [2], high = [-4], interior = [0] : (tensor<12xi32>, tensor<i32>) -> tensor<10xi32>
    check.expect_eq_const %d, dense<[5, 11, 17, 23, 29, 35, 35, 29, 23, 17, 11, 5]> : tensor<12xi32>
    check.expect_eq_const %p, dense<[0, 0, 5, 11, 17, 23, 29, 35, 35, 29]> : tensor<10xi32>
    return
  }
  func.func @moments_of_rows() {
    %x = stablehlo.iota dim = 1 : tensor<3x5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %five = stablehlo.constant dense<5.0> : tensor<3xf32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %most = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    %mean = stablehlo.divide %sum, %five : tensor<3xf32>
    %wide = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<3xf32>) -> tensor<3x5xf32>
    %off = stablehlo.subtract %x, %wide : tensor<3x5xf32>
    %square = stablehlo.multiply %off, %off : tensor<3x5xf32>
    %squares = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<3xf32>
    check.expect_eq_const %most, dense<4.0> : tensor<3xf32>
    check.expect_eq_const %mean, dense<2.0> : tensor<3xf32>
    check.expect_eq_const %squares, dense<10.0> : tensor<3xf32>
    return
  }
  func.func @scalars() {
    %k = stablehlo.constant dense<[3, 5]> : tensor<2xui32>
    %0 = stablehlo.slice %k [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %k [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.xor %1, %3 : tensor<ui32>
    %5 = stablehlo.multiply %4, %3 : tensor<ui32>
    %6 = stablehlo.add %5, %1 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.add %7, %k : tensor<2xui32>
    check.expect_eq_const %5, dense<30> : tensor<ui32>
    check.expect_eq_const %6, dense<33> : tensor<ui32>
    check.expect_eq_const %8, dense<[36, 38]> : tensor<2xui32>
    return
  }
}
