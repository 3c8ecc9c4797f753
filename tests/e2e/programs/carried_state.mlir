// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rounds whose clients keep state: momentum from zeros, and two arrays from an index and from data that change places each round.
// None of it is gathered: one sum a round, one at the end.
module @carried_state attributes {mr.placements = {clients = 5}} {
  func.func public @main(%model: tensor<3xf32>, %data: tensor<5x3xf32>, %rounds: tensor<i32>) -> (tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>) {
    %first = stablehlo.constant dense<0> : tensor<i32>
    %still = stablehlo.constant dense<0.000000e+00> : tensor<5x3xf32>
    %index = stablehlo.iota dim = 0 : tensor<5x3xf32>
    %end:5 = stablehlo.while(%round = %first, %now = %model, %v = %still, %a = %index, %b = %data) : tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
    cond {
      %more = stablehlo.compare LT, %round, %rounds, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %models = "mr.broadcast"(%now) {placement = "clients"} : (tensor<3xf32>) -> tensor<5x3xf32>
      %trained:2 = "mr.map"(%models, %v, %a) ({
      ^bb0(%x: tensor<3xf32>, %momentum: tensor<3xf32>, %y: tensor<3xf32>):
        %half = stablehlo.constant dense<5.000000e-01> : tensor<3xf32>
        %0 = stablehlo.subtract %x, %y : tensor<3xf32>
        %1 = stablehlo.multiply %half, %momentum : tensor<3xf32>
        %2 = stablehlo.add %0, %1 : tensor<3xf32>
        %3 = stablehlo.multiply %half, %2 : tensor<3xf32>
        %4 = stablehlo.subtract %x, %3 : tensor<3xf32>
        "mr.return"(%4, %2) : (tensor<3xf32>, tensor<3xf32>) -> ()
      }) {placement = "clients", in_axes = array<i64: 0, 0, 0>, out_axes = array<i64: 0, 0>} : (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>)
      %mean = "mr.reduce_mean"(%trained#0) {placement = "clients"} : (tensor<5x3xf32>) -> tensor<3xf32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %following = stablehlo.add %round, %one : tensor<i32>
      stablehlo.return %following, %mean, %trained#1, %b, %a : tensor<i32>, tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>
    }
    %products = "mr.map"(%end#2, %end#4) ({
    ^bb0(%p: tensor<3xf32>, %q: tensor<3xf32>):
      %5 = stablehlo.multiply %p, %q : tensor<3xf32>
      "mr.return"(%5) : (tensor<3xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    %sum = "mr.reduce_sum"(%products) {placement = "clients"} : (tensor<5x3xf32>) -> tensor<3xf32>
    return %end#1, %end#2, %end#3, %sum : tensor<3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>
  }
}
