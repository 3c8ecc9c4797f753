// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What moves elements, for devices of many items: gathers, concatenations, slices and random bits read and write side by
// side, 16 bytes at a time where they lie so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/group_form.hpp"

namespace partita::testing {
namespace {

std::string concatenation(const Dims& widths) {
  std::string arguments, operands, types;
  std::int64_t all = 0;
  for (const std::int64_t w : widths) {
    const std::string t = tensor({1024, w}, "f32"), comma = types.empty() ? "" : ", ";
    arguments += cat(comma, "%x", all, ": ", t);
    operands += cat(comma, "%x", all);
    types += cat(comma, t);
    all += w;
  }
  const std::string out = tensor({1024, all}, "f32");
  return cat("func.func @main(", arguments, ") -> ", out, " {\n  %0 = stablehlo.concatenate ",
             operands, ", dim = 1 : (", types, ") -> ", out, "\n  return %0 : ", out, "\n}\n");
}

TEST(GroupMoves, concatenations_are_read_and_written_as_16_bytes) {
  const auto text = [](const Dims& widths) {
    return compile_for(concatenation(widths), "nvidia-sm_90").source;
  };
  EXPECT_THAT(text({512, 256, 128}), ::testing::HasSubstr("*(const __global float4*)"));
  EXPECT_THAT(text({511, 257, 128}), ::testing::Not(::testing::HasSubstr("float4")));
  for (const Dims& widths : {Dims{512, 256, 128}, {511, 257, 128}, {510, 258, 128}}) {
    expect_equal(concatenation(widths), "nvidia-sm_90");
    expect_smooth(concatenation(widths));
  }
}

TEST(GroupMoves, gathers_of_rows_are_read_and_written_as_16_bytes) {
  const std::string text =
      R"(func.func @main(%x: tensor<2000x768xf32>, %i: tensor<1024xi32>) -> tensor<1024x768xf32> {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 768>}> : (tensor<2000x768xf32>, tensor<1024xi32>) -> tensor<1024x768xf32>
  return %0 : tensor<1024x768xf32>
}
)";
  EXPECT_THAT(compile_for(text, "nvidia-sm_90").source,
              ::testing::HasSubstr("*(const __global float4*)"));
  expect_equal(text, "nvidia-sm_90");
  expect_smooth(text);
}

TEST(GroupMoves, slices_and_random_bits_move_what_was_asked_for) {
  const std::string text =
      R"(func.func @main(%x: tensor<1024x512xf32>, %s: tensor<2xui64>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<512x512xf32>, tensor<1024x512xf32>, tensor<1024x600xf32>, tensor<4096x64xui32>, tensor<4096x64xui32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [512, 512] : (tensor<1024x512xf32>, tensor<i32>, tensor<i32>) -> tensor<512x512xf32>
  %1 = stablehlo.dynamic_update_slice %x, %0, %j, %i : (tensor<1024x512xf32>, tensor<512x512xf32>, tensor<i32>, tensor<i32>) -> tensor<1024x512xf32>
  %2 = stablehlo.pad %x, %z, low = [0, 40], high = [0, 48], interior = [0, 0] : (tensor<1024x512xf32>, tensor<f32>) -> tensor<1024x600xf32>
  %3, %4 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4096x64xui32>)
  %5, %6 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4096x64xui32>)
  return %0, %1, %2, %4, %6 : tensor<512x512xf32>, tensor<1024x512xf32>, tensor<1024x600xf32>, tensor<4096x64xui32>, tensor<4096x64xui32>
}
)";
  expect_equal(text, "nvidia-sm_90");
  expect_smooth(text);
}

}  // namespace
}  // namespace partita::testing
