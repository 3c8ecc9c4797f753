// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which convolutions, and products by constants, become Convolve steps, and that their results are the interpreter's.
#include <gtest/gtest.h>

#include <random>

#include "kernel/ast/plan_steps.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/codegen/convolution_text.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::testing {
namespace {

using driver::CompileOptions;

const CompileOptions on_cpu{.target = "cpu",
                            .target_options = {{"tier", "0"}, {"cpu", "x86-64-v3"}}};

std::vector<Convolve> convolutions(const Steps& steps) {
  std::vector<Convolve> found;
  for (const Step& s : steps) {
    if (const Convolve* c = std::get_if<Convolve>(&s.what)) found.push_back(*c);
    for (const Steps* inner : kernel::inner_steps(s)) {
      const auto within = convolutions(*inner);
      found.insert(found.end(), within.begin(), within.end());
    }
  }
  return found;
}

/// Runs a program on random numbers on target cpu and by the interpreter; its steps that convolve.
std::vector<Convolve> run(const std::string& text, const CompileOptions& options = on_cpu) {
  SCOPED_TRACE(text);
  const auto module = ir::parse_module(text, "program");
  const auto& function = module->entry("main");
  std::mt19937 random(3);
  std::vector<ir::Tensor> inputs;
  const Artifact artifact = partita::compile(*module, options).artifact;
  Session session(artifact, {.use_mpi = false});
  for (const ir::Value& a : function.body->arguments()) {
    HostArray wide(Type{.dtype = DType::f64, .dims = a.type().dims});
    std::uniform_real_distribution<double> numbers(-1, 1);
    for (std::int64_t i = 0; i < wide.type.count(); ++i)
      wide.data<DType::f64>()[i] = numbers(random);
    inputs.push_back(std::make_shared<const HostArray>(convert(wide, a.type().dtype)));
    session.set_input(int(inputs.size()) - 1, *inputs.back());
  }
  ir::Interpreter interpreter(*module);
  const auto expected = interpreter.run(function, inputs);
  for (int repeat = 0; repeat < 2; ++repeat) session.run();
  for (std::size_t k = 0; k < expected.size(); ++k)
    ir::expect_close(std::make_shared<const HostArray>(*session.output(int(k))), expected[k],
                     cat("result ", k), 200);
  return convolutions(artifact.plan.steps);
}

/// Floats from 1 to 2, as a dense constant's text.
std::string random_blob(int count) {
  std::mt19937 random(9);
  std::string text = "\"0x";
  for (int i = 0; i < count; ++i) {
    const unsigned bits = 0x3f800000U | (random() & 0x7fffffU);
    for (int byte = 0; byte < 4; ++byte) {
      constexpr std::string_view digits = "0123456789ABCDEF";
      const unsigned value = (bits >> (8 * byte)) & 0xffU;
      text += digits[value / 16];
      text += digits[value % 16];
    }
  }
  return text + "\"";
}

class LibraryConvolutions : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "the instruction sets are those of x86-64";
#endif
  }
};

TEST_F(LibraryConvolutions, AreThoseWithFeaturesLast) {
  const Shapes plain{"2x14x12x20", "3x3x20x24", "2x14x12x24"};
  const std::string pad = "pad = [[1, 1], [1, 1]]";
  const auto found = run(convolution(plain, pad));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].batch, 2);
  EXPECT_EQ(found[0].inputs, 20);
  EXPECT_EQ(found[0].outputs, 24);
  EXPECT_EQ(found[0].weight_strides, (std::vector<std::int64_t>{1440, 480, 24, 1}));
  // Strides, holes in the window, uneven padding, weights in another order.
  EXPECT_EQ(run(convolution({"2x27x31x20", "24x20x3x2", "2x12x29x24"},
                            "stride = [2, 1], pad = [[0, 1], [1, 0]], rhs_dilate = [2, 3]", 1,
                            "[b, 0, 1, f]x[o, i, 0, 1]->[b, 0, 1, f]"))
                .size(),
            1);
  // A filter for each feature; groups of sixteen.
  EXPECT_EQ(run(convolution({"2x24x24x40", "3x3x1x40", "2x24x24x40"}, pad, 40)).size(), 1);
  EXPECT_EQ(run(convolution({"1x17x17x32", "3x3x16x64", "1x17x17x64"}, pad, 2)).size(), 1);
  // One and three spatial dimensions.
  EXPECT_EQ(
      run(convolution({"3x200x12", "5x12x18", "3x196x18"}, "", 1, "[b, 0, f]x[0, i, o]->[b, 0, f]"))
          .size(),
      1);
  EXPECT_EQ(run(convolution({"1x9x8x7x10", "2x3x3x10x20", "1x8x6x5x20"}, "", 1,
                            "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]"))
                .size(),
            0);  // 240 windows
  EXPECT_EQ(run(convolution({"2x9x8x7x10", "2x3x3x10x20", "2x8x6x5x20"}, "", 1,
                            "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]"))
                .size(),
            1);
}

