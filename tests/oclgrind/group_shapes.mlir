// Programs whose kernels are of groups where they are compiled for GPUs: products even, uneven, batched, in parts and
// of small floats, rows, columns and whole arrays, a softmax, a transposition, a convolution, attention, neighbours as one.
func.func @main(%a: tensor<130x83xf32>, %b: tensor<83x99xf32>, %c: tensor<128x128xf32>, %d: tensor<64x600xf32>, %e: tensor<32x600xf32>, %f: tensor<2x100x110xf32>, %g: tensor<2x110x100xf32>, %h: tensor<64x80xf32>, %x: tensor<1x15x17x16xf32>, %k: tensor<3x3x16x32xf32>, %w: tensor<512x1024xf32>, %v: tensor<1024xf32>, %p: tensor<96x128xbf16>, %q: tensor<128x96xbf16>) -> (tensor<130x99xf32>, tensor<128x128xf32>, tensor<64x32xf32>, tensor<2x100x100xf32>, tensor<96x96xbf16>, tensor<64xf32>, tensor<600xf32>, tensor<f32>, tensor<2x110xf32>, tensor<64x80xf32>, tensor<80x64xf32>, tensor<1x15x17x32xf32>, tensor<512x1024xf32>, tensor<2x110x100xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<130x83xf32>, tensor<83x99xf32>) -> tensor<130x99xf32>
  %r1 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [1] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %r1b = stablehlo.add %r1, %c : tensor<128x128xf32>
  %r2 = stablehlo.dot_general %d, %e, contracting_dims = [1] x [1] : (tensor<64x600xf32>, tensor<32x600xf32>) -> tensor<64x32xf32>
  %r3 = stablehlo.dot_general %f, %g, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x100x110xf32>, tensor<2x110x100xf32>) -> tensor<2x100x100xf32>
  %r4 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<96x128xbf16>, tensor<128x96xbf16>) -> tensor<96x96xbf16>
  %s0 = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x600xf32>, tensor<f32>) -> tensor<64xf32>
  %s1 = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x600xf32>, tensor<f32>) -> tensor<600xf32>
  %s2 = stablehlo.reduce(%w init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x1024xf32>, tensor<f32>) -> tensor<f32>
  %s3 = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<2x100x110xf32>, tensor<f32>) -> tensor<2x110xf32>
  %m = stablehlo.reduce(%h init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<64x80xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x80xf32>
  %hs = stablehlo.subtract %h, %mb : tensor<64x80xf32>
  %he = stablehlo.exponential %hs : tensor<64x80xf32>
  %hn = stablehlo.reduce(%he init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x80xf32>, tensor<f32>) -> tensor<64xf32>
  %hb = stablehlo.broadcast_in_dim %hn, dims = [0] : (tensor<64xf32>) -> tensor<64x80xf32>
  %y = stablehlo.divide %he, %hb : tensor<64x80xf32>
  %t = stablehlo.transpose %h, dims = [1, 0] : (tensor<64x80xf32>) -> tensor<80x64xf32>
  %cv = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [0, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x15x17x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x15x17x32xf32>
  %vb = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<1024xf32>) -> tensor<512x1024xf32>
  %wv = stablehlo.multiply %w, %vb : tensor<512x1024xf32>
  %gi = stablehlo.iota dim = 1 : tensor<2x110x110xi32>
  %gj = stablehlo.iota dim = 2 : tensor<2x110x110xi32>
  %gm = stablehlo.compare GE, %gi, %gj : (tensor<2x110x110xi32>, tensor<2x110x110xi32>) -> tensor<2x110x110xi1>
  %at = "mr.attention"(%g, %g, %g, %gm) ({
  ^bb0(%sc: tensor<f32>, %see: tensor<i1>):
    %tenth = stablehlo.constant dense<0.1> : tensor<f32>
    %far = stablehlo.constant dense<-1.0e9> : tensor<f32>
    %scaled = stablehlo.multiply %sc, %tenth : tensor<f32>
    %masked = stablehlo.select %see, %scaled, %far : tensor<i1>, tensor<f32>
    "mr.return"(%masked) : (tensor<f32>) -> ()
  }) : (tensor<2x110x100xf32>, tensor<2x110x100xf32>, tensor<2x110x100xf32>, tensor<2x110x110xi1>) -> tensor<2x110x100xf32>
  return %r0, %r1b, %r2, %r3, %r4, %s0, %s1, %s2, %s3, %y, %t, %cv, %wv, %at : tensor<130x99xf32>, tensor<128x128xf32>, tensor<64x32xf32>, tensor<2x100x100xf32>, tensor<96x96xbf16>, tensor<64xf32>, tensor<600xf32>, tensor<f32>, tensor<2x110xf32>, tensor<64x80xf32>, tensor<80x64xf32>, tensor<1x15x17x32xf32>, tensor<512x1024xf32>, tensor<2x110x100xf32>
}
