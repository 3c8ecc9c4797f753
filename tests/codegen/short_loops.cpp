// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Innermost loops in the text of target cpu: how many iterations at a time short ones do, that their results are the
// interpreter's, and that padding and rotations make no branches in them.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/codegen/on_targets.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::testing {
namespace {

/// The logarithm of the sum of exponentials of rows, as floats of `dtype`.
std::string log_sum_exp(std::int64_t rows, std::int64_t columns, std::string_view dtype) {
  const std::string scalar = cat("tensor<", dtype, ">"),
                    vector = cat("tensor<", rows, "x", dtype, ">"),
                    matrix = cat("tensor<", rows, "x", columns, "x", dtype, ">");
  return cat(
      "func.func @main(%x: ", matrix, ") -> ", vector,
      " {\n  %z = stablehlo.constant dense<0.0> : ", scalar,
      "\n  %e = stablehlo.exponential %x : ", matrix,
      "\n  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (",
      matrix, ", ", scalar, ") -> ", vector, "\n  %l = stablehlo.log %s : ", vector,
      "\n  return %l : ", vector, "\n}\n");
}

/// Sums of columns.
std::string column_sums(std::int64_t rows, std::int64_t columns) {
  const std::string vector = cat("tensor<", columns, "xf32>"),
                    matrix = cat("tensor<", rows, "x", columns, "xf32>");
  return cat(
      "func.func @main(%x: ", matrix, ") -> ", vector,
      " {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>",
      "\n  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (",
      matrix, ", tensor<f32>) -> ", vector, "\n  return %s : ", vector, "\n}\n");
}

/// The program's results on target cpu and by the interpreter, of the same random numbers.
void expect_interpreters_results(const std::string& text, std::mt19937& random) {
  SCOPED_TRACE(text);
  const auto module = ir::parse_module(text, "program");
  const Type type = module->entry("main").body->argument(0).type();
  HostArray wide(Type{.dtype = DType::f64, .dims = type.dims});
  std::uniform_real_distribution<double> numbers(-4, 4);
  for (std::int64_t i = 0; i < wide.type.count(); ++i) wide.data<DType::f64>()[i] = numbers(random);
  const auto input = std::make_shared<const HostArray>(convert(wide, type.dtype));
  ir::Interpreter interpreter(*module);
  const auto expected = interpreter.run(module->entry("main"), std::vector<ir::Tensor>{input});
  Session session(
      partita::compile(text, {.target = "cpu", .target_options = {{"tier", "1"}}}).artifact,
      {.use_mpi = false});
  session.set_input(0, *input);
  session.run();
  ir::expect_close(std::make_shared<const HostArray>(*session.output(0)), expected[0], "the result",
                   8);
}

Artifact compiled(const std::string& text) {
  driver::CompileOptions options{.target = "cpu",
                                 .target_options = {{"tier", "1"}, {"cpu", "x86-64-v4"}}};
  return partita::compile(text, options).artifact;
}

TEST(ShortLoops, SayHowManyIterationsLeaveFewForTheEnd) {
#ifndef __x86_64__
  GTEST_SKIP() << "the instruction sets are those of x86-64";
#endif
  struct Case {
    std::int64_t columns;
    std::string_view dtype;
    std::string_view expected;  ///< of the sum's loop; none: a whole vector
  };
  // Of 30 floats vectors of 16 leave 14, of 8 leave 6, of 4 leave 2.
  for (const Case& c : {Case{30, "f32", "simdlen(4)"}, Case{24, "f32", "simdlen(8)"},
                        Case{32, "f32", ""}, Case{33, "f32", ""}, Case{300, "f32", ""},
                        Case{20, "f64", "simdlen(4)"}, Case{24, "f64", ""}}) {
    const Artifact artifact = compiled(log_sum_exp(1024, c.columns, c.dtype));
    const std::string& source = artifact.modules.at(0).source;
    SCOPED_TRACE(cat(c.columns, " of ", c.dtype, "\n", source));
    const std::size_t at = source.find("#pragma omp simd");
    ASSERT_NE(at, std::string::npos);
    const std::string pragma = source.substr(at, source.find('\n', at) - at);
    EXPECT_EQ(pragma.find("simdlen") != std::string::npos, !c.expected.empty());
    EXPECT_NE(pragma.find(c.expected), std::string::npos);
  }
}

TEST(ShortLoops, OfAConvolutionLeaveOutPaddingWithoutBranches) {
  const Artifact artifact = compiled(R"(
func.func @main(%x: tensor<1x14x14x128xf32>, %w: tensor<3x3x1x128xf32>) -> tensor<1x14x14x128xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 128 : i64} : (tensor<1x14x14x128xf32>, tensor<3x3x1x128xf32>) -> tensor<1x14x14x128xf32>
  return %0 : tensor<1x14x14x128xf32>
})");
  const std::string& source = artifact.modules.at(0).source;
  const std::string kernel = source.substr(source.find(cat(artifact.kernels.at(0).name, "(")));
  EXPECT_NE(kernel.find(") & -(i32)"), std::string::npos) << kernel;
  EXPECT_EQ(kernel.find(" : 0.0f;"), std::string::npos) << kernel;
}

