// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What contractions come to in a plan: what follows them is part of their kernels or of the library's
// call, steps of an optimiser happen in place, and how many partitions a block holds.
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "passes/transforms/place/block_size.hpp"

namespace partita::testing {
namespace {

struct Found {
  std::vector<Launch> launches;
  std::vector<Gemm> gemms;
  int copies_in_loops = 0;
};

void find(const Steps& steps, bool in_loop, Found& found) {
  for (const Step& s : steps) {
    if (const Launch* l = std::get_if<Launch>(&s.what)) found.launches.push_back(*l);
    if (const Gemm* g = std::get_if<Gemm>(&s.what)) found.gemms.push_back(*g);
    found.copies_in_loops += in_loop && std::holds_alternative<Copy>(s.what);
    if (const For* f = std::get_if<For>(&s.what)) find(f->body, true, found);
  }
}

Found compile(const std::string& text, const driver::CompileOptions& options) {
  const auto module = ir::parse_module(text, "program");
  Found found;
  find(partita::compile(*module, options).artifact.plan.steps, false, found);
  return found;
}

Found compile(const std::string& text, const std::string& gemm) {
  return compile(text, driver::CompileOptions{.gemm = gemm});
}

const char* const layer = R"(
func.func @main(%x: tensor<20x784xf32>, %w: tensor<784x200xf32>, %b: tensor<200xf32>) -> tensor<20x200xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<20x784xf32>, tensor<784x200xf32>) -> tensor<20x200xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<200xf32>) -> tensor<20x200xf32>
  %2 = stablehlo.add %0, %1 : tensor<20x200xf32>
  %3 = stablehlo.tanh %2 : tensor<20x200xf32>
  return %3 : tensor<20x200xf32>
})";

const char* const training = R"(
func.func @main(%x: tensor<4x20x784xf32>, %g: tensor<20x200xf32>, %w: tensor<784x200xf32>) -> tensor<784x200xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<4> : tensor<i32>
  %rate = stablehlo.constant dense<0.5> : tensor<784x200xf32>
  %0:2 = stablehlo.while(%i = %zero, %v = %w) : tensor<i32>, tensor<784x200xf32>
  cond {
    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %x, %i, %zero, %zero, sizes = [1, 20, 784] : (tensor<4x20x784xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x20x784xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x20x784xf32>) -> tensor<20x784xf32>
    %3 = stablehlo.dot_general %g, %2, contracting_dims = [0] x [0] : (tensor<20x200xf32>, tensor<20x784xf32>) -> tensor<200x784xf32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<200x784xf32>) -> tensor<784x200xf32>
    %5 = stablehlo.multiply %rate, %4 : tensor<784x200xf32>
    %6 = stablehlo.subtract %v, %5 : tensor<784x200xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %6 : tensor<i32>, tensor<784x200xf32>
  }
  return %0#1 : tensor<784x200xf32>
})";

TEST(Contractions, do_what_follows_before_they_store) {
  const Found found = compile(layer, "generated");
  EXPECT_EQ(found.launches.size(), 1u);
  EXPECT_TRUE(found.gemms.empty());
}

TEST(Contractions, of_several_matrices_by_one_are_vectors_along_the_last_dimension) {
  for (const char* const product : {R"(
func.func @main(%w: tensor<3x5x40xf32>, %x: tensor<7x5xf32>, %y: tensor<3x7x40xf32>) -> tensor<3x7x40xf32> {
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1] : (tensor<3x5x40xf32>, tensor<7x5xf32>) -> tensor<3x40x7xf32>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<3x40x7xf32>) -> tensor<3x7x40xf32>
  %2 = stablehlo.multiply %1, %y : tensor<3x7x40xf32>
  return %2 : tensor<3x7x40xf32>
})",
                                    R"(
