// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The parts of `partita check` that need a wrong target to show anything: comparison, the first op
// that departs, shrinking.  The tool is no library, so its sources are compiled in here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "partita/artifact/npz.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/check/compare.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tools/partita/check/per_op.cpp"   // NOLINT(bugprone-suspicious-include)
#include "tools/partita/check/shrink.cpp"   // NOLINT(bugprone-suspicious-include)
#include "tools/partita/check/targets.cpp"  // NOLINT(bugprone-suspicious-include)
#include "tools/partita/local_device.cpp"   // NOLINT(bugprone-suspicious-include)

namespace partita::tool {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

HostArray floats(const std::vector<float>& values) {
  HostArray array(Type{.dtype = DType::f32, .dims = {std::int64_t(values.size())}});
  std::copy(values.begin(), values.end(), array.data<DType::f32>());
  return array;
}

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

TEST(CheckCompare, TreatsSpecialValuesAsEqualBySign) {
  const Tolerance exact;
  EXPECT_FALSE(difference(floats({nan, inf, -inf, -0.0F}), floats({nan, inf, -inf, 0.0F}), exact));
  EXPECT_TRUE(difference(floats({inf}), floats({-inf}), {1, 1}));
  EXPECT_TRUE(difference(floats({nan}), floats({1}), {1, 1}));
  EXPECT_TRUE(difference(floats({inf}), floats({1}), {1, 1}));
}

TEST(CheckCompare, SaysWhatDiffersAndHowMuch) {
  EXPECT_EQ(difference(floats({1, 2, 3}), floats({1, 2.5, 5}), {}).value_or(""),
            "expected 2.5 at [1], found 2 (2 of 3 elements differ, by at most 2)");
  EXPECT_FALSE(difference(floats({1, 2}), floats({1, 2.5}), {0, 0.2}));
  EXPECT_EQ(difference(floats({1}), floats({1, 2}), {}).value_or(""),
            "expected type tensor<2xf32>, found tensor<1xf32>");
}

TEST(CheckCompare, WidensTolerancesWhereBf16FeedsAResult) {
  const auto module = ir::parse_module(R"(
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<i32>) {
  %0 = func.call @through(%x) : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.add %x, %x : tensor<f32>
  %2 = stablehlo.convert %0 : (tensor<f32>) -> tensor<i32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<i32>
}
func.func private @through(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.convert %x : (tensor<f32>) -> tensor<bf16>
  %1 = stablehlo.convert %0 : (tensor<bf16>) -> tensor<f32>
  return %1 : tensor<f32>
})");
  EXPECT_THAT(
      coarse_sources(*module, *module->functions[0]),
      ::testing::ElementsAre(CoarseFloat(DType::bf16), std::nullopt, CoarseFloat(DType::bf16)));
  EXPECT_EQ(tolerance_for(DType::f32, DType::bf16, {}).relative, 1e-2);
  EXPECT_EQ(tolerance_for(DType::f32, {}, {}).relative, 1e-4);
  EXPECT_EQ(tolerance_for(DType::f64, {}, {.relative = 0.5, .absolute = {}}).relative, 0.5);
  EXPECT_EQ(tolerance_for(DType::i32, DType::bf16, {.relative = 0.5, .absolute = 1}).relative, 0);
}

TEST(CheckCompare, TolerancesFollowFromTheFormat) {
  const auto is = [](DType d, CoarseFloat fed_by, double absolute, double relative) {
    const Tolerance t = tolerance_for(d, fed_by, {});
    return t.absolute == absolute && t.relative == relative;
  };
  EXPECT_TRUE(is(DType::f64, {}, 1e-10, 1e-10) && is(DType::c128, {}, 1e-10, 1e-10));
  EXPECT_TRUE(is(DType::f32, {}, 1e-5, 1e-4) && is(DType::c64, {}, 1e-5, 1e-4));
  EXPECT_TRUE(is(DType::f16, {}, 1e-3, 1e-3) && is(DType::bf16, {}, 1e-5, 1e-2));
  for (const DType d : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::c64})
    EXPECT_TRUE(is(d, DType::bf16, 1e-5, 1e-2)) << to_string(d);
}

constexpr const char* program = R"(
func.func @main(%x: tensor<4xf32>, %unused: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.sine %1 : tensor<4xf32>
  %3 = func.call @shift(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = stablehlo.multiply %3, %0 : tensor<4xf32>
  return %0, %4 : tensor<4xf32>, tensor<4xf32>
}
func.func private @shift(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})";

/// The interpreter, but sine is cosine.
CheckTarget wrong_target() {
  return {.name = "wrong",
          .is_interpreter = false,
          .run = [](const ir::Module& module, const ir::Function& function,
                    const std::vector<HostArray>& inputs) {
            const auto copy = ir::clone_module(module);
            ir::Graph& body = *copy->find(function.name)->body;
            for (ir::Node* node : std::vector<ir::Node*>(body.nodes()))
              if (node->is("stablehlo.sine"))
                body.replace_uses(node->result(), ir::create_value(body, "stablehlo.cosine",
                                                                   node->operands(), {}, {}, node));
            return interpret(*copy, *copy->find(function.name), inputs).results;
          }};
}

class CheckWrongTarget : public ::testing::Test {
 protected:
  const std::unique_ptr<ir::Module> module_ = ir::parse_module(program, "program.mlir");
  const CheckTarget target_ = wrong_target();
  const ToleranceOptions tolerance_;
  const Comparison comparison_{.module = *module_,
                               .function = *module_->functions[0],
                               .inputs = {floats({1, 2, 3, 4}), floats({0, 0, 0, 0})},
                               .target = target_,
                               .tolerance = tolerance_};
};

TEST_F(CheckWrongTarget, NamesTheFirstOpThatDeparts) {
  EXPECT_THAT(departure(comparison_), StartsWith("out1: expected"));
  EXPECT_THAT(first_departure(comparison_),
              StartsWith("first departure from the interpreter: program.mlir:5:8: stablehlo.sine: "
                         "expected -0.909297"));
}

TEST_F(CheckWrongTarget, ShrinksToTheOpThatFails) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "partita_shrunk.variant.mlir";
  EXPECT_THAT(shrink_to(comparison_, path), StartsWith("shrunk from 5 to 1 nodes: "));
  const auto shrunk = ir::read_module(path);
  ASSERT_EQ(shrunk->functions.size(), 1U);
  const ir::Graph& body = *shrunk->functions[0]->body;
  ASSERT_EQ(body.nodes().size(), 1U);
  EXPECT_TRUE(body.nodes()[0]->is("stablehlo.sine"));
  EXPECT_EQ(body.argument_count(), 1);
  const auto arrays =
      read_npz(std::filesystem::path(::testing::TempDir()) / "partita_shrunk.io.npz");
  EXPECT_EQ(arrays.at("in0"), floats({-2, -4, -6, -8}));
  EXPECT_EQ(arrays.size(), 2U);
}

TEST_F(CheckWrongTarget, HasNothingToShrinkWhereTheTargetAgrees) {
  const std::vector<CheckTarget> interpreter = choose_targets("interpreter", {});
  const Comparison agreeing{.module = *module_,
                            .function = *module_->functions[0],
                            .inputs = comparison_.inputs,
                            .target = interpreter.front(),
                            .tolerance = tolerance_};
  EXPECT_THAT(
      shrink_to(agreeing, std::filesystem::path(::testing::TempDir()) / "partita_nothing.mlir"),
      HasSubstr("nothing to shrink"));
}

}  // namespace
}  // namespace partita::tool