TEST(ShortLoops, OverBlocksOfItemsHaveAKnownNumberOfTurnsWhereRowsConsistOfWholeOnes) {
  struct Case {
    std::int64_t columns, block;
    bool is_whole;
  };
  for (const Case& c : {Case{128, 64, true}, Case{96, 48, true}, Case{32, 32, true},
                        Case{300, 256, false}, Case{530, 256, false}}) {
    // Rows of images, so that items have several rows.
    const Artifact artifact = compiled(cat(
        "func.func @main(%x: tensor<7x5x", c.columns, "xf32>) -> tensor<7x", c.columns,
        "xf32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  %s = stablehlo.reduce(%x "
        "init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<7x5x",
        c.columns, "xf32>, tensor<f32>) -> tensor<7x", c.columns, "xf32>\n  return %s : tensor<7x",
        c.columns, "xf32>\n}\n"));
    const std::string& source = artifact.modules.at(0).source;
    SCOPED_TRACE(cat(c.columns, "\n", source));
    const std::size_t blocks = source.find(cat(" += ", c.block, ") {"));
    ASSERT_NE(blocks, std::string::npos);
    const std::size_t first_loop = source.find("for (i32 k0", blocks);
    const std::string before = source.substr(blocks, first_loop - blocks);
    EXPECT_EQ(before.find(" ? ") == std::string::npos, c.is_whole);
  }
}

/// Reductions of the columns of a matrix, in this order.
std::string reductions_of_columns(std::int64_t rows, std::int64_t columns,
                                  const std::vector<std::string>& combiners) {
  const std::string matrix = cat("tensor<", rows, "x", columns, "xf32>"),
                    vector = cat("tensor<", columns, "xf32>");
  std::string body, names, types;
  for (std::size_t k = 0; k < combiners.size(); ++k) {
    const bool is_sum = combiners[k] == "add";
    const std::string start = is_sum                      ? "0.0"
                              : combiners[k] == "maximum" ? "0xFF800000"
                                                          : "0x7F800000";
    body += cat("  %s", k, " = stablehlo.constant dense<", start, "> : tensor<f32>\n  %r", k,
                " = stablehlo.reduce(%x init: %s", k, ") applies stablehlo.", combiners[k],
                " across dimensions = [0] : (", matrix, ", tensor<f32>) -> ", vector, "\n");
    names += cat(k > 0 ? ", " : "", "%r", k);
    types += cat(k > 0 ? ", " : "", vector);
  }
  return cat("func.func @main(%x: ", matrix, ") -> (", types, ") {\n", body, "  return ", names,
             " : ", types, "\n}\n");
}

/// How often the text reads its first buffer.
int reads(const std::string& source) {
  int count = 0;
  for (std::size_t at = source.find("= b0["); at != std::string::npos;
       at = source.find("= b0[", at + 1))
    ++count;
  return count;
}

TEST(ShortLoops, OfSumsInTurnsHoldTheRoundsOfExtrema) {
  using Combiners = std::vector<std::string>;
  for (const Combiners& combiners :
       {Combiners{"add", "maximum", "minimum"}, Combiners{"maximum", "add"},
        Combiners{"minimum", "add", "maximum"}}) {
    const std::string text = reductions_of_columns(1024, 48, combiners);
    const std::string source = compiled(text).modules.at(0).source;
    EXPECT_EQ(reads(source), 1) << source;
    const Asked asked(text);
    for (const std::string& target : targets_here())
      asked.expect_of(partita::compile(text, {.target = target}).artifact, target, 64);
  }
  // Sums of 1000 rows are turns of 32 and a rest of another length.
  const Asked uneven(reductions_of_columns(1000, 48, {"maximum", "add"}));
  for (const std::string& target : targets_here())
    uneven.expect_of(partita::compile(uneven.text, {.target = target}).artifact, target, 64);
}

TEST(ShortLoops, GiveTheInterpretersResults) {
  std::mt19937 random(7);
  for (const std::string_view dtype : {"f32", "f64"})
    for (const std::int64_t columns : {1, 3, 4, 5, 9, 12, 17, 24, 30, 31, 63, 64, 65})
      for (const std::int64_t rows : {1, 13, 30})
        expect_interpreters_results(log_sum_exp(rows, columns, dtype), random);
  // Enough for several threads, which begin and end within blocks of items.
  for (const std::int64_t columns : {32, 80, 96, 100, 128, 160, 200, 300, 530})
    expect_interpreters_results(column_sums(3000, columns), random);
}

TEST(ShortLoops, OfARotationAreTwoWithoutConditions) {
  const Artifact artifact = compiled(R"(
func.func @main(%x: tensor<1000xf32>, %s: tensor<i32>) -> tensor<1000xf32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<2000xf32>
  %1 = stablehlo.dynamic_slice %0, %s, sizes = [1000] : (tensor<2000xf32>, tensor<i32>) -> tensor<1000xf32>
  return %1 : tensor<1000xf32>
})");
  ASSERT_EQ(artifact.kernels.size(), 1u);
  const std::string& text = artifact.modules.at(0).source;
  const std::string kernel = text.substr(text.find(cat(artifact.kernels[0].name, "(")));
  std::size_t loops = 0;
  for (std::size_t at = 0; (at = kernel.find("for (", at)) != std::string::npos; ++at) ++loops;
  EXPECT_EQ(loops, 2u) << kernel;
  EXPECT_EQ(kernel.find("if ("), std::string::npos) << kernel;
}

}  // namespace
}  // namespace partita::testing
