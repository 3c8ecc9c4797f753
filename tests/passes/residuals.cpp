// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What `differentiate` says of values that are kept for reverse mode.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/artifact/describe.hpp"
#include "partita/compile.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::passes {
namespace {

using ::testing::HasSubstr;

constexpr const char* program = R"(module attributes {mr.placements = {clients = 3}} {
  func.func private @loss(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> tensor<f32> {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %l = "mr.map"(%b, %d) ({
    ^bb0(%p: tensor<2xf32>, %q: tensor<2xf32>):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %c = %p) : tensor<i32>, tensor<2xf32>
      cond {
        %n = stablehlo.constant dense<5> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %1 = stablehlo.multiply %c, %c : tensor<2xf32>
        %2 = stablehlo.multiply %1, %q : tensor<2xf32>
        %3 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, tensor<2xf32>
      }
      %s = stablehlo.dot_general %0#1, %q, contracting_dims = [0] x [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
      "mr.return"(%s) : (tensor<f32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
    %m = "mr.reduce_mean"(%l) {placement = "clients"} : (tensor<3xf32>) -> tensor<f32>
    return %m : tensor<f32>
  }
  func.func public @main(%x: tensor<2xf32>, %d: tensor<3x2xf32>) -> tensor<2xf32> {
    %g = "mr.grad"(%x, %d) {callee = @loss} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<2xf32>
    return %g : tensor<2xf32>
  }
})";

TEST(Residuals, AreSaidByMapAndLoop) {
  const auto module = ir::parse_module(program, "residuals");
  PassContext context;
  driver::run_passes(*module, driver::parse_pipeline("differentiate"), context);
  // The carry of 5 iterations, 2 elements of f32 each: what the loop keeps is what the map returns.
  ASSERT_EQ(context.notes.size(), 2u);
  EXPECT_EQ(context.notes[0], "residuals of mr.map in @main: 40 bytes a partition, 3 partitions");
  EXPECT_EQ(context.notes[1], "residuals of mr.map > stablehlo.while in @main: 40 bytes");
  EXPECT_EQ(context.counts["residual_bytes"], 120);
  EXPECT_EQ(ir::print_module(*module).find("residuals"), std::string::npos);
}

TEST(Residuals, AreSaidOfAnArtifact) {
  const auto module = ir::parse_module(program, "residuals");
  const std::string text = describe_artifact(partita::compile(*module, {.target = "cpu"}).artifact);
  EXPECT_THAT(text, HasSubstr("\n  residuals = 120 bytes\n"));
  EXPECT_THAT(text,
              HasSubstr("\n  residuals of mr.map in @main = 40 bytes a partition, 3 partitions\n"));
  EXPECT_THAT(text, HasSubstr("\n  residuals of mr.map > stablehlo.while in @main = 40 bytes\n"));
}

}  // namespace
}  // namespace partita::passes
