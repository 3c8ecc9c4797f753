// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// f16 and bf16 sums accumulate in f32 and round once: 2048 + 8 * 1 and 256 + 8 * 1 would lose every 1 in their own type.
module @half_precision attributes {mr.placements = {clients = 9}} {
  func.func public @main(%h: tensor<9x2xf16>, %b: tensor<9xbf16>) -> (tensor<2xf16>, tensor<2xf16>, tensor<bf16>, tensor<2xf16>) {
    %sum = "mr.reduce_sum"(%h) {placement = "clients"} : (tensor<9x2xf16>) -> tensor<2xf16>
    %mean = "mr.reduce_mean"(%h) {placement = "clients"} : (tensor<9x2xf16>) -> tensor<2xf16>
    %b_sum = "mr.reduce_sum"(%b) {placement = "clients"} : (tensor<9xbf16>) -> tensor<bf16>
    %max = "mr.reduce_max"(%h) {placement = "clients"} : (tensor<9x2xf16>) -> tensor<2xf16>
    return %sum, %mean, %b_sum, %max : tensor<2xf16>, tensor<2xf16>, tensor<bf16>, tensor<2xf16>
  }
}
