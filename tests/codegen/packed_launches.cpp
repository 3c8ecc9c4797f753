// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Short launches of different sizes in one, and which stay alone.
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

Found compile(const std::string& arguments, const std::string& results, const std::string& body,
              const std::string& target = "opencl") {
  const auto module = ir::parse_module(
      cat("func.func @main(", arguments, ") -> (", results, ") {\n", body, "}\n"), "program");
  const Artifact artifact = partita::compile(*module, {.target = target}).artifact;
  Found found;
  for (const Step& s : artifact.plan.steps)
    if (const Launch* l = std::get_if<Launch>(&s.what))
      found.globals.push_back({l->global[0].value(), l->global[1].value()});
  if (!artifact.modules.empty()) found.text = artifact.modules[0].source;
  return found;
}

using Globals = std::vector<std::array<std::int64_t, 2>>;

/// `%r` from `%a`, elementwise, n elements each.
std::string line(const std::string& r, const std::string& a, std::int64_t n) {
  return cat(r, " = stablehlo.negate ", a, " : tensor<", n, "xf32>\n");
}

TEST(PackedLaunches, sizes_that_differ) {
  const std::string body = line("%0", "%x", 7) + line("%1", "%y", 300) +
                           "return %0, %1 : tensor<7xf32>, tensor<300xf32>\n";
  const Found found =
      compile("%x: tensor<7xf32>, %y: tensor<300xf32>", "tensor<7xf32>, tensor<300xf32>", body);
  EXPECT_EQ(found.globals, (Globals{{300, 1}}));
  EXPECT_NE(found.text.find("k0 < 7"), std::string::npos);
  EXPECT_NE(found.text.find("k0 < 300"), std::string::npos);
}

TEST(PackedLaunches, rows_beside_one_row) {
  const Found found = compile(
      "%x: tensor<30x50xf32>, %b: tensor<50xf32>, %y: tensor<9xf32>",
      "tensor<30x50xf32>, tensor<9xf32>",
      "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<50xf32>) -> tensor<30x50xf32>\n"
      "%1 = stablehlo.add %x, %0 : tensor<30x50xf32>\n" +
          line("%2", "%y", 9) + "return %1, %2 : tensor<30x50xf32>, tensor<9xf32>\n");
  EXPECT_EQ(found.globals, (Globals{{50, 30}}));
}

TEST(PackedLaunches, keep_what_needs_a_result_apart) {
  // The sum needs all of the products.
  const Found found = compile(
      "%x: tensor<40xf32>, %y: tensor<7xf32>", "tensor<f32>, tensor<40xf32>, tensor<7xf32>",
      line("%0", "%x", 40) +
          "%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
          "%1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : "
          "(tensor<40xf32>, tensor<f32>) -> tensor<f32>\n" +
          line("%2", "%y", 7) + "return %1, %0, %2 : tensor<f32>, tensor<40xf32>, tensor<7xf32>\n");
  EXPECT_LE(found.globals.size(), 2U);
  EXPECT_FALSE(found.globals.empty());
}

TEST(PackedLaunches, keep_long_launches_apart) {
  const Found found =
      compile("%x: tensor<7xf32>, %y: tensor<300000xf32>", "tensor<7xf32>, tensor<300000xf32>",
              line("%0", "%x", 7) + line("%1", "%y", 300000) +
                  "return %0, %1 : tensor<7xf32>, tensor<300000xf32>\n");
  EXPECT_EQ(found.globals.size(), 2U);
}

TEST(PackedLaunches, calls_of_functions_stay) {
  const Found found =
      compile("%x: tensor<7xf32>, %y: tensor<300xf32>", "tensor<7xf32>, tensor<300xf32>",
              line("%0", "%x", 7) + line("%1", "%y", 300) +
                  "return %0, %1 : tensor<7xf32>, tensor<300xf32>\n",
              "cpu");
  EXPECT_EQ(found.globals.size(), 2U);
}

}  // namespace
}  // namespace partita::testing
