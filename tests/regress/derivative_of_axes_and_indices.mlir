// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of a function whose maps have other axes than 0, none, or no attributes, and ask for the partition of a map
// around them.
module attributes {mr.placements = {clients = 3, hosts = 2}} {
func.func private @f(%x: tensor<2xf32>, %d: tensor<2x3xf32>, %h: tensor<2x3xf32>) -> tensor<f32> {
  %0 = "mr.map"(%x, %d) ({
  ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
    %i = "mr.partition_index"() {placement = "clients"} : () -> tensor<i32>
    %fi = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
    %fb = stablehlo.broadcast_in_dim %fi, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %1 = stablehlo.multiply %p, %q : tensor<2xf32>
    %2 = stablehlo.add %1, %fb : tensor<2xf32>
    %3 = stablehlo.multiply %2, %2 : tensor<2xf32>
    "mr.return"(%3) : (tensor<2xf32>) -> ()
  }) {placement = "clients", in_axes = array<i64: -1, 1>, out_axes = array<i64: 1>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %hh = "mr.map"(%h, %x) ({
  ^bb0(%a: tensor<3xf32>, %xx: tensor<2xf32>):
    %u = "mr.map"(%a) ({
    ^bb1(%b: tensor<f32>):
      %i = "mr.partition_index"() {placement = "hosts"} : () -> tensor<i32>
      %fi = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>
      %e = stablehlo.exponential %b : tensor<f32>
      %k = stablehlo.multiply %e, %fi : tensor<f32>
      "mr.return"(%k) : (tensor<f32>) -> ()
    }) {placement = "clients"} : (tensor<3xf32>) -> tensor<3xf32>
    %s = "mr.reduce_sum"(%u) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %xs = stablehlo.reduce(%xx init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %o = stablehlo.multiply %s, %xs : tensor<f32>
    "mr.return"(%o) : (tensor<f32>) -> ()
  }) {placement = "hosts", in_axes = array<i64: 0, -1>, out_axes = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  %hs = "mr.reduce_mean"(%hh) {placement = "hosts"} : (tensor<2xf32>) -> tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.add %4, %hs : tensor<f32>
  return %5 : tensor<f32>
}
func.func public @main() {
  %x = stablehlo.constant dense<[1.0, -0.5]> : tensor<2xf32>
  %d = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, -6.0]]> : tensor<2x3xf32>
  %h = stablehlo.constant dense<[[0.1, 0.2, 0.3], [0.4, 0.5, -0.6]]> : tensor<2x3xf32>
  %g:3 = "mr.grad"(%x, %d, %h) {callee = @f, wrt = array<i64: 0, 1, 2>} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %k:3 = "mr.grad"(%x, %d, %h) {callee = @f, wrt = array<i64: 0, 1, 2>, mode = "forward"} : (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  check.expect_almost_eq %g#0, %k#0 : tensor<2xf32>
  check.expect_almost_eq %g#1, %k#1 : tensor<2x3xf32>
  check.expect_almost_eq %g#2, %k#2 : tensor<2x3xf32>
  check.expect_almost_eq_const %g#1, dense<[[2.0, 6.0, 10.0], [2.0, 1.5, -5.0]]> : tensor<2x3xf32>
  return
}
}
