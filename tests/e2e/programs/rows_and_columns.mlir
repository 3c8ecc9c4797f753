// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values whose items lie in rows, and reductions along columns, against the same done another way: sizes that vectors
// divide and others.  All numbers are small integers, so sums are exact.
module @rows_and_columns {
  func.func @sums_of_columns() {
    %0 = stablehlo.iota dim = 0 : tensor<4800xi32>
    %1 = stablehlo.constant dense<7> : tensor<4800xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<4800xi32>
    %3 = stablehlo.constant dense<11> : tensor<4800xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<4800xi32>
    %5 = stablehlo.constant dense<5> : tensor<4800xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<4800xi32>
    %7 = stablehlo.convert %6 : (tensor<4800xi32>) -> tensor<4800xf32>
    %8 = stablehlo.reshape %7 : (tensor<4800xf32>) -> tensor<100x48xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4800xi32>
    %10 = stablehlo.constant dense<3> : tensor<4800xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<4800xi32>
    %12 = stablehlo.constant dense<13> : tensor<4800xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<4800xi32>
    %14 = stablehlo.constant dense<6> : tensor<4800xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<4800xi32>
    %16 = stablehlo.convert %15 : (tensor<4800xi32>) -> tensor<4800xf32>
    %17 = stablehlo.reshape %16 : (tensor<4800xf32>) -> tensor<100x48xf32>
    %18 = stablehlo.multiply %8, %17 : tensor<100x48xf32>
    %19 = stablehlo.constant dense<0.0> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.add across dimensions = [0] : (tensor<100x48xf32>, tensor<f32>) -> tensor<48xf32>
    %21 = stablehlo.iota dim = 0 : tensor<48xi32>
    %22 = stablehlo.constant dense<5> : tensor<48xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<48xi32>
    %24 = stablehlo.constant dense<9> : tensor<48xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<48xi32>
    %26 = stablehlo.constant dense<2> : tensor<48xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<48xi32>
    %28 = stablehlo.convert %27 : (tensor<48xi32>) -> tensor<48xf32>
    %29 = stablehlo.reshape %28 : (tensor<48xf32>) -> tensor<48xf32>
    %30 = stablehlo.subtract %29, %20 : tensor<48xf32>
    %31 = stablehlo.transpose %18, dims = [1, 0] : (tensor<100x48xf32>) -> tensor<48x100xf32>
    %32 = stablehlo.reshape %31 : (tensor<48x100xf32>) -> tensor<48x100xf32>
    %33 = stablehlo.constant dense<0.0> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.add across dimensions = [1] : (tensor<48x100xf32>, tensor<f32>) -> tensor<48xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<48xf32>
    check.expect_eq %30, %35 : tensor<48xf32>
    return
  }
  func.func @sums_of_columns_that_no_vector_divides() {
    %0 = stablehlo.iota dim = 0 : tensor<1221xi32>
    %1 = stablehlo.constant dense<7> : tensor<1221xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<1221xi32>
    %3 = stablehlo.constant dense<11> : tensor<1221xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<1221xi32>
    %5 = stablehlo.constant dense<5> : tensor<1221xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<1221xi32>
    %7 = stablehlo.convert %6 : (tensor<1221xi32>) -> tensor<1221xf32>
    %8 = stablehlo.reshape %7 : (tensor<1221xf32>) -> tensor<33x37xf32>
    %9 = stablehlo.iota dim = 0 : tensor<1221xi32>
    %10 = stablehlo.constant dense<3> : tensor<1221xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<1221xi32>
    %12 = stablehlo.constant dense<13> : tensor<1221xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<1221xi32>
    %14 = stablehlo.constant dense<6> : tensor<1221xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<1221xi32>
    %16 = stablehlo.convert %15 : (tensor<1221xi32>) -> tensor<1221xf32>
    %17 = stablehlo.reshape %16 : (tensor<1221xf32>) -> tensor<33x37xf32>
    %18 = stablehlo.multiply %8, %17 : tensor<33x37xf32>
    %19 = stablehlo.constant dense<0.0> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.add across dimensions = [0] : (tensor<33x37xf32>, tensor<f32>) -> tensor<37xf32>
    %21 = stablehlo.iota dim = 0 : tensor<37xi32>
    %22 = stablehlo.constant dense<5> : tensor<37xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<37xi32>
    %24 = stablehlo.constant dense<9> : tensor<37xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<37xi32>
    %26 = stablehlo.constant dense<2> : tensor<37xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<37xi32>
    %28 = stablehlo.convert %27 : (tensor<37xi32>) -> tensor<37xf32>
    %29 = stablehlo.reshape %28 : (tensor<37xf32>) -> tensor<37xf32>
    %30 = stablehlo.subtract %29, %20 : tensor<37xf32>
    %31 = stablehlo.transpose %18, dims = [1, 0] : (tensor<33x37xf32>) -> tensor<37x33xf32>
    %32 = stablehlo.reshape %31 : (tensor<37x33xf32>) -> tensor<37x33xf32>
    %33 = stablehlo.constant dense<0.0> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.add across dimensions = [1] : (tensor<37x33xf32>, tensor<f32>) -> tensor<37xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<37xf32>
    check.expect_eq %30, %35 : tensor<37xf32>
    return
  }
  func.func @sums_of_columns_in_blocks() {
    %0 = stablehlo.iota dim = 0 : tensor<4800xi32>
    %1 = stablehlo.constant dense<7> : tensor<4800xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<4800xi32>
    %3 = stablehlo.constant dense<11> : tensor<4800xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<4800xi32>
    %5 = stablehlo.constant dense<5> : tensor<4800xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<4800xi32>
    %7 = stablehlo.convert %6 : (tensor<4800xi32>) -> tensor<4800xf32>
    %8 = stablehlo.reshape %7 : (tensor<4800xf32>) -> tensor<5x40x24xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4800xi32>
    %10 = stablehlo.constant dense<3> : tensor<4800xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<4800xi32>
    %12 = stablehlo.constant dense<13> : tensor<4800xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<4800xi32>
    %14 = stablehlo.constant dense<6> : tensor<4800xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<4800xi32>
    %16 = stablehlo.convert %15 : (tensor<4800xi32>) -> tensor<4800xf32>
    %17 = stablehlo.reshape %16 : (tensor<4800xf32>) -> tensor<5x40x24xf32>
    %18 = stablehlo.multiply %8, %17 : tensor<5x40x24xf32>
    %19 = stablehlo.constant dense<0.0> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.add across dimensions = [1] : (tensor<5x40x24xf32>, tensor<f32>) -> tensor<5x24xf32>
    %21 = stablehlo.iota dim = 0 : tensor<120xi32>
    %22 = stablehlo.constant dense<5> : tensor<120xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<120xi32>
    %24 = stablehlo.constant dense<9> : tensor<120xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<120xi32>
    %26 = stablehlo.constant dense<2> : tensor<120xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<120xi32>
    %28 = stablehlo.convert %27 : (tensor<120xi32>) -> tensor<120xf32>
    %29 = stablehlo.reshape %28 : (tensor<120xf32>) -> tensor<5x24xf32>
    %30 = stablehlo.subtract %29, %20 : tensor<5x24xf32>
    %31 = stablehlo.transpose %18, dims = [0, 2, 1] : (tensor<5x40x24xf32>) -> tensor<5x24x40xf32>
    %32 = stablehlo.reshape %31 : (tensor<5x24x40xf32>) -> tensor<5x24x40xf32>
    %33 = stablehlo.constant dense<0.0> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.add across dimensions = [2] : (tensor<5x24x40xf32>, tensor<f32>) -> tensor<5x24xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<5x24xf32>
    check.expect_eq %30, %35 : tensor<5x24xf32>
    return
  }
  func.func @sums_of_columns_of_f64() {
    %0 = stablehlo.iota dim = 0 : tensor<4000xi32>
    %1 = stablehlo.constant dense<7> : tensor<4000xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<4000xi32>
    %3 = stablehlo.constant dense<11> : tensor<4000xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<4000xi32>
    %5 = stablehlo.constant dense<5> : tensor<4000xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<4000xi32>
    %7 = stablehlo.convert %6 : (tensor<4000xi32>) -> tensor<4000xf64>
    %8 = stablehlo.reshape %7 : (tensor<4000xf64>) -> tensor<20x200xf64>
    %9 = stablehlo.iota dim = 0 : tensor<4000xi32>
    %10 = stablehlo.constant dense<3> : tensor<4000xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<4000xi32>
    %12 = stablehlo.constant dense<13> : tensor<4000xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<4000xi32>
    %14 = stablehlo.constant dense<6> : tensor<4000xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<4000xi32>
    %16 = stablehlo.convert %15 : (tensor<4000xi32>) -> tensor<4000xf64>
    %17 = stablehlo.reshape %16 : (tensor<4000xf64>) -> tensor<20x200xf64>
    %18 = stablehlo.multiply %8, %17 : tensor<20x200xf64>
    %19 = stablehlo.constant dense<0.0> : tensor<f64>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.add across dimensions = [0] : (tensor<20x200xf64>, tensor<f64>) -> tensor<200xf64>
    %21 = stablehlo.iota dim = 0 : tensor<200xi32>
    %22 = stablehlo.constant dense<5> : tensor<200xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<200xi32>
    %24 = stablehlo.constant dense<9> : tensor<200xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<200xi32>
    %26 = stablehlo.constant dense<2> : tensor<200xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<200xi32>
    %28 = stablehlo.convert %27 : (tensor<200xi32>) -> tensor<200xf64>
    %29 = stablehlo.reshape %28 : (tensor<200xf64>) -> tensor<200xf64>
    %30 = stablehlo.subtract %29, %20 : tensor<200xf64>
    %31 = stablehlo.transpose %18, dims = [1, 0] : (tensor<20x200xf64>) -> tensor<200x20xf64>
    %32 = stablehlo.reshape %31 : (tensor<200x20xf64>) -> tensor<200x20xf64>
    %33 = stablehlo.constant dense<0.0> : tensor<f64>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.add across dimensions = [1] : (tensor<200x20xf64>, tensor<f64>) -> tensor<200xf64>
    %35 = stablehlo.subtract %29, %34 : tensor<200xf64>
    check.expect_eq %30, %35 : tensor<200xf64>
    return
  }
  func.func @largest_of_columns() {
    %0 = stablehlo.iota dim = 0 : tensor<1800xi32>
    %1 = stablehlo.constant dense<7> : tensor<1800xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<1800xi32>
    %3 = stablehlo.constant dense<11> : tensor<1800xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<1800xi32>
    %5 = stablehlo.constant dense<5> : tensor<1800xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<1800xi32>
    %7 = stablehlo.convert %6 : (tensor<1800xi32>) -> tensor<1800xf32>
    %8 = stablehlo.reshape %7 : (tensor<1800xf32>) -> tensor<50x36xf32>
    %9 = stablehlo.iota dim = 0 : tensor<1800xi32>
    %10 = stablehlo.constant dense<3> : tensor<1800xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<1800xi32>
    %12 = stablehlo.constant dense<13> : tensor<1800xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<1800xi32>
    %14 = stablehlo.constant dense<6> : tensor<1800xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<1800xi32>
    %16 = stablehlo.convert %15 : (tensor<1800xi32>) -> tensor<1800xf32>
    %17 = stablehlo.reshape %16 : (tensor<1800xf32>) -> tensor<50x36xf32>
    %18 = stablehlo.multiply %8, %17 : tensor<50x36xf32>
    %19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.maximum across dimensions = [0] : (tensor<50x36xf32>, tensor<f32>) -> tensor<36xf32>
    %21 = stablehlo.iota dim = 0 : tensor<36xi32>
    %22 = stablehlo.constant dense<5> : tensor<36xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<36xi32>
    %24 = stablehlo.constant dense<9> : tensor<36xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<36xi32>
    %26 = stablehlo.constant dense<2> : tensor<36xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<36xi32>
    %28 = stablehlo.convert %27 : (tensor<36xi32>) -> tensor<36xf32>
    %29 = stablehlo.reshape %28 : (tensor<36xf32>) -> tensor<36xf32>
    %30 = stablehlo.subtract %29, %20 : tensor<36xf32>
    %31 = stablehlo.transpose %18, dims = [1, 0] : (tensor<50x36xf32>) -> tensor<36x50xf32>
    %32 = stablehlo.reshape %31 : (tensor<36x50xf32>) -> tensor<36x50xf32>
    %33 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.maximum across dimensions = [1] : (tensor<36x50xf32>, tensor<f32>) -> tensor<36xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<36xf32>
    check.expect_eq %30, %35 : tensor<36xf32>
    return
  }
  func.func @products_of_few_columns() {
    %0 = stablehlo.iota dim = 0 : tensor<120xi32>
    %1 = stablehlo.constant dense<7> : tensor<120xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<120xi32>
    %3 = stablehlo.constant dense<11> : tensor<120xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<120xi32>
    %5 = stablehlo.constant dense<5> : tensor<120xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<120xi32>
    %7 = stablehlo.convert %6 : (tensor<120xi32>) -> tensor<120xf32>
    %8 = stablehlo.reshape %7 : (tensor<120xf32>) -> tensor<3x40xf32>
    %9 = stablehlo.iota dim = 0 : tensor<120xi32>
    %10 = stablehlo.constant dense<3> : tensor<120xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<120xi32>
    %12 = stablehlo.constant dense<13> : tensor<120xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<120xi32>
    %14 = stablehlo.constant dense<6> : tensor<120xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<120xi32>
    %16 = stablehlo.convert %15 : (tensor<120xi32>) -> tensor<120xf32>
    %17 = stablehlo.reshape %16 : (tensor<120xf32>) -> tensor<3x40xf32>
    %18 = stablehlo.multiply %8, %17 : tensor<3x40xf32>
    %19 = stablehlo.constant dense<1.0> : tensor<f32>
    %20 = stablehlo.reduce(%18 init: %19) applies stablehlo.multiply across dimensions = [0] : (tensor<3x40xf32>, tensor<f32>) -> tensor<40xf32>
    %21 = stablehlo.iota dim = 0 : tensor<40xi32>
    %22 = stablehlo.constant dense<5> : tensor<40xi32>
    %23 = stablehlo.multiply %21, %22 : tensor<40xi32>
    %24 = stablehlo.constant dense<9> : tensor<40xi32>
    %25 = stablehlo.remainder %23, %24 : tensor<40xi32>
    %26 = stablehlo.constant dense<2> : tensor<40xi32>
    %27 = stablehlo.subtract %25, %26 : tensor<40xi32>
    %28 = stablehlo.convert %27 : (tensor<40xi32>) -> tensor<40xf32>
    %29 = stablehlo.reshape %28 : (tensor<40xf32>) -> tensor<40xf32>
    %30 = stablehlo.subtract %29, %20 : tensor<40xf32>
    %31 = stablehlo.transpose %18, dims = [1, 0] : (tensor<3x40xf32>) -> tensor<40x3xf32>
    %32 = stablehlo.reshape %31 : (tensor<40x3xf32>) -> tensor<40x3xf32>
    %33 = stablehlo.constant dense<1.0> : tensor<f32>
    %34 = stablehlo.reduce(%32 init: %33) applies stablehlo.multiply across dimensions = [1] : (tensor<40x3xf32>, tensor<f32>) -> tensor<40xf32>
    %35 = stablehlo.subtract %29, %34 : tensor<40xf32>
    check.expect_eq %30, %35 : tensor<40xf32>
    return
  }
  func.func @rows_less_their_sums() {
    %0 = stablehlo.iota dim = 0 : tensor<450xi32>
    %1 = stablehlo.constant dense<7> : tensor<450xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<450xi32>
    %3 = stablehlo.constant dense<11> : tensor<450xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<450xi32>
    %5 = stablehlo.constant dense<5> : tensor<450xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<450xi32>
    %7 = stablehlo.convert %6 : (tensor<450xi32>) -> tensor<450xf32>
    %8 = stablehlo.reshape %7 : (tensor<450xf32>) -> tensor<9x50xf32>
    %9 = stablehlo.constant dense<0.0> : tensor<f32>
    %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [1] : (tensor<9x50xf32>, tensor<f32>) -> tensor<9xf32>
    %11 = stablehlo.iota dim = 0 : tensor<50xi32>
    %12 = stablehlo.constant dense<3> : tensor<50xi32>
    %13 = stablehlo.multiply %11, %12 : tensor<50xi32>
    %14 = stablehlo.constant dense<13> : tensor<50xi32>
    %15 = stablehlo.remainder %13, %14 : tensor<50xi32>
    %16 = stablehlo.constant dense<6> : tensor<50xi32>
    %17 = stablehlo.subtract %15, %16 : tensor<50xi32>
    %18 = stablehlo.convert %17 : (tensor<50xi32>) -> tensor<50xf32>
    %19 = stablehlo.reshape %18 : (tensor<50xf32>) -> tensor<50xf32>
    %20 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<9xf32>) -> tensor<9x50xf32>
    %21 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<50xf32>) -> tensor<9x50xf32>
    %22 = stablehlo.subtract %8, %20 : tensor<9x50xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<9x50xf32>
    %24 = stablehlo.slice %23 [4:5, 0:50] : (tensor<9x50xf32>) -> tensor<1x50xf32>
    %25 = stablehlo.reshape %24 : (tensor<1x50xf32>) -> tensor<50xf32>
    %26 = stablehlo.slice %8 [4:5, 0:50] : (tensor<9x50xf32>) -> tensor<1x50xf32>
    %27 = stablehlo.reshape %26 : (tensor<1x50xf32>) -> tensor<50xf32>
    %28 = stablehlo.slice %10 [4:5] : (tensor<9xf32>) -> tensor<1xf32>
    %29 = stablehlo.reshape %28 : (tensor<1xf32>) -> tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<50xf32>
    %31 = stablehlo.subtract %27, %30 : tensor<50xf32>
    %32 = stablehlo.multiply %31, %19 : tensor<50xf32>
    check.expect_eq %25, %32 : tensor<50xf32>
    return
  }
  func.func @arrays_side_by_side() {
    %0 = stablehlo.iota dim = 0 : tensor<448xi32>
    %1 = stablehlo.constant dense<7> : tensor<448xi32>
    %2 = stablehlo.multiply %0, %1 : tensor<448xi32>
    %3 = stablehlo.constant dense<11> : tensor<448xi32>
    %4 = stablehlo.remainder %2, %3 : tensor<448xi32>
    %5 = stablehlo.constant dense<5> : tensor<448xi32>
    %6 = stablehlo.subtract %4, %5 : tensor<448xi32>
    %7 = stablehlo.convert %6 : (tensor<448xi32>) -> tensor<448xf32>
    %8 = stablehlo.reshape %7 : (tensor<448xf32>) -> tensor<14x32xf32>
    %9 = stablehlo.iota dim = 0 : tensor<448xi32>
    %10 = stablehlo.constant dense<3> : tensor<448xi32>
    %11 = stablehlo.multiply %9, %10 : tensor<448xi32>
    %12 = stablehlo.constant dense<13> : tensor<448xi32>
    %13 = stablehlo.remainder %11, %12 : tensor<448xi32>
    %14 = stablehlo.constant dense<6> : tensor<448xi32>
    %15 = stablehlo.subtract %13, %14 : tensor<448xi32>
    %16 = stablehlo.convert %15 : (tensor<448xi32>) -> tensor<448xf32>
    %17 = stablehlo.reshape %16 : (tensor<448xf32>) -> tensor<14x32xf32>
    %18 = stablehlo.iota dim = 0 : tensor<896xi32>
    %19 = stablehlo.constant dense<5> : tensor<896xi32>
    %20 = stablehlo.multiply %18, %19 : tensor<896xi32>
    %21 = stablehlo.constant dense<9> : tensor<896xi32>
    %22 = stablehlo.remainder %20, %21 : tensor<896xi32>
    %23 = stablehlo.constant dense<2> : tensor<896xi32>
    %24 = stablehlo.subtract %22, %23 : tensor<896xi32>
    %25 = stablehlo.convert %24 : (tensor<896xi32>) -> tensor<896xf32>
    %26 = stablehlo.reshape %25 : (tensor<896xf32>) -> tensor<14x64xf32>
    %27 = stablehlo.concatenate %8, %17, %26, dim = 1 : (tensor<14x32xf32>, tensor<14x32xf32>, tensor<14x64xf32>) -> tensor<14x128xf32>
    %28 = stablehlo.negate %27 : tensor<14x128xf32>
    %29 = stablehlo.slice %28 [0:14, 0:32] : (tensor<14x128xf32>) -> tensor<14x32xf32>
    %30 = stablehlo.negate %8 : tensor<14x32xf32>
    check.expect_eq %29, %30 : tensor<14x32xf32>
    %31 = stablehlo.slice %28 [0:14, 32:64] : (tensor<14x128xf32>) -> tensor<14x32xf32>
    %32 = stablehlo.negate %17 : tensor<14x32xf32>
    check.expect_eq %31, %32 : tensor<14x32xf32>
    %33 = stablehlo.slice %28 [0:14, 64:128] : (tensor<14x128xf32>) -> tensor<14x64xf32>
    %34 = stablehlo.negate %26 : tensor<14x64xf32>
    check.expect_eq %33, %34 : tensor<14x64xf32>
    return
  }
}
