// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Calls of LAPACK that programs exported for CPUs hold have LAPACK's results, in stacks and within maps.
#include <gmock/gmock.h>

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LapackCalls, factors_have_rows_from_one_and_info) {
  const auto out = run_text(
      R"(func.func @main(%a: tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2xi32>) {
  %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<2x2x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2xi32>)
  return %0#0, %0#1, %0#2 : tensor<2x2x2xf32>, tensor<2x2xi32>, tensor<2xi32>
})",
      {f32({2, 2, 2}, {1, 2, 4, 6, 8, 0, 4, 1})});
  EXPECT_THAT(values_of(out[0]), ElementsAre(4, 6, 0.25, 0.5, 8, 0, 0.5, 1));
  EXPECT_THAT(values_of(out[1]), ElementsAre(2, 2, 1, 2));
  EXPECT_THAT(values_of(out[2]), ElementsAre(0, 0));
}

TEST(LapackCalls, eigenvalues_of_real_matrices_are_two_arrays) {
  const auto out = run_text(
      R"(func.func @main(%a: tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>) {
  %0:5 = stablehlo.custom_call @lapack_dgeev_ffi(%a) {backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}} : (tensor<2x2xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<i32>)
  return %0#0, %0#1, %0#3 : tensor<2xf64>, tensor<2xf64>, tensor<2x2xcomplex<f64>>
})",
      {make_tensor({.dtype = DType::f64, .dims = {2, 2}}, {0, -1, 1, 0})});
  EXPECT_THAT(values_of(out[0]), ElementsAre(DoubleNear(0, 1e-15), DoubleNear(0, 1e-15)));
  EXPECT_THAT(values_of(out[1]), ElementsAre(DoubleNear(1, 1e-15), DoubleNear(-1, 1e-15)));
}

TEST(LapackCalls, maps_call_once_for_all_partitions) {
  const std::string text = R"(module attributes {mr.placements = {clients = 3}} {
  func.func public @main(%a: tensor<3x2x2xf32>) -> tensor<3x2xf32> {
    %0 = "mr.map"(%a) ({
    ^bb0(%m: tensor<2x2xf32>):
      %0:2 = stablehlo.custom_call @partita.eigh(%m) {mhlo.backend_config = {lower = true}} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
      "mr.return"(%0#1) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
})";
  const auto out = run_text(text, {f32({3, 2, 2}, {2, 1, 1, 2, 5, 0, 0, -4, 1, 0, 0, 1})});
  EXPECT_THAT(values_of(out[0]),
              ElementsAre(DoubleNear(1, 1e-6), DoubleNear(3, 1e-6), -4, 5, 1, 1));
}

TEST(LapackCalls, what_they_do_not_take_is_refused) {
  const auto call = [](const std::string& name, const std::string& config,
                       const std::string& type) {
    return refusal_of(cat("func.func @main(%a: tensor<2x3xf32>) {\n  %0 = stablehlo.custom_call @",
                          name, "(%a) {backend_config = {", config, "}} : (tensor<2x3xf32>) -> ",
                          type, "\n  return\n}"));
  };
  EXPECT_THAT(call("partita.eigh", "", "tensor<2x3xf32>"), HasSubstr("expected square matrices"));
  EXPECT_THAT(call("partita.svd", "uv = true", "tensor<2xf32>"),
              HasSubstr("expected compute_uv, full_matrices in the backend_config, found uv"));
  EXPECT_THAT(call("partita.svd", "compute_uv = 3 : i64", "tensor<2xf32>"),
              HasSubstr("a boolean as compute_uv"));
  EXPECT_THAT(call("partita.svd", "", "tensor<3xf32>"),
              HasSubstr("result 0 of type tensor<2xf32>"));
  EXPECT_THAT(call("lapack_dgetrf_ffi", "", "tensor<2x3xf64>"), HasSubstr("operand 0 of f64"));
  EXPECT_THAT(call("lapack_sgesdd_ffi", "", "tensor<2x3xf32>"), HasSubstr("a number mode"));
  EXPECT_THAT(call("lapack_sgehrd_ffi", "low = 2 : i32, high = 3 : i32", "tensor<2x3xf32>"),
              HasSubstr("low = 1"));
}

}  // namespace
}  // namespace partita::ir
