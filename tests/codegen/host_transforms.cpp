// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms by the host: where there is one to call, and that they give what the interpreter gives, as kernels do
// elsewhere.
#include <gtest/gtest.h>

#include "tests/codegen/on_targets.hpp"
#include "tests/codegen/transform_texts.hpp"

namespace partita::testing {
namespace {

using driver::CompileOptions;

/// What the host computes of a program without loops.
std::size_t host_calls(const std::string& text, const CompileOptions& options) {
  const Steps steps = partita::compile(text, options).artifact.plan.steps;
  return std::size_t(std::ranges::count_if(
      steps, [](const Step& s) { return std::holds_alternative<HostCall>(s.what); }));
}

void expect_equal_on_targets(const std::string& text, std::int64_t terms, std::size_t calls) {
  const Asked asked(text);
  for (const std::string& target : targets_here())
    for (const char* gemm : {"auto", "generated"}) {
      const CompileOptions options{.target = target, .gemm = gemm};
      SCOPED_TRACE(cat(target, " ", gemm, ": ", text));
      EXPECT_EQ(host_calls(text, options), std::string_view(gemm) == "auto" ? calls : 0);
      asked.expect_of(partita::compile(text, options).artifact, target,
                      4 * std::log2(double(terms) + 2));
    }
}

TEST(HostTransforms, equal_the_interpreter_as_kernels_do) {
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (const std::int64_t n : {1, 2, 15, 34, 96})
      expect_equal_on_targets(fourier_text(kind, {5, n}, {n}), n, 1);
    expect_equal_on_targets(fourier_text(kind, {2, 3, 9, 7}, {3, 9, 7}), 189, 3);
    expect_equal_on_targets(fourier_text(kind, {3, 20, 4}, {20, 4}, "f64"), 80, 2);
    // A prime factor that is summed or convolved by kernels.
    expect_equal_on_targets(fourier_text(kind, {2, 262}, {262}), 262, 0);
  }
}

// Where what is transformed is nobody else's, it becomes the result.
TEST(HostTransforms, of_complex_numbers_are_in_place) {
  const std::string type = "tensor<30x40xcomplex<f32>>", transform = ", length = [30, 40] : ";
  const std::string types = cat("(", type, ") -> ", type, "\n");
  const std::string text = cat(
      "func.func @main(%x: ", type, ") -> ", type, " {\n  %a = stablehlo.add %x, %x : ", type,
      "\n  %b = stablehlo.fft %a, type = FFT", transform, types,
      "  %c = stablehlo.multiply %b, %x : ", type, "\n  %d = stablehlo.fft %c, type = IFFT",
      transform, types, "  %e = stablehlo.add %d, %x : ", type, "\n  return %e : ", type, "\n}\n");
  const Asked asked(text);
  const Artifact artifact = partita::compile(text, {.target = "cpu"}).artifact;
  constexpr std::int64_t array = 30 * 40 * 8;
  EXPECT_LE(artifact.plan.arena_bytes, array);
  asked.expect_of(artifact, "in place", 64);
}

TEST(HostTransforms, of_nothing_are_nothing) {
  expect_equal_on_targets(fourier_text("FFT", {0, 8}, {8}), 8, 0);
  expect_equal_on_targets(fourier_text("RFFT", {3, 0, 8}, {8}), 8, 0);
}

TEST(HostTransforms, are_kernels_where_there_is_no_host_to_call) {
  const std::string text = fourier_text("FFT", {4, 12, 10}, {12, 10});
  EXPECT_EQ(host_calls(text, {.target = "cpu"}), 2U);
  EXPECT_EQ(host_calls(text, {.target = "cpu", .text_only = true}), 0U);
  EXPECT_EQ(host_calls(text, {.target = "cpu", .is_reproducible = true}), 0U);
  EXPECT_EQ(host_calls(text, {.target = "opencl", .device = "gpu"}), 0U);
}

}  // namespace
}  // namespace partita::testing
