// Scans whose kernels are of groups: lines that lie side by side and that do not, forwards and backwards, in parts, as
// neighbours that are read as one and turned in local memory, one item along short lines.
func.func @main(%x0: tensor<40x256xf32>, %x1: tensor<40x257xf32>, %x2: tensor<300x70xf32>, %x3: tensor<70000xi32>, %x4: tensor<900x3xf64>, %x5: tensor<33x9xf32>, %x6: tensor<6x520xbf16>) -> (tensor<40x256xf32>, tensor<40x257xf32>, tensor<300x70xf32>, tensor<70000xi32>, tensor<900x3xf64>, tensor<33x9xf32>, tensor<6x520xbf16>) {
  %ir0 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%x0, %ir0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 256>, padding = dense<[[0, 0], [255, 0]]> : tensor<2x2xi64>} : (tensor<40x256xf32>, tensor<f32>) -> tensor<40x256xf32>
  %ir1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r1 = "stablehlo.reduce_window"(%x1, %ir1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 257>, padding = dense<[[0, 0], [0, 256]]> : tensor<2x2xi64>} : (tensor<40x257xf32>, tensor<f32>) -> tensor<40x257xf32>
  %ir2 = stablehlo.constant dense<0.0> : tensor<f32>
  %r2 = "stablehlo.reduce_window"(%x2, %ir2) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 300, 1>, padding = dense<[[299, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<300x70xf32>, tensor<f32>) -> tensor<300x70xf32>
  %ir3 = stablehlo.constant dense<0> : tensor<i32>
  %r3 = "stablehlo.reduce_window"(%x3, %ir3) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) {window_dimensions = array<i64: 70000>, padding = dense<[[69999, 0]]> : tensor<1x2xi64>} : (tensor<70000xi32>, tensor<i32>) -> tensor<70000xi32>
  %ir4 = stablehlo.constant dense<0.0> : tensor<f64>
  %r4 = "stablehlo.reduce_window"(%x4, %ir4) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) {window_dimensions = array<i64: 900, 1>, padding = dense<[[0, 899], [0, 0]]> : tensor<2x2xi64>} : (tensor<900x3xf64>, tensor<f64>) -> tensor<900x3xf64>
  %ir5 = stablehlo.constant dense<0.0> : tensor<f32>
  %r5 = "stablehlo.reduce_window"(%x5, %ir5) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {window_dimensions = array<i64: 1, 9>, padding = dense<[[0, 0], [8, 0]]> : tensor<2x2xi64>} : (tensor<33x9xf32>, tensor<f32>) -> tensor<33x9xf32>
  %ir6 = stablehlo.constant dense<0.0> : tensor<bf16>
  %r6 = "stablehlo.reduce_window"(%x6, %ir6) ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) {window_dimensions = array<i64: 1, 520>, padding = dense<[[0, 0], [0, 519]]> : tensor<2x2xi64>} : (tensor<6x520xbf16>, tensor<bf16>) -> tensor<6x520xbf16>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : tensor<40x256xf32>, tensor<40x257xf32>, tensor<300x70xf32>, tensor<70000xi32>, tensor<900x3xf64>, tensor<33x9xf32>, tensor<6x520xbf16>
}