func.func @main(%x: tensor<7x5xf32>, %w: tensor<3x5x40xf32>, %y: tensor<3x7x40xf32>) -> tensor<3x7x40xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<7x5xf32>, tensor<3x5x40xf32>) -> tensor<7x3x40xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<7x3x40xf32>) -> tensor<3x7x40xf32>
  %2 = stablehlo.multiply %1, %y : tensor<3x7x40xf32>
  return %2 : tensor<3x7x40xf32>
})"}) {
    const auto module = ir::parse_module(product, "program");
    const auto [artifact, report] = partita::compile(*module, {.gemm = "generated"});
    ASSERT_EQ(report.contractions.size(), 1u);
    EXPECT_EQ(report.contractions[0].find("single elements"), std::string::npos)
        << report.contractions[0];
    EXPECT_EQ(artifact.kernels.size(), 1u);
  }
}

TEST(Contractions, of_sums_over_dimensions_that_lie_apart_are_vectors_along_one_of_them) {
  // Both operands are contiguous along the 40, which is named first or last.
  for (const char* const dims : {"[0, 2] x [0, 2]", "[2, 0] x [2, 0]"}) {
    const std::string product =
        cat(R"(
func.func @main(%x: tensor<3x7x40xf32>, %w: tensor<3x9x40xf32>) -> tensor<7x9xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = )",
            dims, R"( : (tensor<3x7x40xf32>, tensor<3x9x40xf32>) -> tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
})");
    const auto module = ir::parse_module(product, "program");
    const auto [artifact, report] = partita::compile(*module, {.gemm = "generated"});
    ASSERT_EQ(report.contractions.size(), 1u);
    EXPECT_EQ(report.contractions[0].find("single elements"), std::string::npos)
        << report.contractions[0];
  }
}

TEST(Contractions, choose_by_truth_values_in_vectors) {
  for (const char* const target : {"cpu", "opencl"}) {
    const auto module = ir::parse_module(R"(
func.func @main(%a: tensor<32x64xf32>, %b: tensor<64x64xf32>, %c: tensor<32x64xf32>, %m: tensor<32x64xi1>, %one: tensor<i1>) -> tensor<32x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = stablehlo.negate %c : tensor<32x64xf32>
  %2 = stablehlo.select %m, %0, %1 : tensor<32x64xi1>, tensor<32x64xf32>
  %3 = stablehlo.select %one, %2, %c : tensor<i1>, tensor<32x64xf32>
  return %3 : tensor<32x64xf32>
})",
                                         "program");
    const Artifact artifact =
        partita::compile(*module, {.target = target, .gemm = "generated"}).artifact;
    ASSERT_EQ(artifact.kernels.size(), 1u);
    const std::string& text = artifact.modules.at(0).source;
    const std::string kernel = text.substr(text.find(cat(artifact.kernels[0].name, "(")));
    EXPECT_NE(kernel.find("choose_lanes(f32, "), std::string::npos) << target;
    EXPECT_NE(kernel.find("truth_lanes(f32, "), std::string::npos) << target;
    EXPECT_NE(kernel.find("same_lanes(f32, "), std::string::npos) << target;
    // Nothing is left to do lane by lane, between arrays.
    EXPECT_EQ(kernel.find(" = a"), std::string::npos) << kernel;
    EXPECT_EQ(kernel.find(" = x"), std::string::npos) << kernel;
  }
}

