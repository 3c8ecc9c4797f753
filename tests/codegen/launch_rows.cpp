// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How items of OpenCL launches are counted: along rows of the arrays, and several columns at a time.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

struct Found {
  std::vector<std::array<std::int64_t, 2>> globals;
  std::string text;  ///< of kernels
};

Found compile(const std::string& arguments, const std::string& result, const std::string& body,
              const std::string& device = "generic") {
  const auto module = ir::parse_module(
      cat("func.func @main(", arguments, ") -> ", result, " {\n", body, "}\n"), "program");
  const Artifact artifact =
      partita::compile(*module, {.target = "opencl", .device = device}).artifact;
  Found found;
  for (const Step& s : artifact.plan.steps)
    if (const Launch* l = std::get_if<Launch>(&s.what))
      found.globals.push_back({l->global[0].value(), l->global[1].value()});
  const std::string& source = artifact.modules[0].source;
  found.text = source.substr(source.find("__kernel"));
  return found;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

using Globals = std::vector<std::array<std::int64_t, 2>>;

TEST(LaunchRows, index_without_divisions) {
  const Found found =
      compile("%x: tensor<30x50xf32>, %b: tensor<50xf32>", "tensor<30x50xf32>",
              "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<50xf32>) -> "
              "tensor<30x50xf32>\n"
              "%1 = stablehlo.add %x, %0 : tensor<30x50xf32>\n"
              "return %1 : tensor<30x50xf32>\n");
  EXPECT_EQ(found.globals, (Globals{{50, 30}}));
  EXPECT_FALSE(contains(found.text, "%"));
  EXPECT_FALSE(contains(found.text, " / "));
  EXPECT_TRUE(contains(found.text, "get_global_id(1)"));
}

TEST(LaunchRows, leave_items_that_are_not_divided) {
  const Found found = compile("%x: tensor<30x50xf32>", "tensor<30x50xf32>",
                              "%0 = stablehlo.add %x, %x : tensor<30x50xf32>\n"
                              "return %0 : tensor<30x50xf32>\n");
  EXPECT_EQ(found.globals, (Globals{{1536, 1}}));
  EXPECT_FALSE(contains(found.text, "get_global_id(1)"));
}

TEST(LaunchRows, decide_by_row_where_an_array_comes_from) {
  const Found found = compile("%x: tensor<9x32xf32>, %y: tensor<9x32xf32>", "tensor<9x64xf32>",
                              "%0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<9x32xf32>, "
                              "tensor<9x32xf32>) -> tensor<9x64xf32>\n"
                              "return %0 : tensor<9x64xf32>\n");
  ASSERT_EQ(found.globals.size(), 1u);
  EXPECT_EQ(found.globals[0][0] * found.globals[0][1], 9 * 64);
}

Found column_sums(const std::string& rows, const std::string& columns, const std::string& type) {
  const std::string matrix = cat("tensor<", rows, "x", columns, "x", type, ">"),
                    row = cat("tensor<", columns, "x", type, ">");
  return compile(cat("%x: ", matrix), row,
                 cat("%z = stablehlo.constant dense<0.0> : tensor<", type,
                     ">\n"
                     "%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions "
                     "= [0] : (",
                     matrix, ", tensor<", type, ">) -> ", row, "\nreturn %0 : ", row, "\n"));
}

TEST(LaunchRows, take_columns_in_vectors) {
  Found found = column_sums("100", "48", "f32");
  EXPECT_EQ(found.globals, (Globals{{3, 1}}));
  EXPECT_TRUE(contains(found.text, "f32x16 r0"));
  found = column_sums("100", "24", "f32");
  EXPECT_EQ(found.globals, (Globals{{3, 1}}));
  EXPECT_TRUE(contains(found.text, "f32x8 r0"));
  found = column_sums("100", "24", "f64");
  EXPECT_EQ(found.globals, (Globals{{3, 1}}));
  EXPECT_TRUE(contains(found.text, "f64x8 r0"));
}

TEST(LaunchRows, take_columns_one_by_one_where_vectors_do_not_fit) {
  EXPECT_FALSE(contains(column_sums("100", "37", "f32").text, "f32x"));
  EXPECT_FALSE(contains(column_sums("100", "48", "bf16").text, "x16 r"));
}

Found row_sums(const std::string& columns, const std::string& device = "generic") {
  const std::string matrix = cat("tensor<9x", columns, "xf32>");
  return compile(cat("%x: ", matrix), "tensor<9xf32>",
                 cat("%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions "
                     "= [1] : (",
                     matrix, ", tensor<f32>) -> tensor<9xf32>\nreturn %0 : tensor<9xf32>\n"),
                 device);
}

TEST(LaunchRows, let_long_sums_be_taken_in_any_order_and_short_ones_not) {
  EXPECT_TRUE(contains(row_sums("100").text, "#pragma clang fp reassociate(on)"));
  EXPECT_FALSE(contains(row_sums("16").text, "reassociate"));
}

// NVIDIA's compiler refuses pragmas of newer clangs.
TEST(LaunchRows, have_no_pragmas_of_compilers_on_gpus) {
  EXPECT_FALSE(contains(row_sums("100000", "gpu").text, "#pragma"));
}

}  // namespace
}  // namespace partita::testing