TEST_F(LibraryConvolutions, OfWindowsThatReachFarOverTheEdges) {
  // Only back, in several images and in one; in both directions of images; before one element and behind the other; in three dimensions.
  const std::string line = "[b, 0, f]x[0, i, o]->[b, 0, f]";
  for (const std::string& text :
       {convolution({"4x100x32", "7x32x64", "4x100x64"}, "pad = [[6, 0]]", 1, line),
        convolution({"1x300x32", "9x32x40", "1x300x40"}, "pad = [[8, 0]]", 1, line),
        convolution({"3x200x24", "5x24x32", "3x100x32"},
                    "stride = [2], pad = [[8, 7]], rhs_dilate = [4]", 1, line),
        convolution({"2x15x13x16", "9x7x16x32", "2x15x13x32"}, "pad = [[8, 0], [0, 6]]"),
        convolution({"1x21x17x16", "7x7x16x32", "1x21x23x32"}, "pad = [[3, 3], [6, 6]]"),
        convolution({"2x9x6x8x16", "5x3x7x16x32", "2x9x6x8x32"}, "pad = [[4, 0], [1, 1], [0, 6]]",
                    1, "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]")})
    EXPECT_EQ(run(text).size(), 1) << text;
}

TEST_F(LibraryConvolutions, AreNotOthers) {
  const Shapes plain{"2x14x12x20", "3x3x20x24", "2x14x12x24"};
  const std::string pad = "pad = [[1, 1], [1, 1]]";
  CompileOptions options = on_cpu;
  options.gemm = "generated";
  EXPECT_EQ(run(convolution(plain, pad), options).size(), 0);
  options = on_cpu;
  options.is_reproducible = true;
  EXPECT_EQ(run(convolution(plain, pad), options).size(), 0);
  options = on_cpu;
  options.target_options["cpu"] = "x86-64-v2";
  EXPECT_EQ(run(convolution(plain, pad), options).size(), 0);
  EXPECT_EQ(convolutions(
                partita::compile(convolution(plain, pad), {.target = "opencl"}).artifact.plan.steps)
                .size(),
            0);
  // A dilated input, a reversed window, more padding than a window reaches over, less than none.
  EXPECT_EQ(run(convolution({"2x14x12x20", "3x3x20x24", "2x27x23x24"},
                            "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]"))
                .size(),
            0);
  EXPECT_EQ(run(convolution(plain, pad + ", reverse = [true, false]")).size(), 0);
  EXPECT_EQ(
      run(convolution({"2x14x12x20", "3x3x20x24", "2x18x12x24"}, "pad = [[3, 3], [1, 1]]")).size(),
      0);
  EXPECT_EQ(
      run(convolution({"2x20x12x20", "3x3x20x24", "2x17x12x24"}, "pad = [[-1, 0], [1, 1]]")).size(),
      0);
  // Features in front; groups of few; few windows of weights that may differ from call to call; little work.
  EXPECT_EQ(run(convolution({"2x20x14x12", "3x3x20x24", "2x24x14x12"}, pad, 1,
                            "[b, f, 0, 1]x[0, 1, i, o]->[b, f, 0, 1]"))
                .size(),
            0);
  EXPECT_EQ(run(convolution({"2x24x24x40", "3x3x4x40", "2x24x24x40"}, pad, 10)).size(), 0);
  EXPECT_EQ(run(convolution({"2x7x7x64", "3x3x64x64", "2x7x7x64"}, pad)).size(), 0);
  EXPECT_EQ(run(convolution({"2x14x12x2", "3x3x2x4", "2x14x12x4"}, pad)).size(), 0);
}

