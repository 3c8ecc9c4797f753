// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A map whose body calls a function that calls another; the second is also called outside. The sum of 2*x^2 + 1.
module @call_in_map attributes {mr.placements = {clients = 6}} {
  func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @body(%x: tensor<2xf32>) -> tensor<2xf32> {
    %one = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %0 = call @square(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.add %0, %0 : tensor<2xf32>
    %2 = stablehlo.add %1, %one : tensor<2xf32>
    return %2 : tensor<2xf32>
  }
  func.func public @main(%x: tensor<6x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %mapped = "mr.map"(%x) ({
    ^bb0(%own: tensor<2xf32>):
      %0 = func.call @body(%own) : (tensor<2xf32>) -> tensor<2xf32>
      "mr.return"(%0) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<6x2xf32>) -> tensor<6x2xf32>
    %sum = "mr.reduce_sum"(%mapped) {placement = "clients"} : (tensor<6x2xf32>) -> tensor<2xf32>
    %squared = call @square(%sum) : (tensor<2xf32>) -> tensor<2xf32>
    return %sum, %squared : tensor<2xf32>, tensor<2xf32>
  }
}
