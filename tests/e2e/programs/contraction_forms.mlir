// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Contractions and what is done with them, against sums of products: sizes that no tile divides,
// operands and results along every dimension.  All numbers are small integers, so sums are exact.
module @contraction_forms {
  func.func @bias_and_rectifier_beyond_whole_tiles() {
    %0 = stablehlo.iota dim = 0 : tensor<1035xi32>
    %1 = stablehlo.constant dense<7> : tensor<1035xi32>
    %2 = stablehlo.constant dense<11> : tensor<1035xi32>
    %3 = stablehlo.constant dense<5> : tensor<1035xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<1035xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<1035xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<1035xi32>
    %7 = stablehlo.convert %6 : (tensor<1035xi32>) -> tensor<1035xf32>
    %8 = stablehlo.reshape %7 : (tensor<1035xf32>) -> tensor<23x45xf32>
    %9 = stablehlo.iota dim = 0 : tensor<1665xi32>
    %10 = stablehlo.constant dense<5> : tensor<1665xi32>
    %11 = stablehlo.constant dense<13> : tensor<1665xi32>
    %12 = stablehlo.constant dense<6> : tensor<1665xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<1665xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<1665xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<1665xi32>
    %16 = stablehlo.convert %15 : (tensor<1665xi32>) -> tensor<1665xf32>
    %17 = stablehlo.reshape %16 : (tensor<1665xf32>) -> tensor<45x37xf32>
    %18 = stablehlo.iota dim = 0 : tensor<37xi32>
    %19 = stablehlo.constant dense<3> : tensor<37xi32>
    %20 = stablehlo.constant dense<7> : tensor<37xi32>
    %21 = stablehlo.constant dense<3> : tensor<37xi32>
    %22 = stablehlo.multiply %18, %19 : tensor<37xi32>
    %23 = stablehlo.remainder %22, %20 : tensor<37xi32>
    %24 = stablehlo.subtract %23, %21 : tensor<37xi32>
    %25 = stablehlo.convert %24 : (tensor<37xi32>) -> tensor<37xf32>
    %26 = stablehlo.reshape %25 : (tensor<37xf32>) -> tensor<37xf32>
    %27 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [0] : (tensor<23x45xf32>, tensor<45x37xf32>) -> tensor<23x37xf32>
    %28 = stablehlo.broadcast_in_dim %26, dims = [1] : (tensor<37xf32>) -> tensor<23x37xf32>
    %29 = stablehlo.constant dense<0.0> : tensor<23x37xf32>
    %30 = stablehlo.add %27, %28 : tensor<23x37xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<23x37xf32>
    %32 = stablehlo.compare GT, %30, %29 : (tensor<23x37xf32>, tensor<23x37xf32>) -> tensor<23x37xi1>
    %33 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<23x45xf32>) -> tensor<23x45x37xf32>
    %34 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<45x37xf32>) -> tensor<23x45x37xf32>
    %35 = stablehlo.multiply %33, %34 : tensor<23x45x37xf32>
    %36 = stablehlo.constant dense<0.0> : tensor<f32>
    %37 = stablehlo.reduce(%35 init: %36) applies stablehlo.add across dimensions = [1] : (tensor<23x45x37xf32>, tensor<f32>) -> tensor<23x37xf32>
    %38 = stablehlo.add %37, %28 : tensor<23x37xf32>
    %39 = stablehlo.maximum %38, %29 : tensor<23x37xf32>
    %40 = stablehlo.compare GT, %38, %29 : (tensor<23x37xf32>, tensor<23x37xf32>) -> tensor<23x37xi1>
    check.expect_eq %31, %39 : tensor<23x37xf32>
    check.expect_eq %32, %40 : tensor<23x37xi1>
    return
  }
  func.func @steps_of_a_transposed_gradient() {
    %0 = stablehlo.iota dim = 0 : tensor<203xi32>
    %1 = stablehlo.constant dense<7> : tensor<203xi32>
    %2 = stablehlo.constant dense<11> : tensor<203xi32>
    %3 = stablehlo.constant dense<5> : tensor<203xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<203xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<203xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<203xi32>
    %7 = stablehlo.convert %6 : (tensor<203xi32>) -> tensor<203xf32>
    %8 = stablehlo.reshape %7 : (tensor<203xf32>) -> tensor<7x29xf32>
    %9 = stablehlo.iota dim = 0 : tensor<133xi32>
    %10 = stablehlo.constant dense<5> : tensor<133xi32>
    %11 = stablehlo.constant dense<13> : tensor<133xi32>
    %12 = stablehlo.constant dense<6> : tensor<133xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<133xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<133xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<133xi32>
    %16 = stablehlo.convert %15 : (tensor<133xi32>) -> tensor<133xf32>
    %17 = stablehlo.reshape %16 : (tensor<133xf32>) -> tensor<7x19xf32>
    %18 = stablehlo.iota dim = 0 : tensor<551xi32>
    %19 = stablehlo.constant dense<3> : tensor<551xi32>
    %20 = stablehlo.constant dense<17> : tensor<551xi32>
    %21 = stablehlo.constant dense<8> : tensor<551xi32>
    %22 = stablehlo.multiply %18, %19 : tensor<551xi32>
    %23 = stablehlo.remainder %22, %20 : tensor<551xi32>
    %24 = stablehlo.subtract %23, %21 : tensor<551xi32>
    %25 = stablehlo.convert %24 : (tensor<551xi32>) -> tensor<551xf32>
    %26 = stablehlo.reshape %25 : (tensor<551xf32>) -> tensor<29x19xf32>
    %27 = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.constant dense<1> : tensor<i32>
    %29 = stablehlo.constant dense<3> : tensor<i32>
    %30 = stablehlo.constant dense<2.0> : tensor<29x19xf32>
    %31:2 = stablehlo.while(%i = %27, %w = %26) : tensor<i32>, tensor<29x19xf32>
    cond {
      %c = stablehlo.compare LT, %i, %29 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %d = stablehlo.dot_general %17, %8, contracting_dims = [0] x [0] : (tensor<7x19xf32>, tensor<7x29xf32>) -> tensor<19x29xf32>
      %t = stablehlo.transpose %d, dims = [1, 0] : (tensor<19x29xf32>) -> tensor<29x19xf32>
      %s = stablehlo.multiply %30, %t : tensor<29x19xf32>
      %v = stablehlo.subtract %w, %s : tensor<29x19xf32>
      %j = stablehlo.add %i, %28 : tensor<i32>
      stablehlo.return %j, %v : tensor<i32>, tensor<29x19xf32>
    }
    %32 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<7x29xf32>) -> tensor<7x29x19xf32>
    %33 = stablehlo.broadcast_in_dim %17, dims = [0, 2] : (tensor<7x19xf32>) -> tensor<7x29x19xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<7x29x19xf32>
    %35 = stablehlo.constant dense<0.0> : tensor<f32>
    %36 = stablehlo.reduce(%34 init: %35) applies stablehlo.add across dimensions = [0] : (tensor<7x29x19xf32>, tensor<f32>) -> tensor<29x19xf32>
    %37 = stablehlo.constant dense<6.0> : tensor<29x19xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<29x19xf32>
    %39 = stablehlo.subtract %26, %38 : tensor<29x19xf32>
    check.expect_eq %31#1, %39 : tensor<29x19xf32>
    return
  }
  func.func @masked_product_with_a_transposed_matrix() {
    %0 = stablehlo.iota dim = 0 : tensor<189xi32>
    %1 = stablehlo.constant dense<7> : tensor<189xi32>
    %2 = stablehlo.constant dense<11> : tensor<189xi32>
    %3 = stablehlo.constant dense<5> : tensor<189xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<189xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<189xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<189xi32>
    %7 = stablehlo.convert %6 : (tensor<189xi32>) -> tensor<189xf32>
    %8 = stablehlo.reshape %7 : (tensor<189xf32>) -> tensor<9x21xf32>
    %9 = stablehlo.iota dim = 0 : tensor<273xi32>
    %10 = stablehlo.constant dense<5> : tensor<273xi32>
    %11 = stablehlo.constant dense<13> : tensor<273xi32>
    %12 = stablehlo.constant dense<6> : tensor<273xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<273xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<273xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<273xi32>
    %16 = stablehlo.convert %15 : (tensor<273xi32>) -> tensor<273xf32>
    %17 = stablehlo.reshape %16 : (tensor<273xf32>) -> tensor<13x21xf32>
    %18 = stablehlo.iota dim = 0 : tensor<117xi32>
    %19 = stablehlo.constant dense<3> : tensor<117xi32>
    %20 = stablehlo.constant dense<5> : tensor<117xi32>
    %21 = stablehlo.constant dense<2> : tensor<117xi32>
    %22 = stablehlo.multiply %18, %19 : tensor<117xi32>
    %23 = stablehlo.remainder %22, %20 : tensor<117xi32>
    %24 = stablehlo.subtract %23, %21 : tensor<117xi32>
    %25 = stablehlo.convert %24 : (tensor<117xi32>) -> tensor<117xf32>
    %26 = stablehlo.reshape %25 : (tensor<117xf32>) -> tensor<9x13xf32>
    %27 = stablehlo.constant dense<0.0> : tensor<9x13xf32>
    %28 = stablehlo.compare GT, %26, %27 : (tensor<9x13xf32>, tensor<9x13xf32>) -> tensor<9x13xi1>
    %29 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [1] : (tensor<9x21xf32>, tensor<13x21xf32>) -> tensor<9x13xf32>
    %30 = stablehlo.select %28, %29, %27 : tensor<9x13xi1>, tensor<9x13xf32>
    %31 = stablehlo.broadcast_in_dim %8, dims = [0, 2] : (tensor<9x21xf32>) -> tensor<9x13x21xf32>
    %32 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<13x21xf32>) -> tensor<9x13x21xf32>
    %33 = stablehlo.multiply %31, %32 : tensor<9x13x21xf32>
    %34 = stablehlo.constant dense<0.0> : tensor<f32>
    %35 = stablehlo.reduce(%33 init: %34) applies stablehlo.add across dimensions = [2] : (tensor<9x13x21xf32>, tensor<f32>) -> tensor<9x13xf32>
    %36 = stablehlo.select %28, %35, %27 : tensor<9x13xi1>, tensor<9x13xf32>
    check.expect_eq %30, %36 : tensor<9x13xf32>
    return
  }
  func.func @batches_in_another_order() {
    %0 = stablehlo.iota dim = 0 : tensor<135xi32>
    %1 = stablehlo.constant dense<7> : tensor<135xi32>
    %2 = stablehlo.constant dense<11> : tensor<135xi32>
    %3 = stablehlo.constant dense<5> : tensor<135xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<135xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<135xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<135xi32>
    %7 = stablehlo.convert %6 : (tensor<135xi32>) -> tensor<135xf32>
    %8 = stablehlo.reshape %7 : (tensor<135xf32>) -> tensor<3x5x9xf32>
    %9 = stablehlo.iota dim = 0 : tensor<459xi32>
    %10 = stablehlo.constant dense<5> : tensor<459xi32>
    %11 = stablehlo.constant dense<13> : tensor<459xi32>
    %12 = stablehlo.constant dense<6> : tensor<459xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<459xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<459xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<459xi32>
    %16 = stablehlo.convert %15 : (tensor<459xi32>) -> tensor<459xf32>
    %17 = stablehlo.reshape %16 : (tensor<459xf32>) -> tensor<3x9x17xf32>
    %18 = stablehlo.dot_general %8, %17, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x9xf32>, tensor<3x9x17xf32>) -> tensor<3x5x17xf32>
    %19 = stablehlo.transpose %18, dims = [1, 2, 0] : (tensor<3x5x17xf32>) -> tensor<5x17x3xf32>
    %20 = stablehlo.negate %19 : tensor<5x17x3xf32>
    %21 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<3x5x9xf32>) -> tensor<3x5x9x17xf32>
    %22 = stablehlo.broadcast_in_dim %17, dims = [0, 2, 3] : (tensor<3x9x17xf32>) -> tensor<3x5x9x17xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<3x5x9x17xf32>
    %24 = stablehlo.constant dense<0.0> : tensor<f32>
    %25 = stablehlo.reduce(%23 init: %24) applies stablehlo.add across dimensions = [2] : (tensor<3x5x9x17xf32>, tensor<f32>) -> tensor<3x5x17xf32>
    %26 = stablehlo.transpose %25, dims = [1, 2, 0] : (tensor<3x5x17xf32>) -> tensor<5x17x3xf32>
    %27 = stablehlo.negate %26 : tensor<5x17x3xf32>
    check.expect_eq %20, %27 : tensor<5x17x3xf32>
    return
  }
  func.func @results_of_other_types() {
    %0 = stablehlo.iota dim = 0 : tensor<84xi32>
    %1 = stablehlo.constant dense<7> : tensor<84xi32>
    %2 = stablehlo.constant dense<11> : tensor<84xi32>
    %3 = stablehlo.constant dense<5> : tensor<84xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<84xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<84xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<84xi32>
    %7 = stablehlo.convert %6 : (tensor<84xi32>) -> tensor<84xf64>
    %8 = stablehlo.reshape %7 : (tensor<84xf64>) -> tensor<14x6xf64>
    %9 = stablehlo.iota dim = 0 : tensor<300xi32>
    %10 = stablehlo.constant dense<5> : tensor<300xi32>
    %11 = stablehlo.constant dense<13> : tensor<300xi32>
    %12 = stablehlo.constant dense<6> : tensor<300xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<300xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<300xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<300xi32>
    %16 = stablehlo.convert %15 : (tensor<300xi32>) -> tensor<300xf64>
    %17 = stablehlo.reshape %16 : (tensor<300xf64>) -> tensor<6x50xf64>
    %18 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [0] : (tensor<14x6xf64>, tensor<6x50xf64>) -> tensor<14x50xf64>
    %19 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<14x6xf64>) -> tensor<14x6x50xf64>
    %20 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<6x50xf64>) -> tensor<14x6x50xf64>
    %21 = stablehlo.multiply %19, %20 : tensor<14x6x50xf64>
    %22 = stablehlo.constant dense<0.0> : tensor<f64>
    %23 = stablehlo.reduce(%21 init: %22) applies stablehlo.add across dimensions = [1] : (tensor<14x6x50xf64>, tensor<f64>) -> tensor<14x50xf64>
    %24 = stablehlo.tanh %18 : tensor<14x50xf64>
    %25 = stablehlo.convert %24 : (tensor<14x50xf64>) -> tensor<14x50xbf16>
    %26 = stablehlo.tanh %23 : tensor<14x50xf64>
    %27 = stablehlo.convert %26 : (tensor<14x50xf64>) -> tensor<14x50xbf16>
    check.expect_eq %25, %27 : tensor<14x50xbf16>
    %28 = stablehlo.iota dim = 0 : tensor<84xi32>
    %29 = stablehlo.constant dense<7> : tensor<84xi32>
    %30 = stablehlo.constant dense<11> : tensor<84xi32>
    %31 = stablehlo.constant dense<5> : tensor<84xi32>
    %32 = stablehlo.multiply %28, %29 : tensor<84xi32>
    %33 = stablehlo.remainder %32, %30 : tensor<84xi32>
    %34 = stablehlo.subtract %33, %31 : tensor<84xi32>
    %35 = stablehlo.convert %34 : (tensor<84xi32>) -> tensor<84xf32>
    %36 = stablehlo.reshape %35 : (tensor<84xf32>) -> tensor<14x6xf32>
    %37 = stablehlo.iota dim = 0 : tensor<300xi32>
    %38 = stablehlo.constant dense<5> : tensor<300xi32>
    %39 = stablehlo.constant dense<13> : tensor<300xi32>
    %40 = stablehlo.constant dense<6> : tensor<300xi32>
    %41 = stablehlo.multiply %37, %38 : tensor<300xi32>
    %42 = stablehlo.remainder %41, %39 : tensor<300xi32>
    %43 = stablehlo.subtract %42, %40 : tensor<300xi32>
    %44 = stablehlo.convert %43 : (tensor<300xi32>) -> tensor<300xf32>
    %45 = stablehlo.reshape %44 : (tensor<300xf32>) -> tensor<6x50xf32>
    %46 = stablehlo.constant dense<3.0> : tensor<14x50xf32>
    %47 = stablehlo.dot_general %36, %45, contracting_dims = [1] x [0] : (tensor<14x6xf32>, tensor<6x50xf32>) -> tensor<14x50xf32>
    %48 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<14x6xf32>) -> tensor<14x6x50xf32>
    %49 = stablehlo.broadcast_in_dim %45, dims = [1, 2] : (tensor<6x50xf32>) -> tensor<14x6x50xf32>
    %50 = stablehlo.multiply %48, %49 : tensor<14x6x50xf32>
    %51 = stablehlo.constant dense<0.0> : tensor<f32>
    %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [1] : (tensor<14x6x50xf32>, tensor<f32>) -> tensor<14x50xf32>
    %53 = stablehlo.compare LE, %47, %46 : (tensor<14x50xf32>, tensor<14x50xf32>) -> tensor<14x50xi1>
    %54 = stablehlo.compare LE, %52, %46 : (tensor<14x50xf32>, tensor<14x50xf32>) -> tensor<14x50xi1>
    check.expect_eq %53, %54 : tensor<14x50xi1>
    return
  }
  func.func @vectors_and_numbers() {
    %0 = stablehlo.iota dim = 0 : tensor<5xi32>
    %1 = stablehlo.constant dense<7> : tensor<5xi32>
    %2 = stablehlo.constant dense<11> : tensor<5xi32>
    %3 = stablehlo.constant dense<5> : tensor<5xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<5xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<5xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<5xi32>
    %7 = stablehlo.convert %6 : (tensor<5xi32>) -> tensor<5xf32>
    %8 = stablehlo.reshape %7 : (tensor<5xf32>) -> tensor<1x5xf32>
    %9 = stablehlo.iota dim = 0 : tensor<165xi32>
    %10 = stablehlo.constant dense<5> : tensor<165xi32>
    %11 = stablehlo.constant dense<13> : tensor<165xi32>
    %12 = stablehlo.constant dense<6> : tensor<165xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<165xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<165xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<165xi32>
    %16 = stablehlo.convert %15 : (tensor<165xi32>) -> tensor<165xf32>
    %17 = stablehlo.reshape %16 : (tensor<165xf32>) -> tensor<5x33xf32>
    %18 = stablehlo.constant dense<1.0> : tensor<1x33xf32>
    %19 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [0] : (tensor<1x5xf32>, tensor<5x33xf32>) -> tensor<1x33xf32>
    %20 = stablehlo.add %19, %18 : tensor<1x33xf32>
    %21 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<1x5x33xf32>
    %22 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<5x33xf32>) -> tensor<1x5x33xf32>
    %23 = stablehlo.multiply %21, %22 : tensor<1x5x33xf32>
    %24 = stablehlo.constant dense<0.0> : tensor<f32>
    %25 = stablehlo.reduce(%23 init: %24) applies stablehlo.add across dimensions = [1] : (tensor<1x5x33xf32>, tensor<f32>) -> tensor<1x33xf32>
    %26 = stablehlo.add %25, %18 : tensor<1x33xf32>
    check.expect_eq %20, %26 : tensor<1x33xf32>
    %27 = stablehlo.iota dim = 0 : tensor<1155xi32>
    %28 = stablehlo.constant dense<7> : tensor<1155xi32>
    %29 = stablehlo.constant dense<11> : tensor<1155xi32>
    %30 = stablehlo.constant dense<5> : tensor<1155xi32>
    %31 = stablehlo.multiply %27, %28 : tensor<1155xi32>
    %32 = stablehlo.remainder %31, %29 : tensor<1155xi32>
    %33 = stablehlo.subtract %32, %30 : tensor<1155xi32>
    %34 = stablehlo.convert %33 : (tensor<1155xi32>) -> tensor<1155xf32>
    %35 = stablehlo.reshape %34 : (tensor<1155xf32>) -> tensor<33x35xf32>
    %36 = stablehlo.iota dim = 0 : tensor<35xi32>
    %37 = stablehlo.constant dense<5> : tensor<35xi32>
    %38 = stablehlo.constant dense<13> : tensor<35xi32>
    %39 = stablehlo.constant dense<6> : tensor<35xi32>
    %40 = stablehlo.multiply %36, %37 : tensor<35xi32>
    %41 = stablehlo.remainder %40, %38 : tensor<35xi32>
    %42 = stablehlo.subtract %41, %39 : tensor<35xi32>
    %43 = stablehlo.convert %42 : (tensor<35xi32>) -> tensor<35xf32>
    %44 = stablehlo.reshape %43 : (tensor<35xf32>) -> tensor<35x1xf32>
    %45 = stablehlo.constant dense<1.0> : tensor<33x1xf32>
    %46 = stablehlo.dot_general %35, %44, contracting_dims = [1] x [0] : (tensor<33x35xf32>, tensor<35x1xf32>) -> tensor<33x1xf32>
    %47 = stablehlo.add %46, %45 : tensor<33x1xf32>
    %48 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<33x35xf32>) -> tensor<33x35x1xf32>
    %49 = stablehlo.broadcast_in_dim %44, dims = [1, 2] : (tensor<35x1xf32>) -> tensor<33x35x1xf32>
    %50 = stablehlo.multiply %48, %49 : tensor<33x35x1xf32>
    %51 = stablehlo.constant dense<0.0> : tensor<f32>
    %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [1] : (tensor<33x35x1xf32>, tensor<f32>) -> tensor<33x1xf32>
    %53 = stablehlo.add %52, %45 : tensor<33x1xf32>
    check.expect_eq %47, %53 : tensor<33x1xf32>
    %54 = stablehlo.iota dim = 0 : tensor<40xi32>
    %55 = stablehlo.constant dense<7> : tensor<40xi32>
    %56 = stablehlo.constant dense<11> : tensor<40xi32>
    %57 = stablehlo.constant dense<5> : tensor<40xi32>
    %58 = stablehlo.multiply %54, %55 : tensor<40xi32>
    %59 = stablehlo.remainder %58, %56 : tensor<40xi32>
    %60 = stablehlo.subtract %59, %57 : tensor<40xi32>
    %61 = stablehlo.convert %60 : (tensor<40xi32>) -> tensor<40xf32>
    %62 = stablehlo.reshape %61 : (tensor<40xf32>) -> tensor<1x40xf32>
    %63 = stablehlo.iota dim = 0 : tensor<40xi32>
    %64 = stablehlo.constant dense<5> : tensor<40xi32>
    %65 = stablehlo.constant dense<13> : tensor<40xi32>
    %66 = stablehlo.constant dense<6> : tensor<40xi32>
    %67 = stablehlo.multiply %63, %64 : tensor<40xi32>
    %68 = stablehlo.remainder %67, %65 : tensor<40xi32>
    %69 = stablehlo.subtract %68, %66 : tensor<40xi32>
    %70 = stablehlo.convert %69 : (tensor<40xi32>) -> tensor<40xf32>
    %71 = stablehlo.reshape %70 : (tensor<40xf32>) -> tensor<40x1xf32>
    %72 = stablehlo.constant dense<1.0> : tensor<1x1xf32>
    %73 = stablehlo.dot_general %62, %71, contracting_dims = [1] x [0] : (tensor<1x40xf32>, tensor<40x1xf32>) -> tensor<1x1xf32>
    %74 = stablehlo.add %73, %72 : tensor<1x1xf32>
    %75 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<1x40x1xf32>
    %76 = stablehlo.broadcast_in_dim %71, dims = [1, 2] : (tensor<40x1xf32>) -> tensor<1x40x1xf32>
    %77 = stablehlo.multiply %75, %76 : tensor<1x40x1xf32>
    %78 = stablehlo.constant dense<0.0> : tensor<f32>
    %79 = stablehlo.reduce(%77 init: %78) applies stablehlo.add across dimensions = [1] : (tensor<1x40x1xf32>, tensor<f32>) -> tensor<1x1xf32>
    %80 = stablehlo.add %79, %72 : tensor<1x1xf32>
    check.expect_eq %74, %80 : tensor<1x1xf32>
    %81 = stablehlo.iota dim = 0 : tensor<13xi32>
    %82 = stablehlo.constant dense<7> : tensor<13xi32>
    %83 = stablehlo.constant dense<11> : tensor<13xi32>
    %84 = stablehlo.constant dense<5> : tensor<13xi32>
    %85 = stablehlo.multiply %81, %82 : tensor<13xi32>
    %86 = stablehlo.remainder %85, %83 : tensor<13xi32>
    %87 = stablehlo.subtract %86, %84 : tensor<13xi32>
    %88 = stablehlo.convert %87 : (tensor<13xi32>) -> tensor<13xf32>
    %89 = stablehlo.reshape %88 : (tensor<13xf32>) -> tensor<13x1xf32>
    %90 = stablehlo.iota dim = 0 : tensor<18xi32>
    %91 = stablehlo.constant dense<5> : tensor<18xi32>
    %92 = stablehlo.constant dense<13> : tensor<18xi32>
    %93 = stablehlo.constant dense<6> : tensor<18xi32>
    %94 = stablehlo.multiply %90, %91 : tensor<18xi32>
    %95 = stablehlo.remainder %94, %92 : tensor<18xi32>
    %96 = stablehlo.subtract %95, %93 : tensor<18xi32>
    %97 = stablehlo.convert %96 : (tensor<18xi32>) -> tensor<18xf32>
    %98 = stablehlo.reshape %97 : (tensor<18xf32>) -> tensor<1x18xf32>
    %99 = stablehlo.constant dense<1.0> : tensor<13x18xf32>
    %100 = stablehlo.dot_general %89, %98, contracting_dims = [1] x [0] : (tensor<13x1xf32>, tensor<1x18xf32>) -> tensor<13x18xf32>
    %101 = stablehlo.add %100, %99 : tensor<13x18xf32>
    %102 = stablehlo.broadcast_in_dim %89, dims = [0, 1] : (tensor<13x1xf32>) -> tensor<13x1x18xf32>
    %103 = stablehlo.broadcast_in_dim %98, dims = [1, 2] : (tensor<1x18xf32>) -> tensor<13x1x18xf32>
    %104 = stablehlo.multiply %102, %103 : tensor<13x1x18xf32>
    %105 = stablehlo.constant dense<0.0> : tensor<f32>
    %106 = stablehlo.reduce(%104 init: %105) applies stablehlo.add across dimensions = [1] : (tensor<13x1x18xf32>, tensor<f32>) -> tensor<13x18xf32>
    %107 = stablehlo.add %106, %99 : tensor<13x18xf32>
    check.expect_eq %101, %107 : tensor<13x18xf32>
    return
  }
  func.func @through_a_reshape_to_a_sum_of_two() {
    %0 = stablehlo.iota dim = 0 : tensor<48xi32>
    %1 = stablehlo.constant dense<7> : tensor<48xi32>
    %2 = stablehlo.constant dense<11> : tensor<48xi32>
    %3 = stablehlo.constant dense<5> : tensor<48xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<48xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<48xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<48xi32>
    %7 = stablehlo.convert %6 : (tensor<48xi32>) -> tensor<48xf32>
    %8 = stablehlo.reshape %7 : (tensor<48xf32>) -> tensor<6x8xf32>
    %9 = stablehlo.iota dim = 0 : tensor<160xi32>
    %10 = stablehlo.constant dense<5> : tensor<160xi32>
    %11 = stablehlo.constant dense<13> : tensor<160xi32>
    %12 = stablehlo.constant dense<6> : tensor<160xi32>
    %13 = stablehlo.multiply %9, %10 : tensor<160xi32>
    %14 = stablehlo.remainder %13, %11 : tensor<160xi32>
    %15 = stablehlo.subtract %14, %12 : tensor<160xi32>
    %16 = stablehlo.convert %15 : (tensor<160xi32>) -> tensor<160xf32>
    %17 = stablehlo.reshape %16 : (tensor<160xf32>) -> tensor<8x20xf32>
    %18 = stablehlo.iota dim = 0 : tensor<160xi32>
    %19 = stablehlo.constant dense<11> : tensor<160xi32>
    %20 = stablehlo.constant dense<7> : tensor<160xi32>
    %21 = stablehlo.constant dense<3> : tensor<160xi32>
    %22 = stablehlo.multiply %18, %19 : tensor<160xi32>
    %23 = stablehlo.remainder %22, %20 : tensor<160xi32>
    %24 = stablehlo.subtract %23, %21 : tensor<160xi32>
    %25 = stablehlo.convert %24 : (tensor<160xi32>) -> tensor<160xf32>
    %26 = stablehlo.reshape %25 : (tensor<160xf32>) -> tensor<8x20xf32>
    %27 = stablehlo.dot_general %8, %17, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x20xf32>) -> tensor<6x20xf32>
    %28 = stablehlo.dot_general %8, %26, contracting_dims = [1] x [0] : (tensor<6x8xf32>, tensor<8x20xf32>) -> tensor<6x20xf32>
    %29 = stablehlo.reshape %27 : (tensor<6x20xf32>) -> tensor<6x4x5xf32>
    %30 = stablehlo.reshape %28 : (tensor<6x20xf32>) -> tensor<6x4x5xf32>
    %31 = stablehlo.add %29, %30 : tensor<6x4x5xf32>
    %32 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x20xf32>
    %33 = stablehlo.broadcast_in_dim %17, dims = [1, 2] : (tensor<8x20xf32>) -> tensor<6x8x20xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<6x8x20xf32>
    %35 = stablehlo.constant dense<0.0> : tensor<f32>
    %36 = stablehlo.reduce(%34 init: %35) applies stablehlo.add across dimensions = [1] : (tensor<6x8x20xf32>, tensor<f32>) -> tensor<6x20xf32>
    %37 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x20xf32>
    %38 = stablehlo.broadcast_in_dim %26, dims = [1, 2] : (tensor<8x20xf32>) -> tensor<6x8x20xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<6x8x20xf32>
    %40 = stablehlo.constant dense<0.0> : tensor<f32>
    %41 = stablehlo.reduce(%39 init: %40) applies stablehlo.add across dimensions = [1] : (tensor<6x8x20xf32>, tensor<f32>) -> tensor<6x20xf32>
    %42 = stablehlo.reshape %36 : (tensor<6x20xf32>) -> tensor<6x4x5xf32>
    %43 = stablehlo.reshape %41 : (tensor<6x20xf32>) -> tensor<6x4x5xf32>
    %44 = stablehlo.add %42, %43 : tensor<6x4x5xf32>
    check.expect_eq %31, %44 : tensor<6x4x5xf32>
    return
  }
  func.func @queries_and_keys_of_heads_in_the_middle() {
    %0 = stablehlo.iota dim = 0 : tensor<12000xi32>
    %1 = stablehlo.constant dense<7> : tensor<12000xi32>
    %2 = stablehlo.constant dense<11> : tensor<12000xi32>
    %3 = stablehlo.constant dense<5> : tensor<12000xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<12000xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<12000xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<12000xi32>
    %7 = stablehlo.convert %6 : (tensor<12000xi32>) -> tensor<12000xf32>
    %a = stablehlo.reshape %7 : (tensor<12000xf32>) -> tensor<2x40x3x50xf32>
    %8 = stablehlo.iota dim = 0 : tensor<13500xi32>
    %9 = stablehlo.constant dense<5> : tensor<13500xi32>
    %10 = stablehlo.constant dense<13> : tensor<13500xi32>
    %11 = stablehlo.constant dense<6> : tensor<13500xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<13500xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<13500xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<13500xi32>
    %15 = stablehlo.convert %14 : (tensor<13500xi32>) -> tensor<13500xf32>
    %b = stablehlo.reshape %15 : (tensor<13500xf32>) -> tensor<2x45x3x50xf32>
    %dot = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x40x3x50xf32>, tensor<2x45x3x50xf32>) -> tensor<2x3x40x45xf32>
    %wa = stablehlo.broadcast_in_dim %a, dims = [0, 2, 1, 4] : (tensor<2x40x3x50xf32>) -> tensor<2x3x40x45x50xf32>
    %wb = stablehlo.broadcast_in_dim %b, dims = [0, 3, 1, 4] : (tensor<2x45x3x50xf32>) -> tensor<2x3x40x45x50xf32>
    %products = stablehlo.multiply %wa, %wb : tensor<2x3x40x45x50xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.reduce(%products init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<2x3x40x45x50xf32>, tensor<f32>) -> tensor<2x3x40x45xf32>
    check.expect_eq %dot, %sums : tensor<2x3x40x45xf32>
    return
  }
  func.func @values_of_heads_in_the_middle() {
    %0 = stablehlo.iota dim = 0 : tensor<11070xi32>
    %1 = stablehlo.constant dense<7> : tensor<11070xi32>
    %2 = stablehlo.constant dense<11> : tensor<11070xi32>
    %3 = stablehlo.constant dense<5> : tensor<11070xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<11070xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<11070xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<11070xi32>
    %7 = stablehlo.convert %6 : (tensor<11070xi32>) -> tensor<11070xf64>
    %a = stablehlo.reshape %7 : (tensor<11070xf64>) -> tensor<2x45x3x41xf64>
    %8 = stablehlo.iota dim = 0 : tensor<13770xi32>
    %9 = stablehlo.constant dense<5> : tensor<13770xi32>
    %10 = stablehlo.constant dense<13> : tensor<13770xi32>
    %11 = stablehlo.constant dense<6> : tensor<13770xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<13770xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<13770xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<13770xi32>
    %15 = stablehlo.convert %14 : (tensor<13770xi32>) -> tensor<13770xf64>
    %b = stablehlo.reshape %15 : (tensor<13770xf64>) -> tensor<2x3x51x45xf64>
    %dot = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3] : (tensor<2x45x3x41xf64>, tensor<2x3x51x45xf64>) -> tensor<2x3x41x51xf64>
    %wa = stablehlo.broadcast_in_dim %a, dims = [0, 4, 1, 2] : (tensor<2x45x3x41xf64>) -> tensor<2x3x41x51x45xf64>
    %wb = stablehlo.broadcast_in_dim %b, dims = [0, 1, 3, 4] : (tensor<2x3x51x45xf64>) -> tensor<2x3x41x51x45xf64>
    %products = stablehlo.multiply %wa, %wb : tensor<2x3x41x51x45xf64>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %sums = stablehlo.reduce(%products init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<2x3x41x51x45xf64>, tensor<f64>) -> tensor<2x3x41x51xf64>
    %moved = stablehlo.transpose %dot, dims = [0, 3, 1, 2] : (tensor<2x3x41x51xf64>) -> tensor<2x51x3x41xf64>
    %far = stablehlo.negate %moved : tensor<2x51x3x41xf64>
    %moved_sums = stablehlo.transpose %sums, dims = [0, 3, 1, 2] : (tensor<2x3x41x51xf64>) -> tensor<2x51x3x41xf64>
    %far_sums = stablehlo.negate %moved_sums : tensor<2x51x3x41xf64>
    check.expect_eq %far, %far_sums : tensor<2x51x3x41xf64>
    return
  }
  func.func @sums_along_the_middle_with_batches_innermost() {
    %0 = stablehlo.iota dim = 0 : tensor<13120xi32>
    %1 = stablehlo.constant dense<7> : tensor<13120xi32>
    %2 = stablehlo.constant dense<11> : tensor<13120xi32>
    %3 = stablehlo.constant dense<5> : tensor<13120xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<13120xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<13120xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<13120xi32>
    %7 = stablehlo.convert %6 : (tensor<13120xi32>) -> tensor<13120xf32>
    %a = stablehlo.reshape %7 : (tensor<13120xf32>) -> tensor<41x2x5x32xf32>
    %8 = stablehlo.iota dim = 0 : tensor<14400xi32>
    %9 = stablehlo.constant dense<5> : tensor<14400xi32>
    %10 = stablehlo.constant dense<13> : tensor<14400xi32>
    %11 = stablehlo.constant dense<6> : tensor<14400xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<14400xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<14400xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<14400xi32>
    %15 = stablehlo.convert %14 : (tensor<14400xi32>) -> tensor<14400xf32>
    %b = stablehlo.reshape %15 : (tensor<14400xf32>) -> tensor<45x2x5x32xf32>
    %dot = stablehlo.dot_general %a, %b, batching_dims = [1, 3] x [1, 3], contracting_dims = [2] x [2] : (tensor<41x2x5x32xf32>, tensor<45x2x5x32xf32>) -> tensor<2x32x41x45xf32>
    %wa = stablehlo.broadcast_in_dim %a, dims = [2, 0, 4, 1] : (tensor<41x2x5x32xf32>) -> tensor<2x32x41x45x5xf32>
    %wb = stablehlo.broadcast_in_dim %b, dims = [3, 0, 4, 1] : (tensor<45x2x5x32xf32>) -> tensor<2x32x41x45x5xf32>
    %products = stablehlo.multiply %wa, %wb : tensor<2x32x41x45x5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.reduce(%products init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<2x32x41x45x5xf32>, tensor<f32>) -> tensor<2x32x41x45xf32>
    check.expect_eq %dot, %sums : tensor<2x32x41x45xf32>
    return
  }
}
