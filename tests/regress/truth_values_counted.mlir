// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How many of a few elements fulfil something, and the largest truth value of a few, as small integers.
func.func public @main(%x: tensor<3x4xi8>, %y: tensor<5x8xui16>, %z: tensor<8xi1>, %w: tensor<4xui16>, %w0: tensor<ui16>) -> (tensor<3xi8>, tensor<5xui16>, tensor<3xi8>, tensor<ui8>, tensor<ui16>) {
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %zeros = stablehlo.constant dense<0> : tensor<3x4xi8>
  %is = stablehlo.compare NE, %x, %zeros : (tensor<3x4xi8>, tensor<3x4xi8>) -> tensor<3x4xi1>
  %ones = stablehlo.convert %is : (tensor<3x4xi1>) -> tensor<3x4xi8>
  %count = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi8>, tensor<i8>) -> tensor<3xi8>
  %none = stablehlo.constant dense<0> : tensor<ui16>
  %one = stablehlo.constant dense<1> : tensor<5x8xui16>
  %least = stablehlo.minimum %y, %one : tensor<5x8xui16>
  %some = stablehlo.reduce(%least init: %none) applies stablehlo.add across dimensions = [1] : (tensor<5x8xui16>, tensor<ui16>) -> tensor<5xui16>
  %signs = stablehlo.sign %x : tensor<3x4xi8>
  %largest = stablehlo.reduce(%signs init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<3x4xi8>, tensor<i8>) -> tensor<3xi8>
  %bytes = stablehlo.convert %z : (tensor<8xi1>) -> tensor<8xui8>
  %first = stablehlo.slice %bytes [0:4] : (tensor<8xui8>) -> tensor<4xui8>
  %begin = stablehlo.constant dense<0> : tensor<ui8>
  %best:2 = "stablehlo.reduce"(%first, %w, %begin, %w0) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<ui8>, %k: tensor<ui16>, %b: tensor<ui8>, %l: tensor<ui16>):
    %gt = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %eq = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    %lt = stablehlo.compare LT, %k, %l : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
    %and = stablehlo.and %eq, %lt : tensor<i1>
    %or = stablehlo.or %gt, %and : tensor<i1>
    %value = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<ui8>
    %place = stablehlo.select %or, %k, %l : tensor<i1>, tensor<ui16>
    stablehlo.return %value, %place : tensor<ui8>, tensor<ui16>
  }) : (tensor<4xui8>, tensor<4xui16>, tensor<ui8>, tensor<ui16>) -> (tensor<ui8>, tensor<ui16>)
  return %count, %some, %largest, %best#0, %best#1 : tensor<3xi8>, tensor<5xui16>, tensor<3xi8>, tensor<ui8>, tensor<ui16>
}
