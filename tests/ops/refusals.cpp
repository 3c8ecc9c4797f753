// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Verification: each constraint that a program can break is refused with what was expected and found.
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

struct Case {
  const char* arguments;
  const char* op;
  const char* result;
  const char* message;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string text = cat("func.func @main(", c.arguments, ") -> ", c.result,
                                 " {\n  %r = ", c.op, "\n  return %r : ", c.result, "\n}");
    try {
      (void)parse_module(text, "case.mlir");
      ADD_FAILURE() << "accepted: " << c.op;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::user) << c.op;
      EXPECT_NE(e.located_message().find(c.message), std::string::npos)
          << c.op << "\n  gave: " << e.located_message();
      EXPECT_EQ(e.where().line, 2) << c.op << "\n  gave: " << e.located_message();
    }
  }
}

TEST(Refusals, Movements) {
  check({
      {"", "stablehlo.iota dim = 1 : tensor<3xi32>", "tensor<3xi32>",
       "stablehlo.iota: expected iota_dimension within [0, 1), found 1"},
      {"", "stablehlo.iota dim = 0 : tensor<3xi1>", "tensor<3xi1>", "found tensor<3xi1>"},
      {"%a: tensor<3xf32>",
       "stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected dimension 0 of the operand to be 1 or 4"},
      {"%a: tensor<3xf32>",
       "stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<3xf32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected broadcast_dimensions within [0, 2), found [2]"},
      {"%a: tensor<3x3xf32>",
       "stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<3x3xf32>",
       "tensor<3x3xf32>", "expected different entries in broadcast_dimensions, found [1, 1]"},
      {"%a: tensor<3xf32>", "stablehlo.reshape %a : (tensor<3xf32>) -> tensor<4xf32>",
       "tensor<4xf32>", "stablehlo.reshape: expected a result of 3 elements, found tensor<4xf32>"},
      {"%a: tensor<2x3xf32>",
       "stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>",
       "tensor<2x2xf32>", "expected different entries in permutation"},
      {"%a: tensor<2x3xf32>",
       "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
       "tensor<2x3xf32>", "tensor<3x2xf32>"},
      {"%a: tensor<5xf32>", "stablehlo.slice %a [3:2] : (tensor<5xf32>) -> tensor<1xf32>",
       "tensor<1xf32>",
       "expected 0 <= start <= limit <= 5 in dimension 0, found start 3 and limit 2"},
      {"%a: tensor<5xf32>", "stablehlo.slice %a [0:6] : (tensor<5xf32>) -> tensor<6xf32>",
       "tensor<6xf32>", "found start 0 and limit 6"},
      {"%a: tensor<5xf32>", "stablehlo.slice %a [0:5:0] : (tensor<5xf32>) -> tensor<5xf32>",
       "tensor<5xf32>", "expected a positive stride in dimension 0, found 0"},
      {"%a: tensor<5xf32>, %i: tensor<i32>",
       "stablehlo.dynamic_slice %a, %i, sizes = [6] : (tensor<5xf32>, tensor<i32>) -> "
       "tensor<6xf32>",
       "tensor<6xf32>", "expected a slice size within [0, 5] in dimension 0, found 6"},
      {"%a: tensor<5xf32>, %i: tensor<f32>",
       "stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<5xf32>, tensor<f32>) -> "
       "tensor<2xf32>",
       "tensor<2xf32>", "expected start indices that are scalars of one integer type"},
      {"%a: tensor<5xf32>, %i: tensor<i32>",
       "stablehlo.dynamic_slice %a, %i, %i, sizes = [2] : (tensor<5xf32>, tensor<i32>, "
       "tensor<i32>) -> tensor<2xf32>",
       "tensor<2xf32>", "expected 2 operands, found 3"},
      {"%a: tensor<5xf32>, %u: tensor<6xf32>, %i: tensor<i32>",
       "stablehlo.dynamic_update_slice %a, %u, %i : (tensor<5xf32>, tensor<6xf32>, tensor<i32>) -> "
       "tensor<5xf32>",
       "tensor<5xf32>", "expected an update within tensor<5xf32>, found tensor<6xf32>"},
      {"%a: tensor<5xf32>, %b: tensor<5x1xf32>",
       "stablehlo.concatenate %a, %b, dim = 0 : (tensor<5xf32>, tensor<5x1xf32>) -> tensor<10xf32>",
       "tensor<10xf32>", "expected operand 1 to be as tensor<5xf32> but in dimension 0"},
      {"%a: tensor<5xf32>, %v: tensor<f32>",
       "stablehlo.pad %a, %v, low = [-3], high = [-3], interior = [0] : (tensor<5xf32>, "
       "tensor<f32>) -> tensor<0xf32>",
       "tensor<0xf32>", "expected a result extent of 0 or more in dimension 0, found -1"},
      {"%a: tensor<5xf32>, %v: tensor<f32>",
       "stablehlo.pad %a, %v, low = [0], high = [0], interior = [-1] : (tensor<5xf32>, "
       "tensor<f32>) -> tensor<1xf32>",
       "tensor<1xf32>", "expected interior padding of 0 or more"},
      {"%a: tensor<5xf32>, %v: tensor<f32>",
       "stablehlo.pad %a, %v, low = [9223372036854775807], high = [1], interior = [0] : "
       "(tensor<5xf32>, tensor<f32>) -> tensor<1xf32>",
       "tensor<1xf32>", "a representable extent"},
      {"%a: tensor<5xf32>, %v: tensor<i32>",
       "stablehlo.pad %a, %v, low = [0], high = [0], interior = [0] : (tensor<5xf32>, tensor<i32>) "
       "-> tensor<5xf32>",
       "tensor<5xf32>", "expected a padding value of type tensor<f32>, found tensor<i32>"},
      {"%a: tensor<5xf32>", "stablehlo.reverse %a, dims = [1] : tensor<5xf32>", "tensor<5xf32>",
       "expected dimensions within [0, 1), found [1]"},
  });
}

