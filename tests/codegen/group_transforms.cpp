// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Fourier transforms for devices of many items: lines that fit in local memory, in one kernel each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/group_form.hpp"
#include "tests/codegen/transform_texts.hpp"

namespace partita::testing {
namespace {

TEST(GroupTransforms, equal_the_interpreter) {
  for (const char* kind : {"FFT", "IFFT", "RFFT", "IRFFT"}) {
    for (const std::int64_t n : {16, 18, 32, 64, 100, 360, 1024})
      expect_equal(fourier_text(kind, {5, n}, {n}), "gpu", n);
    expect_equal(fourier_text(kind, {3, 40, 60}, {40, 60}), "gpu", 2400);
    expect_equal(fourier_text(kind, {1, 3000}, {3000}), "gpu", 3000);
    expect_equal(fourier_text(kind, {2, 250}, {250}, "f64"), "gpu", 250);
  }
  expect_equal(fourier_text("FFT", {70, 32, 20}, {70, 32, 20}), "nvidia-sm_90", 44800);
  // Lines that do not fit, and a prime factor that is summed or convolved.
  for (const std::int64_t n : {8192, 34, 1009})
    expect_equal(fourier_text("FFT", {2, n}, {n}), "gpu", n);
}

TEST(GroupTransforms, lines_that_fit_are_transformed_by_one_kernel) {
  const auto kernels = [](std::int64_t n) {
    return compile_for(fourier_text("FFT", {64, n}, {n}), "nvidia-sm_90").artifact.kernels.size();
  };
  EXPECT_EQ(kernels(1024), 1U);
  EXPECT_EQ(kernels(2048), 1U);
  EXPECT_GT(kernels(8192), 1U);
}

TEST(GroupTransforms, move_what_was_asked_for) {
  expect_smooth(fourier_text("FFT", {512, 1024}, {1024}));
  expect_smooth(fourier_text("FFT", {512, 512}, {512, 512}));
}

}  // namespace
}  // namespace partita::testing
