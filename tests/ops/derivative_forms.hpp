// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs on which derivatives are checked besides the ops' samples: forms that rules tell apart.
#pragma once

#include <utility>

namespace partita::testing {

inline constexpr std::pair<const char*, const char*> more_forms[] = {
    {"windows",
     R"(func.func @main(%a: tensor<5x4xf64>, %v: tensor<7xf64>, %i: tensor<f64>) -> (tensor<4x3xf64>, tensor<3x3xf64>, tensor<4x2xf64>, tensor<7xf64>, tensor<7xf64>, tensor<6xf64>, tensor<4xf64>, tensor<7xf64>) {
  %one = stablehlo.constant dense<1.0> : tensor<f64>
  %low = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %at = stablehlo.iota dim = 0 : tensor<7xi32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, base_dilations = array<i64: 2, 1>, window_dilations = array<i64: 2, 2>, padding = dense<[[1, 2], [-1, 2]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.add %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<f64>) -> tensor<4x3xf64>
  %1 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<f64>) -> tensor<3x3xf64>
  %2 = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>, window_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.multiply %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<5x4xf64>, tensor<f64>) -> tensor<4x2xf64>
  %3 = "stablehlo.reduce_window"(%v, %one) <{window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.multiply %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<7xf64>, tensor<f64>) -> tensor<7xf64>
  %4 = "stablehlo.reduce_window"(%v, %low) <{window_dimensions = array<i64: 7>, padding = dense<[[0, 6]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<7xf64>, tensor<f64>) -> tensor<7xf64>
  %5:2 = "stablehlo.reduce_window"(%v, %at, %low, %none) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%x: tensor<f64>, %p: tensor<i32>, %y: tensor<f64>, %q: tensor<i32>):
    %g = stablehlo.compare GE, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %z = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f64>
    %w = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %z, %w : tensor<f64>, tensor<i32>
  }) : (tensor<7xf64>, tensor<7xi32>, tensor<f64>, tensor<i32>) -> (tensor<6xf64>, tensor<6xi32>)
  %6 = "stablehlo.reduce_window"(%v, %low) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, base_dilations = array<i64: 2>, window_dilations = array<i64: 5>, padding = dense<[[0, -1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.maximum %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<7xf64>, tensor<f64>) -> tensor<4xf64>
  %7 = "stablehlo.reduce_window"(%v, %i) <{window_dimensions = array<i64: 7>, padding = dense<[[0, 6]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    %z = stablehlo.multiply %x, %y : tensor<f64>
    stablehlo.return %z : tensor<f64>
  }) : (tensor<7xf64>, tensor<f64>) -> tensor<7xf64>
  return %0, %1, %2, %3, %4, %5#0, %6, %7 : tensor<4x3xf64>, tensor<3x3xf64>, tensor<4x2xf64>, tensor<7xf64>, tensor<7xf64>, tensor<6xf64>, tensor<4xf64>, tensor<7xf64>
})"},
    {"convolutions",
     R"(func.func @main(%a: tensor<4x5x6xf64>, %k: tensor<3x5x6xf64>, %g: tensor<2x2x6xf64>, %z: tensor<1x4x2xcomplex<f64>>, %w: tensor<2x2x3xcomplex<f64>>) -> (tensor<2x6x6xf64>, tensor<4x5x6xf64>, tensor<3x3x1xcomplex<f64>>) {
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[0, i, o]->[b, f, 0], window = {stride = [2], pad = [[3, 2]], lhs_dilate = [2], rhs_dilate = [2], reverse = [true]} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<4x5x6xf64>, tensor<3x5x6xf64>) -> tensor<2x6x6xf64>
  %1 = stablehlo.convolution(%a, %g) dim_numbers = [f, b, 0]x[i, 0, o]->[0, b, f], window = {stride = [1], pad = [[-1, 0]], rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<4x5x6xf64>, tensor<2x2x6xf64>) -> tensor<4x5x6xf64>
  %2 = stablehlo.convolution(%z, %w) dim_numbers = [b, 0, f]x[0, i, o]->[0, f, b], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x2xcomplex<f64>>, tensor<2x2x3xcomplex<f64>>) -> tensor<3x3x1xcomplex<f64>>
  return %0, %1, %2 : tensor<2x6x6xf64>, tensor<4x5x6xf64>, tensor<3x3x1xcomplex<f64>>
})"},
    {"matrices",
     R"(func.func @main(%b: tensor<2x3x3xcomplex<f64>>, %r: tensor<2x3x2xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x3x2xcomplex<f64>>) {
  %c = chlo.conj %b : tensor<2x3x3xcomplex<f64>> -> tensor<2x3x3xcomplex<f64>>
  %p = stablehlo.dot_general %b, %c, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x3x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
  %e = stablehlo.constant dense<[[4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]]> : tensor<3x3xf64>
  %o = stablehlo.constant dense<0.0> : tensor<3x3xf64>
  %i = stablehlo.complex %e, %o : tensor<3x3xcomplex<f64>>
  %s = stablehlo.broadcast_in_dim %i, dims = [1, 2] : (tensor<3x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
  %m = stablehlo.add %p, %s : tensor<2x3x3xcomplex<f64>>
  %0 = stablehlo.cholesky %m, lower = true : tensor<2x3x3xcomplex<f64>>
  %1 = stablehlo.cholesky %m, lower = false : tensor<2x3x3xcomplex<f64>>
  %2 = "stablehlo.triangular_solve"(%m, %r) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>}> : (tensor<2x3x3xcomplex<f64>>, tensor<2x3x2xcomplex<f64>>) -> tensor<2x3x2xcomplex<f64>>
  return %0, %1, %2 : tensor<2x3x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x3x2xcomplex<f64>>
})"},
    {"transforms",
     R"(func.func @main(%a: tensor<2x1xf64>, %b: tensor<3x2xf64>, %c: tensor<2x3xcomplex<f64>>, %d: tensor<3x2x3xcomplex<f64>>) -> (tensor<2x1xcomplex<f64>>, tensor<3x2xcomplex<f64>>, tensor<2x5xf64>, tensor<2x4xf64>, tensor<3x2x4xf64>, tensor<2x3xcomplex<f64>>) {
  %0 = stablehlo.fft %a, type = RFFT, length = [1] : (tensor<2x1xf64>) -> tensor<2x1xcomplex<f64>>
  %1 = stablehlo.fft %b, type = RFFT, length = [3, 2] : (tensor<3x2xf64>) -> tensor<3x2xcomplex<f64>>
  %2 = stablehlo.fft %c, type = IRFFT, length = [5] : (tensor<2x3xcomplex<f64>>) -> tensor<2x5xf64>
  %3 = stablehlo.fft %c, type = IRFFT, length = [4] : (tensor<2x3xcomplex<f64>>) -> tensor<2x4xf64>
  %4 = stablehlo.fft %d, type = IRFFT, length = [3, 2, 4] : (tensor<3x2x3xcomplex<f64>>) -> tensor<3x2x4xf64>
  %5 = stablehlo.fft %c, type = IFFT, length = [3] : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xcomplex<f64>>
  return %0, %1, %2, %3, %4, %5 : tensor<2x1xcomplex<f64>>, tensor<3x2xcomplex<f64>>, tensor<2x5xf64>, tensor<2x4xf64>, tensor<3x2x4xf64>, tensor<2x3xcomplex<f64>>
})"},
    {"sorting and scattering",
     R"(func.func @main(%a: tensor<4x3xf64>, %b: tensor<4x3xf64>, %u: tensor<3x2x2xf64>, %p: tensor<3xf64>, %q: tensor<3xf64>) -> (tensor<4x3xf64>, tensor<4x3xf64>, tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>, %w: tensor<f64>):
    %r = stablehlo.compare GT, %x, %y : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<4x3xf64>, tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<4x3xf64>)
  %i = stablehlo.constant dense<[[-1, 2], [3, 1], [2, 1]]> : tensor<3x2xi32>
  %1 = "stablehlo.scatter"(%b, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    stablehlo.return %y : tensor<f64>
  }) : (tensor<4x3xf64>, tensor<3x2xi32>, tensor<3x2x2xf64>) -> tensor<4x3xf64>
  %j = stablehlo.constant dense<[[1], [0], [2]]> : tensor<3x1xi32>
  %2:2 = "stablehlo.scatter"(%p, %q, %j, %q, %p) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>, %z: tensor<f64>, %w: tensor<f64>):
    %3 = stablehlo.multiply %x, %z : tensor<f64>
    %4 = stablehlo.multiply %3, %w : tensor<f64>
    %5 = stablehlo.divide %y, %z : tensor<f64>
    stablehlo.return %4, %5 : tensor<f64>, tensor<f64>
  }) : (tensor<3xf64>, tensor<3xf64>, tensor<3x1xi32>, tensor<3xf64>, tensor<3xf64>) -> (tensor<3xf64>, tensor<3xf64>)
  return %0#0, %0#1, %1, %2#0, %2#1 : tensor<4x3xf64>, tensor<4x3xf64>, tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>
})"}};

}  // namespace partita::testing
