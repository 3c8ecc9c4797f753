// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A comparator that orders nothing still gives a permutation, the same on every target: constants
// leave or reverse the elements, and no element is lost where NaN is less than nothing.
func.func @never() {
  %i = stablehlo.iota dim = 0 : tensor<300xi32>
  %k = stablehlo.constant dense<7919> : tensor<300xi32>
  %m = stablehlo.constant dense<101> : tensor<300xi32>
  %0 = stablehlo.multiply %i, %k : tensor<300xi32>
  %1 = stablehlo.remainder %0, %m : tensor<300xi32>
  %x = stablehlo.convert %1 : (tensor<300xi32>) -> tensor<300xf32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xf32>, tensor<300xi32>) -> (tensor<300xf32>, tensor<300xi32>)
  check.expect_eq %s#0, %x : tensor<300xf32>
  check.expect_eq %s#1, %i : tensor<300xi32>
  return
}
func.func @always() {
  %i = stablehlo.iota dim = 0 : tensor<300xi32>
  %k = stablehlo.constant dense<7919> : tensor<300xi32>
  %m = stablehlo.constant dense<101> : tensor<300xi32>
  %0 = stablehlo.multiply %i, %k : tensor<300xi32>
  %1 = stablehlo.remainder %0, %m : tensor<300xi32>
  %x = stablehlo.convert %1 : (tensor<300xi32>) -> tensor<300xf32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xf32>, tensor<300xi32>) -> (tensor<300xf32>, tensor<300xi32>)
  %back = stablehlo.reverse %i, dims = [0] : tensor<300xi32>
  check.expect_eq %s#1, %back : tensor<300xi32>
  return
}
func.func @not_a_number_among_numbers() {
  %i = stablehlo.iota dim = 0 : tensor<300xi32>
  %k = stablehlo.constant dense<7919> : tensor<300xi32>
  %m = stablehlo.constant dense<101> : tensor<300xi32>
  %0 = stablehlo.multiply %i, %k : tensor<300xi32>
  %1 = stablehlo.remainder %0, %m : tensor<300xi32>
  %x = stablehlo.convert %1 : (tensor<300xi32>) -> tensor<300xf32>
  %five = stablehlo.constant dense<5.0> : tensor<300xf32>
  %y = stablehlo.remainder %x, %five : tensor<300xf32>
  %z = stablehlo.divide %y, %y : tensor<300xf32>
  %a = stablehlo.multiply %z, %x : tensor<300xf32>
  %s:2 = "stablehlo.sort"(%a, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xf32>, tensor<300xi32>) -> (tensor<300xf32>, tensor<300xi32>)
  %all = "stablehlo.sort"(%s#1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xi32>) -> tensor<300xi32>
  check.expect_eq %all, %i : tensor<300xi32>
  return
}
func.func @one_that_goes_round() {
  %i = stablehlo.iota dim = 0 : tensor<300xi32>
  %k = stablehlo.constant dense<7919> : tensor<300xi32>
  %m = stablehlo.constant dense<101> : tensor<300xi32>
  %0 = stablehlo.multiply %i, %k : tensor<300xi32>
  %1 = stablehlo.remainder %0, %m : tensor<300xi32>
  %x = stablehlo.convert %1 : (tensor<300xi32>) -> tensor<300xf32>
  %s:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>, %u: tensor<i32>, %v: tensor<i32>):
    %f = stablehlo.constant dense<40503> : tensor<i32>
    %b = stablehlo.constant dense<1024> : tensor<i32>
    %d = stablehlo.subtract %u, %v : tensor<i32>
    %h = stablehlo.multiply %d, %f : tensor<i32>
    %j = stablehlo.and %h, %b : tensor<i32>
    %r = stablehlo.compare EQ, %j, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xf32>, tensor<300xi32>) -> (tensor<300xf32>, tensor<300xi32>)
  %all = "stablehlo.sort"(%s#1) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %r = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }) : (tensor<300xi32>) -> tensor<300xi32>
  check.expect_eq %all, %i : tensor<300xi32>
  return
}
