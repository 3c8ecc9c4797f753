// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One round of federated averaging of an MLP 64-64-10 over 64 clients, printed by make_round.py.
// Every client starts from the server's parameters, takes 8 steps of SGD (rate 0.5) over 8 examples each of its own
// share, and sends back the change; the server adds the mean of the changes, weighted by `weight`, the clients' example
// counts. `mask` is 1 for an example and 0 for padding; a step that is all padding changes nothing.
// The last result is the mean training loss met on the way, weighted in the same way.
module @fedavg_digits attributes {mr.placements = {clients = 64}} {
  func.func public @main(%w1: tensor<64x64xf32>, %b1: tensor<64xf32>, %w2: tensor<64x10xf32>, %b2: tensor<10xf32>, %x: tensor<64x8x8x64xf32>, %y: tensor<64x8x8xi32>, %mask: tensor<64x8x8xf32>, %weight: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>) {
    %all_w1 = "mr.broadcast"(%w1) {placement = "clients"} : (tensor<64x64xf32>) -> tensor<64x64x64xf32>
    %all_b1 = "mr.broadcast"(%b1) {placement = "clients"} : (tensor<64xf32>) -> tensor<64x64xf32>
    %all_w2 = "mr.broadcast"(%w2) {placement = "clients"} : (tensor<64x10xf32>) -> tensor<64x64x10xf32>
    %all_b2 = "mr.broadcast"(%b2) {placement = "clients"} : (tensor<10xf32>) -> tensor<64x10xf32>
    %sent:5 = "mr.map"(%all_w1, %all_b1, %all_w2, %all_b2, %x, %y, %mask) ({
    ^bb0(%start_w1: tensor<64x64xf32>, %start_b1: tensor<64xf32>, %start_w2: tensor<64x10xf32>, %start_b2: tensor<10xf32>, %own_x: tensor<8x8x64xf32>, %own_y: tensor<8x8xi32>, %own_mask: tensor<8x8xf32>):
      %first = stablehlo.constant dense<0> : tensor<i32>
      %zero = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %one = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %end:6 = stablehlo.while(%step = %first, %now_w1 = %start_w1, %now_b1 = %start_b1, %now_w2 = %start_w2, %now_b2 = %start_b2, %now_loss = %zero) : tensor<i32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>
      cond {
        %steps = stablehlo.constant dense<8> : tensor<i32>
        %more = stablehlo.compare LT, %step, %steps, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        // This step's examples.
        %origin = stablehlo.constant dense<0> : tensor<i32>
        %slice_x = stablehlo.dynamic_slice %own_x, %step, %origin, %origin, sizes = [1, 8, 64] : (tensor<8x8x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x64xf32>
        %step_x = stablehlo.reshape %slice_x : (tensor<1x8x64xf32>) -> tensor<8x64xf32>
        %slice_y = stablehlo.dynamic_slice %own_y, %step, %origin, sizes = [1, 8] : (tensor<8x8xi32>, tensor<i32>, tensor<i32>) -> tensor<1x8xi32>
        %step_y = stablehlo.reshape %slice_y : (tensor<1x8xi32>) -> tensor<8xi32>
        %slice_mask = stablehlo.dynamic_slice %own_mask, %step, %origin, sizes = [1, 8] : (tensor<8x8xf32>, tensor<i32>, tensor<i32>) -> tensor<1x8xf32>
        %step_mask = stablehlo.reshape %slice_mask : (tensor<1x8xf32>) -> tensor<8xf32>
        %labels = stablehlo.broadcast_in_dim %step_y, dims = [0] : (tensor<8xi32>) -> tensor<8x10xi32>
        %classes = stablehlo.iota dim = 1 : tensor<8x10xi32>
        %is_label = stablehlo.compare EQ, %labels, %classes, SIGNED : (tensor<8x10xi32>, tensor<8x10xi32>) -> tensor<8x10xi1>
        %target = stablehlo.convert %is_label : (tensor<8x10xi1>) -> tensor<8x10xf32>
        // Forward.
        %x_w1 = stablehlo.dot_general %step_x, %now_w1, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
        %rows_b1 = stablehlo.broadcast_in_dim %now_b1, dims = [1] : (tensor<64xf32>) -> tensor<8x64xf32>
        %before = stablehlo.add %x_w1, %rows_b1 : tensor<8x64xf32>
        %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
        %hidden = stablehlo.maximum %before, %zeros : tensor<8x64xf32>
        %h_w2 = stablehlo.dot_general %hidden, %now_w2, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x10xf32>) -> tensor<8x10xf32>
        %rows_b2 = stablehlo.broadcast_in_dim %now_b2, dims = [1] : (tensor<10xf32>) -> tensor<8x10xf32>
        %scores = stablehlo.add %h_w2, %rows_b2 : tensor<8x10xf32>
        // Softmax and cross entropy.
        %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %top = stablehlo.reduce(%scores init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
        %tops = stablehlo.broadcast_in_dim %top, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
        %shifted = stablehlo.subtract %scores, %tops : tensor<8x10xf32>
        %exps = stablehlo.exponential %shifted : tensor<8x10xf32>
        %total = stablehlo.reduce(%exps init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
        %totals = stablehlo.broadcast_in_dim %total, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
        %probability = stablehlo.divide %exps, %totals : tensor<8x10xf32>
        %log_total = stablehlo.log %total : tensor<8xf32>
        %picked = stablehlo.multiply %target, %shifted : tensor<8x10xf32>
        %label_score = stablehlo.reduce(%picked init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
        %entropy = stablehlo.subtract %log_total, %label_score : tensor<8xf32>
        %masked = stablehlo.multiply %entropy, %step_mask : tensor<8xf32>
        %step_loss = stablehlo.reduce(%masked init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
        %next_loss = stablehlo.add %now_loss, %step_loss : tensor<f32>
        // Gradients of the mean over this step's examples.
        %present = stablehlo.reduce(%step_mask init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
        %divisor = stablehlo.maximum %present, %one : tensor<f32>
        %divisors = stablehlo.broadcast_in_dim %divisor, dims = [] : (tensor<f32>) -> tensor<8xf32>
        %factor = stablehlo.divide %step_mask, %divisors : tensor<8xf32>
        %factors = stablehlo.broadcast_in_dim %factor, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
        %error = stablehlo.subtract %probability, %target : tensor<8x10xf32>
        %g_scores = stablehlo.multiply %error, %factors : tensor<8x10xf32>
        %g_w2 = stablehlo.dot_general %hidden, %g_scores, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x10xf32>) -> tensor<64x10xf32>
        %g_b2 = stablehlo.reduce(%g_scores init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
        %w2_rows = stablehlo.transpose %now_w2, dims = [1, 0] : (tensor<64x10xf32>) -> tensor<10x64xf32>
        %g_hidden = stablehlo.dot_general %g_scores, %w2_rows, contracting_dims = [1] x [0] : (tensor<8x10xf32>, tensor<10x64xf32>) -> tensor<8x64xf32>
        %active = stablehlo.compare GT, %before, %zeros, FLOAT : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xi1>
        %g_before = stablehlo.select %active, %g_hidden, %zeros : tensor<8x64xi1>, tensor<8x64xf32>
        %g_w1 = stablehlo.dot_general %step_x, %g_before, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
        %g_b1 = stablehlo.reduce(%g_before init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x64xf32>, tensor<f32>) -> tensor<64xf32>
        // Update.
        %rate = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %rate_w1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
        %step_w1 = stablehlo.multiply %rate_w1, %g_w1 : tensor<64x64xf32>
        %next_w1 = stablehlo.subtract %now_w1, %step_w1 : tensor<64x64xf32>
        %rate_b1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<64xf32>
        %step_b1 = stablehlo.multiply %rate_b1, %g_b1 : tensor<64xf32>
        %next_b1 = stablehlo.subtract %now_b1, %step_b1 : tensor<64xf32>
        %rate_w2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<64x10xf32>
        %step_w2 = stablehlo.multiply %rate_w2, %g_w2 : tensor<64x10xf32>
        %next_w2 = stablehlo.subtract %now_w2, %step_w2 : tensor<64x10xf32>
        %rate_b2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<10xf32>
        %step_b2 = stablehlo.multiply %rate_b2, %g_b2 : tensor<10xf32>
        %next_b2 = stablehlo.subtract %now_b2, %step_b2 : tensor<10xf32>
        %increment = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %step, %increment : tensor<i32>
        stablehlo.return %next, %next_w1, %next_b1, %next_w2, %next_b2, %next_loss : tensor<i32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>
      }
      %delta_w1 = stablehlo.subtract %end#1, %start_w1 : tensor<64x64xf32>
      %delta_b1 = stablehlo.subtract %end#2, %start_b1 : tensor<64xf32>
      %delta_w2 = stablehlo.subtract %end#3, %start_w2 : tensor<64x10xf32>
      %delta_b2 = stablehlo.subtract %end#4, %start_b2 : tensor<10xf32>
      %examples = stablehlo.reduce(%own_mask init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<f32>
      %count = stablehlo.maximum %examples, %one : tensor<f32>
      %loss = stablehlo.divide %end#5, %count : tensor<f32>
      "mr.return"(%delta_w1, %delta_b1, %delta_w2, %delta_b2, %loss) : (tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0, 0, 0, 0, 0, 0>, out_axes = array<i64: 0, 0, 0, 0, 0>} : (tensor<64x64x64xf32>, tensor<64x64xf32>, tensor<64x64x10xf32>, tensor<64x10xf32>, tensor<64x8x8x64xf32>, tensor<64x8x8xi32>, tensor<64x8x8xf32>) -> (tensor<64x64x64xf32>, tensor<64x64xf32>, tensor<64x64x10xf32>, tensor<64x10xf32>, tensor<64xf32>)
    %mean:5 = "mr.reduce_weighted_mean"(%sent#0, %sent#1, %sent#2, %sent#3, %sent#4, %weight) {placement = "clients", operand_segments = array<i64: 5, 1, 0, 0>} : (tensor<64x64x64xf32>, tensor<64x64xf32>, tensor<64x64x10xf32>, tensor<64x10xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>)
    %new_w1 = stablehlo.add %w1, %mean#0 : tensor<64x64xf32>
    %new_b1 = stablehlo.add %b1, %mean#1 : tensor<64xf32>
    %new_w2 = stablehlo.add %w2, %mean#2 : tensor<64x10xf32>
    %new_b2 = stablehlo.add %b2, %mean#3 : tensor<10xf32>
    return %new_w1, %new_b1, %new_w2, %new_b2, %mean#4 : tensor<64x64xf32>, tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>, tensor<f32>
  }
}