TEST(Contractions, of_vectors_apart_in_the_result_store_them_from_an_array) {
  // Vectors of results lie along 32, whose elements are 64 apart in the first result and side by side in the second.
  const std::string product = R"(
func.func @main(%a: tensor<16x64x32xf32>, %b: tensor<16x64x64xf32>) -> tensor<RESULT> {
  %0 = stablehlo.dot_general OPERANDS : (TYPES) -> tensor<RESULT>
  return %0 : tensor<RESULT>
})";
  const std::pair<const char*, const char*> forms[] = {
      {"%a, %b, batching_dims = [0] x [0], contracting_dims = [1] x [2]", "16x32x64xf32"},
      {"%b, %a, batching_dims = [0] x [0], contracting_dims = [2] x [1]", "16x64x32xf32"}};
  for (const char* const target : {"cpu", "opencl"})
    for (const auto& [operands, result] : forms) {
      const bool is_apart = operands[1] == 'a';
      std::string text = product;
      const auto put = [&](std::string_view word, std::string_view with) {
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word))
          text.replace(at, word.size(), with);
      };
      put("OPERANDS", operands), put("RESULT", result);
      put("TYPES", is_apart ? "tensor<16x64x32xf32>, tensor<16x64x64xf32>"
                            : "tensor<16x64x64xf32>, tensor<16x64x32xf32>");
      const Artifact artifact = partita::compile(*ir::parse_module(text, "program"),
                                                 {.target = target, .gemm = "generated"})
                                    .artifact;
      const std::string& source = artifact.modules.at(0).source;
      EXPECT_EQ(source.find(" a0[") != std::string::npos, is_apart) << target << "\n" << source;
    }
}

TEST(Contractions, step_in_place) {
  const Found found = compile(training, "generated");
  EXPECT_EQ(found.launches.size(), 1u);
  EXPECT_EQ(found.copies_in_loops, 0);
}

TEST(Contractions, with_weights_that_are_constants_are_the_librarys) {
  std::string rows;
  for (int i = 0; i < 16; ++i) {
    rows += i == 0 ? "[" : ", [";
    for (int j = 0; j < 16; ++j) rows += cat(j == 0 ? "" : ", ", i * j % 7, ".5");
    rows += "]";
  }
  const auto program = [&](std::string_view weights, std::string_view contracting) {
    return cat("func.func @main(%x: tensor<64x16xf32>) -> tensor<64x16xf32> {\n", weights,
               "  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [", contracting,
               "] : (tensor<64x16xf32>, tensor<16x16xf32>) -> tensor<64x16xf32>\n"
               "  return %r : tensor<64x16xf32>\n}\n");
  };
  const std::string plain =
                        cat("  %w = stablehlo.constant dense<[", rows, "]> : tensor<16x16xf32>\n"),
                    reshaped = cat("  %c = stablehlo.constant dense<[[", rows,
                                   "]]> : tensor<1x16x16xf32>\n  %w = stablehlo.reshape %c : "
                                   "(tensor<1x16x16xf32>) -> tensor<16x16xf32>\n");
  for (const char* const target : {"cpu", "opencl"})
    for (const std::string& text :
         {program(plain, "0"), program(plain, "1"), program(reshaped, "0")}) {
      const auto module = ir::parse_module(text, "program");
      const auto [artifact, report] = partita::compile(
          *module, {.target = target, .gemm = target[0] == 'c' ? "auto" : "clblast"});
      EXPECT_TRUE(artifact.kernels.empty()) << target << "\n" << text;
    }
}

TEST(Contractions, of_the_library_add_to_what_is_there) {
  const Found found = compile(training, "clblast");
  ASSERT_EQ(found.gemms.size(), 1u);
  EXPECT_TRUE(found.launches.empty());
  EXPECT_EQ(found.copies_in_loops, 0);
  const Gemm& g = found.gemms[0];
  EXPECT_EQ(g.alpha, -0.5);
  EXPECT_EQ(g.beta, 1);
  EXPECT_EQ(g.m, 784);
  EXPECT_EQ(g.n, 200);
  EXPECT_TRUE(g.transpose_a);
  EXPECT_FALSE(g.transpose_b);
}

TEST(Contractions, of_the_library_leave_what_it_cannot_do_to_a_kernel) {
  const Found found = compile(layer, "clblast");
  EXPECT_EQ(found.gemms.size(), 1u);
  EXPECT_EQ(found.launches.size(), 1u);
}

#if defined(__x86_64__)
Found compile_for_level(const std::string& body, const std::string& level) {
  driver::CompileOptions options;
  options.target = "cpu";
  options.target_options = {{"cpu", level}, {"tier", "0"}};
  return compile(cat("func.func @main(%x: tensor<20x784xbf16>, %w: tensor<784x200xbf16>, %f: "
                     "tensor<784x200xf32>) -> tensor<20x200xf32> {\n",
                     body, "  return %r : tensor<20x200xf32>\n}\n"),
                 options);
}