TEST_F(LibraryConvolutions, DoWhatFollowsPieceByPiece) {
  CompileOptions options = on_cpu;
  for (const std::string tier : {"0", "1"}) {
    options.target_options["tier"] = tier;
    // A bias, what went around, and a rectifier; then its mask, of which the sum is no element.
    const auto found = run(R"(
func.func @main(%x: tensor<1x60x61x32xf32>, %w: tensor<3x3x32x32xf32>, %b: tensor<32xf32>) -> (tensor<1x60x61x32xf32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<1x60x61x32xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x60x61x32xf32>, tensor<3x3x32x32xf32>) -> tensor<1x60x61x32xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<32xf32>) -> tensor<1x60x61x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x60x61x32xf32>
  %3 = stablehlo.add %2, %x : tensor<1x60x61x32xf32>
  %4 = stablehlo.maximum %3, %zeros : tensor<1x60x61x32xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.maximum across dimensions = [0, 1, 2, 3] : (tensor<1x60x61x32xf32>, tensor<f32>) -> tensor<f32>
  return %4, %5 : tensor<1x60x61x32xf32>, tensor<f32>
})",
                           options);
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found[0].then.size(), 1);
  }
}

TEST_F(LibraryConvolutions, AreProductsOfEverySecondElementToo) {
  const auto found = run(R"(
func.func @main(%x: tensor<2x31x32x20xf32>, %w: tensor<1x1x20x48xf32>) -> tensor<2x16x16x48xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x31x32x20xf32>, tensor<1x1x20x48xf32>) -> tensor<2x16x16x48xf32>
  %1 = stablehlo.tanh %0 : tensor<2x16x16x48xf32>
  return %1 : tensor<2x16x16x48xf32>
})");
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].window.size(), 2);
  EXPECT_EQ(found[0].then.size(), 1);
}

TEST_F(LibraryConvolutions, OfConstantWeightsHaveFewWindowsToo) {
  const std::string text = cat(R"(
func.func @main(%x: tensor<2x7x7x64xf32>) -> (tensor<2x7x7x64xf32>, tensor<98x64xf32>, tensor<98x64xf32>) {
  %w = stablehlo.constant dense<)",
                               random_blob(3 * 3 * 64 * 64), R"(> : tensor<3x3x64x64xf32>
  %m = stablehlo.constant dense<)",
                               random_blob(64 * 64), R"(> : tensor<64x64xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x64xf32>, tensor<3x3x64x64xf32>) -> tensor<2x7x7x64xf32>
  %1 = stablehlo.reshape %x : (tensor<2x7x7x64xf32>) -> tensor<98x64xf32>
  %2 = stablehlo.dot_general %1, %m, contracting_dims = [1] x [0] : (tensor<98x64xf32>, tensor<64x64xf32>) -> tensor<98x64xf32>
  %3 = stablehlo.dot_general %1, %m, contracting_dims = [1] x [1] : (tensor<98x64xf32>, tensor<64x64xf32>) -> tensor<98x64xf32>
  return %0, %2, %3 : tensor<2x7x7x64xf32>, tensor<98x64xf32>, tensor<98x64xf32>
})");
  const auto found = run(text);
  EXPECT_EQ(found.size(), 3);
  for (const Convolve& c : found) EXPECT_EQ(c.window[0].input, c.window.size() == 1 ? 98 : 7);
}

}  // namespace
}  // namespace partita::testing