TEST(Refusals, ReductionsAndContractions) {
  check({
      {"%a: tensor<5xf32>, %i: tensor<f32>",
       "stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : "
       "(tensor<5xf32>, tensor<f32>) -> tensor<5xf32>",
       "tensor<5xf32>", "expected dimensions within [0, 1), found [1]"},
      {"%a: tensor<5xf32>, %i: tensor<i32>",
       "stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : "
       "(tensor<5xf32>, tensor<i32>) -> tensor<f32>",
       "tensor<f32>", "expected an initial value of type tensor<f32>, found tensor<i32>"},
      {"%a: tensor<3x3xf32>",
       "stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], precision = [DEFAULT, HIGH, "
       "HIGHEST] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
       "tensor<3x3xf32>", "expected at most a precision for each operand, found 3 precisions"},
      {"%a: tensor<3x3xf32>",
       "stablehlo.dot %a, %a, precision = [FOO] : (tensor<3x3xf32>, tensor<3x3xf32>) -> "
       "tensor<3x3xf32>",
       "tensor<3x3xf32>", "FOO"},
      {"%a: tensor<3x3xf32>",
       "\"stablehlo.dot\"(%a, %a) {precision_config = [\"FOO\"]} : (tensor<3x3xf32>, "
       "tensor<3x3xf32>) -> tensor<3x3xf32>",
       "tensor<3x3xf32>", "expected a precision of DEFAULT, HIGH, HIGHEST and PACKED_NIBBLE"},
      {"%a: tensor<2x3xf32>, %b: tensor<4x5xf32>",
       "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
       "tensor<4x5xf32>) -> tensor<2x5xf32>",
       "tensor<2x5xf32>",
       "expected equal extents of contracting dimensions 1 and 0, found tensor<2x3xf32> and "
       "tensor<4x5xf32>"},
      {"%a: tensor<2x3xf32>, %b: tensor<3x5xf32>",
       "stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : (tensor<2x3xf32>, "
       "tensor<3x5xf32>) -> tensor<2x5xf32>",
       "tensor<2x5xf32>", "expected lhs_contracting_dimensions within [0, 2), found [2]"},
      {"%a: tensor<2x3xf32>, %b: tensor<2x3xf32>",
       "stablehlo.dot_general %a, %b, batching_dims = [1] x [1], contracting_dims = [1] x [1] : "
       "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>",
       "tensor<3x2xf32>",
       "expected different entries in lhs_batching_dimensions and lhs_contracting_dimensions"},
      {"%a: tensor<2x3xf32>, %b: tensor<3x5xf32>",
       "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
       "tensor<3x5xf32>) -> tensor<2x5xi32>",
       "tensor<2x5xi32>", "found i32"},
  });
}

TEST(Refusals, Indexing) {
  check({
      {"%a: tensor<5x3xf32>, %i: tensor<4x1xi32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : "
       "(tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>",
       "expected 2 entries in offset_dims, collapsed_slice_dims and operand_batching_dims "
       "together"},
      {"%a: tensor<5x3xf32>, %i: tensor<4x1xf32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
       "array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected start indices of integers, found tensor<4x1xf32>"},
      {"%a: tensor<5x3xf32>, %i: tensor<4x1xi32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
       "array<i64: 2, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected a slice size within [0, 1] in dimension 0, found 2"},
      {"%a: tensor<5x3xf32>, %i: tensor<4x2xi32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
       "array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x2xi32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected 2 entries in start_index_map, found [0]"},
      {"%a: tensor<5x3xf32>, %i: tensor<4x1xi32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = "
       "array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected start_index_map within [0, 2), found [2]"},
      {"%a: tensor<5x3xf32>, %i: tensor<4x1xi32>",
       "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
       "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = "
       "array<i64: 1, 3>}> : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>",
       "tensor<4x3xf32>", "expected index_vector_dim within [0, 2], found 3"},
      {"%a: tensor<3xf32>, %i: tensor<2x1xi32>, %u: tensor<4xf32>",
       "\"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = "
       "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
       "index_vector_dim = 1>}> ({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n    "
       "stablehlo.return %y : tensor<f32>\n  }) : (tensor<3xf32>, tensor<2x1xi32>, tensor<4xf32>) "
       "-> tensor<3xf32>",
       "tensor<3xf32>", "expected extent 2 in dimension 0 of the updates, found tensor<4xf32>"},
      {"%a: tensor<3xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>",
       "\"stablehlo.scatter\"(%a, %i, %u) <{scatter_dimension_numbers = "
       "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
       "index_vector_dim = 1>}> ({\n  ^bb0(%x: tensor<f32>):\n    stablehlo.return %x : "
       "tensor<f32>\n  }) : (tensor<3xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<3xf32>",
       "tensor<3xf32>", "expected a region with 2 arguments, found 1"},
  });
}

}  // namespace
}  // namespace partita::ir
