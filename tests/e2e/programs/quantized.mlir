// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Quantized values: integers that stand for (i - zero point) * scale.
func.func @to_integers() {
  // 4.0 / 0.1 - 30 and 15.0 / 0.5 - 20; ties to even; what is too large is clamped.
  %x = stablehlo.constant dense<[4.0, 15.0]> : tensor<2xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %i = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2xi8>
  check.expect_eq_const %i, dense<[10, 10]> : tensor<2xi8>
  %y = stablehlo.constant dense<[1.0, 3.0, 5.0, 1000.0, -1000.0, -1.0]> : tensor<6xf32>
  %r = stablehlo.uniform_quantize %y : (tensor<6xf32>) -> tensor<6x!quant.uniform<i8<-127:127>:f32, 2.0>>
  %j = stablehlo.bitcast_convert %r : (tensor<6x!quant.uniform<i8<-127:127>:f32, 2.0>>) -> tensor<6xi8>
  check.expect_eq_const %j, dense<[0, 2, 2, 127, -127, 0]> : tensor<6xi8>
  return
}
func.func @to_numbers() {
  %q = stablehlo.constant() <{value = dense<[[10, -128], [10, 127]]> : tensor<2x2xi8>}> : () -> tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %x = stablehlo.uniform_dequantize %q : (tensor<2x2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %x, dense<[[4.0, -9.8], [15.0, 73.5]]> : tensor<2x2xf32>
  return
}
func.func @between_integers() {
  %q = stablehlo.constant dense<[10, 10]> : tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>
  %r = stablehlo.uniform_quantize %q : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-30, 0.5:-20}>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.1:-20, 0.2:-30}>>
  %i = stablehlo.bitcast_convert %r : (tensor<2x!quant.uniform<i8:f32:0, {0.1:-20, 0.2:-30}>>) -> tensor<2xi8>
  check.expect_eq_const %i, dense<[20, 45]> : tensor<2xi8>
  return
}
func.func @storage_types() {
  %x = stablehlo.constant dense<[-1.0, 0.0, 3.5, 100.0]> : tensor<4xf32>
  %a = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 0.5:128>>
  %b = stablehlo.bitcast_convert %a : (tensor<4x!quant.uniform<u8:f32, 0.5:128>>) -> tensor<4xui8>
  check.expect_eq_const %b, dense<[126, 128, 135, 255]> : tensor<4xui8>
  %c = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i4:f32, 0.5>>
  %d = stablehlo.bitcast_convert %c : (tensor<4x!quant.uniform<i4:f32, 0.5>>) -> tensor<4xi4>
  check.expect_eq_const %d, dense<[-2, 0, 7, 7]> : tensor<4xi4>
  %e = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i16:f32, 0.001:7>>
  %f = stablehlo.bitcast_convert %e : (tensor<4x!quant.uniform<i16:f32, 0.001:7>>) -> tensor<4xi16>
  check.expect_eq_const %f, dense<[-993, 7, 3507, 32767]> : tensor<4xi16>
  // 100000007 is no f32: 100000008 is the next one.
  %g = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i32<-100000007:100000007>:f32, 1.0e-7>>
  %h = stablehlo.bitcast_convert %g : (tensor<4x!quant.uniform<i32<-100000007:100000007>:f32, 1.0e-7>>) -> tensor<4xi32>
  check.expect_eq_const %h, dense<[-10000000, 0, 35000000, 100000007]> : tensor<4xi32>
  return
}
func.func @half_precision() {
  %q = stablehlo.constant dense<[-128, 0, 127]> : tensor<3x!quant.uniform<i8:bf16, 0.5:127>>
  %x = stablehlo.uniform_dequantize %q : (tensor<3x!quant.uniform<i8:bf16, 0.5:127>>) -> tensor<3xbf16>
  check.expect_eq_const %x, dense<[-127.5, -63.5, 0.0]> : tensor<3xbf16>
  %y = stablehlo.constant dense<[1.0, 60000.0, -0.25]> : tensor<3xf16>
  %r = stablehlo.uniform_quantize %y : (tensor<3xf16>) -> tensor<3x!quant.uniform<i8:f16, 0.125:3>>
  %i = stablehlo.bitcast_convert %r : (tensor<3x!quant.uniform<i8:f16, 0.125:3>>) -> tensor<3xi8>
  check.expect_eq_const %i, dense<[11, 127, 1]> : tensor<3xi8>
  return
}
// A block of two elements along dimension 1 has a scale of its own in each row.
func.func @blocks() {
  %q = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{1.0, 10.0:1}, {100.0, 1000.0:-1}}>>
  %x = stablehlo.uniform_dequantize %q : (tensor<2x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{1.0, 10.0:1}, {100.0, 1000.0:-1}}>>) -> tensor<2x4xf32>
  check.expect_eq_const %x, dense<[[1.0, 2.0, 20.0, 30.0], [500.0, 600.0, 8000.0, 9000.0]]> : tensor<2x4xf32>
  return
}
func.func @elementwise() {
  %a = stablehlo.constant dense<[-20, -10]> : tensor<2x!quant.uniform<i8:f32, 0.1:-30>>
  %b = stablehlo.constant dense<[-14, -12]> : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  // 1.0 + 3.0 and 2.0 + 4.0
  %s = stablehlo.add %a, %b : (tensor<2x!quant.uniform<i8:f32, 0.1:-30>>, tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %i = stablehlo.bitcast_convert %s : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xi8>
  check.expect_eq_const %i, dense<[-12, -8]> : tensor<2xi8>
  %n = stablehlo.negate %b : tensor<2x!quant.uniform<i8:f32, 0.5:-20>>
  %j = stablehlo.bitcast_convert %n : (tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xi8>
  check.expect_eq_const %j, dense<[-26, -28]> : tensor<2xi8>
  %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<2x!quant.uniform<i8:f32, 0.1:-30>>, tensor<2x!quant.uniform<i8:f32, 0.5:-20>>) -> tensor<2xi1>
  check.expect_eq_const %less, dense<true> : tensor<2xi1>
  %finite = stablehlo.is_finite %a : (tensor<2x!quant.uniform<i8:f32, 0.1:-30>>) -> tensor<2xi1>
  check.expect_eq_const %finite, dense<true> : tensor<2xi1>
  return
}
func.func @moved() {
  %q = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>
  %t = stablehlo.transpose %q, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>) -> tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0:1}>>
  %r = stablehlo.reshape %t : (tensor<3x2x!quant.uniform<i8:f32:0, {1.0, 2.0, 3.0:1}>>) -> tensor<1x3x2x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>
  %b = stablehlo.broadcast_in_dim %r, dims = [0, 1, 2] : (tensor<1x3x2x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>) -> tensor<2x3x2x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>
  %x = stablehlo.uniform_dequantize %b : (tensor<2x3x2x!quant.uniform<i8:f32:1, {1.0, 2.0, 3.0:1}>>) -> tensor<2x3x2xf32>
  check.expect_eq_const %x, dense<[[[1.0, 4.0], [4.0, 10.0], [6.0, 15.0]], [[1.0, 4.0], [4.0, 10.0], [6.0, 15.0]]]> : tensor<2x3x2xf32>
  %p = stablehlo.constant dense<[7, 8, 9]> : tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %z = stablehlo.constant dense<1> : tensor<!quant.uniform<i8:f32, 0.5:1>>
  %w = stablehlo.pad %p, %z, low = [1], high = [0], interior = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  %c = stablehlo.concatenate %w, %p, dim = 0 : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<7x!quant.uniform<i8:f32, 0.5:1>>
  %y = stablehlo.uniform_dequantize %c : (tensor<7x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<7xf32>
  check.expect_eq_const %y, dense<[0.0, 3.0, 3.5, 4.0, 3.0, 3.5, 4.0]> : tensor<7xf32>
  %i = stablehlo.iota dim = 0 : tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %k = stablehlo.bitcast_convert %i : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %k, dense<[1, 3, 5]> : tensor<3xi8>
  return
}
// Each step adds numbers and quantizes the sum: 1 + 2 + 3 with a scale of 0.5; the greatest of them.
func.func @reductions() {
  %q = stablehlo.constant dense<[3, 5, 7]> : tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %z = stablehlo.constant dense<1> : tensor<!quant.uniform<i8:f32, 0.5:1>>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>
  %i = stablehlo.bitcast_convert %s : (tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<i8>
  check.expect_eq_const %i, dense<13> : tensor<i8>
  %m = "stablehlo.reduce_window"(%q, %z) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %0 = stablehlo.maximum %a, %b : tensor<!quant.uniform<i8:f32, 0.5:1>>
    stablehlo.return %0 : tensor<!quant.uniform<i8:f32, 0.5:1>>
  }) {window_dimensions = array<i64: 2>} : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %j = stablehlo.bitcast_convert %m : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xi8>
  check.expect_eq_const %j, dense<[5, 7]> : tensor<2xi8>
  %o = "stablehlo.sort"(%q) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5:1>>, %b: tensor<!quant.uniform<i8:f32, 0.5:1>>):
    %0 = stablehlo.compare GT, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5:1>>, tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3x!quant.uniform<i8:f32, 0.5:1>>
  %k = stablehlo.bitcast_convert %o : (tensor<3x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3xi8>
  check.expect_eq_const %k, dense<[7, 5, 3]> : tensor<3xi8>
  return
}
// Sums are taken with the integers of the reduction: 120 + 120 is no i8.
func.func @wider_reductions() {
  %q = stablehlo.constant dense<[120, 120]> : tensor<2x!quant.uniform<i8:f32, 0.5>>
  %z = stablehlo.constant dense<0> : tensor<!quant.uniform<i16:f32, 0.5>>
  %s = "stablehlo.reduce"(%q, %z) ({
  ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.5>>, %b: tensor<!quant.uniform<i16:f32, 0.5>>):
    %0 = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.5>>
    stablehlo.return %0 : tensor<!quant.uniform<i16:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<!quant.uniform<i16:f32, 0.5>>
  %i = stablehlo.bitcast_convert %s : (tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<i16>
  check.expect_eq_const %i, dense<240> : tensor<i16>
  return
}
// Numbers [[1, 2], [3, 4]] times [[1, 10], [2, 20]], scales of columns; the sums with a scale of 2, 20 per column.
func.func @products() {
  %l = stablehlo.constant dense<[[3, 5], [7, 9]]> : tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>
  %r = stablehlo.constant dense<[[1, 1], [2, 2]]> : tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 10.0}>>
  %p = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 10.0}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {0.5, 5.0:100}>>
  %i = stablehlo.bitcast_convert %p : (tensor<2x2x!quant.uniform<i32:f32:1, {0.5, 5.0:100}>>) -> tensor<2x2xi32>
  check.expect_eq_const %i, dense<[[10, 110], [22, 122]]> : tensor<2x2xi32>
  // Numbers on the left, integers on the right.
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %h = stablehlo.dot_general %x, %r, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 10.0}>>) -> tensor<2x2xf32>
  check.expect_eq_const %h, dense<[[5.0, 50.0], [11.0, 110.0]]> : tensor<2x2xf32>
  // stablehlo.dot takes zero points on the right.
  %t = stablehlo.constant dense<[[2, 2], [3, 3]]> : tensor<2x2x!quant.uniform<i8:f32, 1.0:1>>
  %d = stablehlo.dot %l, %t : (tensor<2x2x!quant.uniform<i8:f32, 0.5:1>>, tensor<2x2x!quant.uniform<i8:f32, 1.0:1>>) -> tensor<2x2x!quant.uniform<i8:f32, 1.0:50>>
  %j = stablehlo.bitcast_convert %d : (tensor<2x2x!quant.uniform<i8:f32, 1.0:50>>) -> tensor<2x2xi8>
  check.expect_eq_const %j, dense<[[55, 55], [61, 61]]> : tensor<2x2xi8>
  %b = stablehlo.constant dense<[[1, 1], [2, 2]]> : tensor<2x2x!quant.uniform<i8:f32:{0:1}, {{1.0}, {10.0}}>>
  %g = stablehlo.dot_general %x, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2x!quant.uniform<i8:f32:{0:1}, {{1.0}, {10.0}}>>) -> tensor<2x2xf32>
  check.expect_eq_const %g, dense<[[41.0, 41.0], [83.0, 83.0]]> : tensor<2x2xf32>
  return
}
func.func @convolutions() {
  %l = stablehlo.constant dense<[[[2], [4], [6], [8]]]> : tensor<1x4x1x!quant.uniform<i8:f32, 0.5>>
  %r = stablehlo.constant dense<[[[2, 3]], [[3, 4]]]> : tensor<2x1x2x!quant.uniform<i8:f32:2, {1.0:1, 2.0:2}>>
  // Kernels [1, 2] and [2, 4] over [1, 2, 3, 4].
  %p = stablehlo.convolution(%l, %r) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1x!quant.uniform<i8:f32, 0.5>>, tensor<2x1x2x!quant.uniform<i8:f32:2, {1.0:1, 2.0:2}>>) -> tensor<1x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0:-3}>>
  %i = stablehlo.bitcast_convert %p : (tensor<1x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0:-3}>>) -> tensor<1x3x2xi8>
  check.expect_eq_const %i, dense<[[[5, 2], [8, 5], [11, 8]]]> : tensor<1x3x2xi8>
  return
}
func.func private @twice(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>> {
  %0 = stablehlo.add %x, %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return %0 : tensor<2x!quant.uniform<i8:f32, 0.5>>
}
func.func @control_flow() {
  %q = stablehlo.constant dense<[1, 3]> : tensor<2x!quant.uniform<i8:f32, 0.5>>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w:2 = stablehlo.while(%k = %zero, %v = %q) : tensor<i32>, tensor<2x!quant.uniform<i8:f32, 0.5>>
  cond {
    %more = stablehlo.compare LT, %k, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %k, %one : tensor<i32>
    %v2 = func.call @twice(%v) : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
    stablehlo.return %next, %v2 : tensor<i32>, tensor<2x!quant.uniform<i8:f32, 0.5>>
  }
  %yes = stablehlo.constant dense<true> : tensor<i1>
  %c = "stablehlo.if"(%yes) ({
    stablehlo.return %w#1 : tensor<2x!quant.uniform<i8:f32, 0.5>>
  }, {
    stablehlo.return %q : tensor<2x!quant.uniform<i8:f32, 0.5>>
  }) : (tensor<i1>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %pred = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %s = stablehlo.select %pred, %c, %q : tensor<2xi1>, tensor<2x!quant.uniform<i8:f32, 0.5>>
  %i = stablehlo.bitcast_convert %s : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xi8>
  check.expect_eq_const %i, dense<[8, 3]> : tensor<2xi8>
  return
}