TEST(Contractions, of_the_library_read_bf16_where_processors_may_multiply_it) {
  const char* const product = R"(
  %r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<20x784xbf16>, tensor<784x200xbf16>) -> tensor<20x200xf32>
)";
  const Found native = compile_for_level(product, "x86-64-v4");
  ASSERT_EQ(native.gemms.size(), 1u);
  EXPECT_TRUE(native.gemms[0].reads_bf16);
  EXPECT_EQ(native.gemms[0].dtype, DType::f32);
  EXPECT_TRUE(native.launches.empty());
  const Found widened = compile_for_level(product, "x86-64-v3");
  ASSERT_EQ(widened.gemms.size(), 1u);
  EXPECT_FALSE(widened.gemms[0].reads_bf16);
  EXPECT_FALSE(widened.launches.empty());
}

TEST(Contractions, of_numbers_that_were_bf16_read_them) {
  // The right operand is a view whose elements lie as the library reads them; the wide one has
  // another user.
  const Found found = compile_for_level(R"(
  %a = stablehlo.convert %x : (tensor<20x784xbf16>) -> tensor<20x784xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<784x200xbf16>) -> tensor<200x784xbf16>
  %b = stablehlo.convert %t : (tensor<200x784xbf16>) -> tensor<200x784xf32>
  %p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<20x784xf32>, tensor<200x784xf32>) -> tensor<20x200xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<20x784xf32>, tensor<f32>) -> tensor<20xf32>
  %v = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<20xf32>) -> tensor<20x200xf32>
  %r = stablehlo.add %p, %v : tensor<20x200xf32>
)",
                                        "x86-64-v4");
  ASSERT_EQ(found.gemms.size(), 1u);
  EXPECT_TRUE(found.gemms[0].reads_bf16);
  EXPECT_FALSE(found.gemms[0].transpose_b);
}

TEST(Contractions, of_a_number_that_was_bf16_and_one_that_was_not_read_f32) {
  const Found found = compile_for_level(R"(
  %a = stablehlo.convert %x : (tensor<20x784xbf16>) -> tensor<20x784xf32>
  %r = stablehlo.dot_general %a, %f, contracting_dims = [1] x [0] : (tensor<20x784xf32>, tensor<784x200xf32>) -> tensor<20x200xf32>
)",
                                        "x86-64-v4");
  ASSERT_EQ(found.gemms.size(), 1u);
  EXPECT_FALSE(found.gemms[0].reads_bf16);
}
#endif

TEST(BlockSize, makes_launches_cheap_beside_the_work_and_keeps_blocks_in_cache) {
  using passes::PartitionWork;
  const PartitionWork much{
      .launches = 100, .operations = {{DType::f32, 1e11}}, .bytes = 1e6, .held_bytes = 1 << 20};
  EXPECT_EQ(passes::choose_block(much, 512).block, 1);
  const PartitionWork some{
      .launches = 100, .operations = {{DType::f32, 7e7}}, .bytes = 8e6, .held_bytes = 1 << 20};
  EXPECT_EQ(passes::choose_block(some, 512).block, 8);
  EXPECT_EQ(passes::choose_block(some, 5).block, 4);
  const PartitionWork large{.launches = 100, .operations = {}, .bytes = 0, .held_bytes = 3 << 20};
  EXPECT_EQ(passes::choose_block(large, 512).block, 2);
  const PartitionWork tiny{
      .launches = 100, .operations = {{DType::f32, 10}}, .bytes = 10, .held_bytes = 10};
  EXPECT_EQ(passes::choose_block(tiny, 100000).block, 512);
  EXPECT_EQ(passes::choose_block(tiny, 0).block, 1);
}

}  // namespace
}  // namespace partita::testing
