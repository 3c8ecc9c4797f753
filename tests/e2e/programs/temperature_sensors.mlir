// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Temperature sensors: the share of readings above a threshold, over 100 and over 20 sensors: 0.75, 0.8 and 0.5.
module @temperature_sensors attributes {mr.placements = {sensors = 100, rooms = 20}} {
  func.func public @main(%limit: tensor<f32>, %reading: tensor<100xf32>, %room_limit: tensor<f32>, %room_reading: tensor<20xf32>, %middle: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %limits = "mr.broadcast"(%limit) {placement = "sensors"} : (tensor<f32>) -> tensor<100xf32>
    %above = "mr.map"(%limits, %reading) ({
    ^bb0(%t: tensor<f32>, %r: tensor<f32>):
      %0 = stablehlo.compare GT, %r, %t, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "sensors", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
    %share = "mr.reduce_mean"(%above) {placement = "sensors"} : (tensor<100xf32>) -> tensor<f32>
    %room_limits = "mr.broadcast"(%room_limit) {placement = "rooms"} : (tensor<f32>) -> tensor<20xf32>
    %room_above = "mr.map"(%room_limits, %room_reading) ({
    ^bb0(%t: tensor<f32>, %r: tensor<f32>):
      %0 = stablehlo.compare GT, %r, %t, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "rooms", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %room_share = "mr.reduce_mean"(%room_above) {placement = "rooms"} : (tensor<20xf32>) -> tensor<f32>
    // The threshold as an operand that is the same for all.
    %above_middle = "mr.map"(%middle, %reading) ({
    ^bb0(%t: tensor<f32>, %r: tensor<f32>):
      %0 = stablehlo.compare GT, %r, %t, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<f32>
      "mr.return"(%1) : (tensor<f32>) -> ()
    }) {placement = "sensors", in_axes = array<i64: -1, 0>, out_axes = array<i64: 0>} : (tensor<f32>, tensor<100xf32>) -> tensor<100xf32>
    %half = "mr.reduce_mean"(%above_middle) {placement = "sensors"} : (tensor<100xf32>) -> tensor<f32>
    return %share, %room_share, %half : tensor<f32>, tensor<f32>, tensor<f32>
  }
}
