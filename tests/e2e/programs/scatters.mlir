// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rows that scatters add up, against reductions of masked rows: whole vectors of columns, parts of
// them and single ones, with indices on either side of the array.
module @scatters {
  func.func @sums_of_whole_vectors() {
    %0 = stablehlo.iota dim = 0 : tensor<9600xi32>
    %1 = stablehlo.constant dense<7> : tensor<9600xi32>
    %2 = stablehlo.constant dense<11> : tensor<9600xi32>
    %3 = stablehlo.constant dense<5> : tensor<9600xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<9600xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<9600xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<9600xi32>
    %7 = stablehlo.convert %6 : (tensor<9600xi32>) -> tensor<9600xf32>
    %updates = stablehlo.reshape %7 : (tensor<9600xf32>) -> tensor<300x32xf32>
    %8 = stablehlo.iota dim = 0 : tensor<300xi32>
    %9 = stablehlo.constant dense<5> : tensor<300xi32>
    %10 = stablehlo.constant dense<10> : tensor<300xi32>
    %11 = stablehlo.constant dense<1> : tensor<300xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<300xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<300xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<300xi32>
    %indices = stablehlo.reshape %14 : (tensor<300xi32>) -> tensor<300x1xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<7x32xf32>
    %scattered = "stablehlo.scatter"(%zeros, %indices, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<7x32xf32>, tensor<300x1xi32>, tensor<300x32xf32>) -> tensor<7x32xf32>
    %segment = stablehlo.iota dim = 0 : tensor<7x300x32xi32>
    %flat = stablehlo.reshape %indices : (tensor<300x1xi32>) -> tensor<300xi32>
    %of = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<300xi32>) -> tensor<7x300x32xi32>
    %is = stablehlo.compare EQ, %segment, %of : (tensor<7x300x32xi32>, tensor<7x300x32xi32>) -> tensor<7x300x32xi1>
    %wide = stablehlo.broadcast_in_dim %updates, dims = [1, 2] : (tensor<300x32xf32>) -> tensor<7x300x32xf32>
    %others = stablehlo.constant dense<0.0> : tensor<7x300x32xf32>
    %theirs = stablehlo.select %is, %wide, %others : tensor<7x300x32xi1>, tensor<7x300x32xf32>
    %sums = stablehlo.reduce(%theirs init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x300x32xf32>, tensor<f32>) -> tensor<7x32xf32>
    check.expect_eq %scattered, %sums : tensor<7x32xf32>
    return
  }
  func.func @sums_of_half_vectors() {
    %0 = stablehlo.iota dim = 0 : tensor<2952xi32>
    %1 = stablehlo.constant dense<7> : tensor<2952xi32>
    %2 = stablehlo.constant dense<11> : tensor<2952xi32>
    %3 = stablehlo.constant dense<5> : tensor<2952xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<2952xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<2952xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<2952xi32>
    %7 = stablehlo.convert %6 : (tensor<2952xi32>) -> tensor<2952xf64>
    %updates = stablehlo.reshape %7 : (tensor<2952xf64>) -> tensor<123x24xf64>
    %8 = stablehlo.iota dim = 0 : tensor<123xi32>
    %9 = stablehlo.constant dense<5> : tensor<123xi32>
    %10 = stablehlo.constant dense<12> : tensor<123xi32>
    %11 = stablehlo.constant dense<1> : tensor<123xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<123xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<123xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<123xi32>
    %indices = stablehlo.reshape %14 : (tensor<123xi32>) -> tensor<123x1xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f64>
    %zeros = stablehlo.constant dense<0.0> : tensor<9x24xf64>
    %scattered = "stablehlo.scatter"(%zeros, %indices, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f64>, %y: tensor<f64>):
      %z = stablehlo.add %x, %y : tensor<f64>
      stablehlo.return %z : tensor<f64>
    }) : (tensor<9x24xf64>, tensor<123x1xi32>, tensor<123x24xf64>) -> tensor<9x24xf64>
    %segment = stablehlo.iota dim = 0 : tensor<9x123x24xi32>
    %flat = stablehlo.reshape %indices : (tensor<123x1xi32>) -> tensor<123xi32>
    %of = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<123xi32>) -> tensor<9x123x24xi32>
    %is = stablehlo.compare EQ, %segment, %of : (tensor<9x123x24xi32>, tensor<9x123x24xi32>) -> tensor<9x123x24xi1>
    %wide = stablehlo.broadcast_in_dim %updates, dims = [1, 2] : (tensor<123x24xf64>) -> tensor<9x123x24xf64>
    %others = stablehlo.constant dense<0.0> : tensor<9x123x24xf64>
    %theirs = stablehlo.select %is, %wide, %others : tensor<9x123x24xi1>, tensor<9x123x24xf64>
    %sums = stablehlo.reduce(%theirs init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x123x24xf64>, tensor<f64>) -> tensor<9x24xf64>
    check.expect_eq %scattered, %sums : tensor<9x24xf64>
    return
  }
  func.func @maxima_of_rows() {
    %0 = stablehlo.iota dim = 0 : tensor<1232xi32>
    %1 = stablehlo.constant dense<7> : tensor<1232xi32>
    %2 = stablehlo.constant dense<11> : tensor<1232xi32>
    %3 = stablehlo.constant dense<5> : tensor<1232xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<1232xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<1232xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<1232xi32>
    %7 = stablehlo.convert %6 : (tensor<1232xi32>) -> tensor<1232xf32>
    %updates = stablehlo.reshape %7 : (tensor<1232xf32>) -> tensor<77x16xf32>
    %8 = stablehlo.iota dim = 0 : tensor<77xi32>
    %9 = stablehlo.constant dense<5> : tensor<77xi32>
    %10 = stablehlo.constant dense<8> : tensor<77xi32>
    %11 = stablehlo.constant dense<1> : tensor<77xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<77xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<77xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<77xi32>
    %indices = stablehlo.reshape %14 : (tensor<77xi32>) -> tensor<77x1xi32>
    %zero = stablehlo.constant dense<-1000.0> : tensor<f32>
    %zeros = stablehlo.constant dense<-1000.0> : tensor<5x16xf32>
    %scattered = "stablehlo.scatter"(%zeros, %indices, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<5x16xf32>, tensor<77x1xi32>, tensor<77x16xf32>) -> tensor<5x16xf32>
    %segment = stablehlo.iota dim = 0 : tensor<5x77x16xi32>
    %flat = stablehlo.reshape %indices : (tensor<77x1xi32>) -> tensor<77xi32>
    %of = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<77xi32>) -> tensor<5x77x16xi32>
    %is = stablehlo.compare EQ, %segment, %of : (tensor<5x77x16xi32>, tensor<5x77x16xi32>) -> tensor<5x77x16xi1>
    %wide = stablehlo.broadcast_in_dim %updates, dims = [1, 2] : (tensor<77x16xf32>) -> tensor<5x77x16xf32>
    %others = stablehlo.constant dense<-1000.0> : tensor<5x77x16xf32>
    %theirs = stablehlo.select %is, %wide, %others : tensor<5x77x16xi1>, tensor<5x77x16xf32>
    %sums = stablehlo.reduce(%theirs init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<5x77x16xf32>, tensor<f32>) -> tensor<5x16xf32>
    check.expect_eq %scattered, %sums : tensor<5x16xf32>
    return
  }
  func.func @sums_of_odd_rows() {
    %0 = stablehlo.iota dim = 0 : tensor<305xi32>
    %1 = stablehlo.constant dense<7> : tensor<305xi32>
    %2 = stablehlo.constant dense<11> : tensor<305xi32>
    %3 = stablehlo.constant dense<5> : tensor<305xi32>
    %4 = stablehlo.multiply %0, %1 : tensor<305xi32>
    %5 = stablehlo.remainder %4, %2 : tensor<305xi32>
    %6 = stablehlo.subtract %5, %3 : tensor<305xi32>
    %7 = stablehlo.convert %6 : (tensor<305xi32>) -> tensor<305xf32>
    %updates = stablehlo.reshape %7 : (tensor<305xf32>) -> tensor<61x5xf32>
    %8 = stablehlo.iota dim = 0 : tensor<61xi32>
    %9 = stablehlo.constant dense<5> : tensor<61xi32>
    %10 = stablehlo.constant dense<9> : tensor<61xi32>
    %11 = stablehlo.constant dense<1> : tensor<61xi32>
    %12 = stablehlo.multiply %8, %9 : tensor<61xi32>
    %13 = stablehlo.remainder %12, %10 : tensor<61xi32>
    %14 = stablehlo.subtract %13, %11 : tensor<61xi32>
    %indices = stablehlo.reshape %14 : (tensor<61xi32>) -> tensor<61x1xi32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<6x5xf32>
    %scattered = "stablehlo.scatter"(%zeros, %indices, %updates) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<6x5xf32>, tensor<61x1xi32>, tensor<61x5xf32>) -> tensor<6x5xf32>
    %segment = stablehlo.iota dim = 0 : tensor<6x61x5xi32>
    %flat = stablehlo.reshape %indices : (tensor<61x1xi32>) -> tensor<61xi32>
    %of = stablehlo.broadcast_in_dim %flat, dims = [1] : (tensor<61xi32>) -> tensor<6x61x5xi32>
    %is = stablehlo.compare EQ, %segment, %of : (tensor<6x61x5xi32>, tensor<6x61x5xi32>) -> tensor<6x61x5xi1>
    %wide = stablehlo.broadcast_in_dim %updates, dims = [1, 2] : (tensor<61x5xf32>) -> tensor<6x61x5xf32>
    %others = stablehlo.constant dense<0.0> : tensor<6x61x5xf32>
    %theirs = stablehlo.select %is, %wide, %others : tensor<6x61x5xi1>, tensor<6x61x5xf32>
    %sums = stablehlo.reduce(%theirs init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x61x5xf32>, tensor<f32>) -> tensor<6x5xf32>
    check.expect_eq %scattered, %sums : tensor<6x5xf32>
    return
  }
}
