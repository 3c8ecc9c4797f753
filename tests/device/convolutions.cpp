// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Convolve steps on the device of target cpu: random ones, on any number of threads, against sums in f64.
#include <cmath>
#include <limits>
#include <random>

#include "backend-cpu/codegen/host_compiler.hpp"
#include "backend-cpu/device/convolution.hpp"
#include "backend-cpu/device/cpu_device.hpp"
#include "partita/base/cpu_levels.hpp"
#include "runtime/device/plain_convolution.hpp"
#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

/// An artifact of one kernel, for a program that steps belong to.
const Artifact& artifact() {
  static const Artifact made = [] {
    constexpr const char* source =
        "void partita_none(long begin, long end, void* const* buffers, const long* offsets,\n"
        "                  const long* scalars) {}\n";
    Artifact a;
    a.target = "cpu";
    a.modules.push_back({.name = "test", .source = source});
    a.kernels.push_back({.name = "none", .module = 0});
    a.binaries.push_back(
        {best_cpu_level(), cpu::codegen::compile_shared_object(source, best_cpu_level())});
    return a;
  }();
  return made;
}

struct Case {
  Convolve step;
  std::vector<float> source, weights;
};

std::vector<float> integers(std::int64_t count, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& x : values) x = float(int(random() % 9) - 4);
  return values;
}

std::string text_of(const Convolve& c) {
  std::string text = cat(c.batch, " images, ", c.groups, " groups, ", c.inputs, " to ", c.outputs);
  for (const ConvolveWindow& w : c.window)
    text += cat("; ", w.size, " of ", w.input, " stride ", w.stride, " dilation ", w.dilation,
                " padding ", w.low, " and ", w.high);
  for (const std::int64_t stride : c.weight_strides) text += cat(", ", stride);
  return text;
}

/// Small integers, so that sums are exact in any order.
Case random_case(std::mt19937& random) {
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return least + std::int64_t(random() % std::uint64_t(most - least + 1));
  };
  Case c;
  Convolve& step = c.step;
  step.batch = pick(1, 5);
  const bool is_depthwise = pick(0, 4) == 0;
  step.groups = is_depthwise ? pick(2, 70) : pick(0, 6) == 0 ? 2 : 1;
  step.inputs = is_depthwise ? 1 : step.groups == 2 ? 16 * pick(1, 2) : pick(1, 40);
  step.outputs = is_depthwise ? 1 : step.groups == 2 ? 16 * pick(1, 2) : pick(1, 80);
  for (std::int64_t rank = pick(1, 3), d = 0; d < rank; ++d) {
    ConvolveWindow w;
    w.size = pick(1, 4);
    w.stride = pick(1, 3);
    w.dilation = pick(0, 3) == 0 ? 2 : 1;
    w.low = pick(0, 1) * pick(0, w.reach() - 1);
    w.high = pick(0, 1) * pick(0, w.reach() - 1);
    w.input = std::max<std::int64_t>(pick(1, rank == 3 ? 8 : 20), w.reach() - w.low - w.high);
    step.window.push_back(w);
  }
  // Any order of the dimensions of the weights.
  std::vector<std::int64_t> extents;
  for (const ConvolveWindow& w : step.window) extents.push_back(w.size);
  extents.push_back(step.inputs);
  extents.push_back(step.groups * step.outputs);
  std::vector<std::size_t> order(extents.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), random);
  step.weight_strides.resize(extents.size());
  std::int64_t stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    step.weight_strides[order[k]] = stride;
    stride *= extents[order[k]];
  }
  c.source = integers(step.source_count(), random);
  c.weights = integers(step.weight_span(), random);
  return c;
}

std::vector<float> expected(const Case& c) {
  std::vector<float> result(std::size_t(c.step.result_count()));
  convolve_plainly(c.step, {.images = c.step.batch, .rows = c.step.window[0].count()},
                   c.source.data(), c.weights.data(), result.data());
  return result;
}

/// Twice, the second time with weights that are said to be the same.
std::vector<float> convolved(const Case& c, int cores) {
  cpu::CpuDevice device(cores);
  const auto program = device.load(artifact());
  const auto source = device.allocate((c.source.size() + 2) * sizeof(float)),
             weights = device.allocate((c.weights.size() + 1) * sizeof(float)),
             result = device.allocate((std::size_t(c.step.result_count()) + 6) * sizeof(float));
  std::vector<float> values(std::size_t(c.step.result_count()) + 6, -77);
  device.write(*source, 2 * sizeof(float), std::as_bytes(std::span(c.source)));
  const auto run = [&](const std::vector<float>& w, bool stays) {
    device.write(*weights, sizeof(float), std::as_bytes(std::span(w)));
    device.write(*result, 0, std::as_bytes(std::span(values)));
    device.convolve(*program, {.convolve = &c.step,
                               .source = {source.get(), 2},
                               .weights = {weights.get(), 1},
                               .result = {result.get(), 3},
                               .weights_stay = stays});
  };
  run(std::vector<float>(c.weights.size(), 3), false);
  run(c.weights, true);
  device.read(*result, 0, std::as_writable_bytes(std::span(values)));
  for (const std::size_t k : {std::size_t(0), std::size_t(2), values.size() - 3, values.size() - 1})
    EXPECT_EQ(values[k], -77) << k;
  return {values.begin() + 3, values.end() - 3};
}

TEST(CpuConvolution, random_ones_equal_plain_loops_on_any_number_of_threads) {
  std::mt19937 random(11);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Case c = random_case(random);
    const int cores = int(1 + random() % 5);
    ASSERT_EQ(convolved(c, cores), expected(c))
        << repeat << ", " << cores << " cores: " << text_of(c.step);
  }
}

TEST(CpuConvolution, plain_loops_give_values_by_hand) {
  // Two images of three elements with two features; windows of two elements with one before.
  const Convolve step{.batch = 2,
                      .inputs = 2,
                      .outputs = 1,
                      .window = {{.input = 3, .size = 2, .stride = 2, .low = 1}},
                      .weight_strides = {2, 1, 1}};
  const Case c{step, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {1, 10, 100, 1000}};
  EXPECT_EQ(expected(c), (std::vector<float>{2100, 6543, 8700, 13209}));
  EXPECT_EQ(convolved(c, 2), expected(c));
}

TEST(CpuConvolution, padding_times_weights_that_are_not_finite_is_no_number) {
  std::mt19937 random(5);
  for (int repeat = 0; repeat < 60; ++repeat) {
    Case c = random_case(random);
    for (int k = 0; k < 3; ++k)
      c.weights[random() % c.weights.size()] =
          k == 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    // Zeros in the source would be no numbers as well.
    for (float& x : c.source) x = std::abs(x) + 1;
    const auto found = convolved(c, 2), wanted = expected(c);
    for (std::size_t k = 0; k < wanted.size(); ++k)
      ASSERT_TRUE(found[k] == wanted[k] || (std::isnan(found[k]) && std::isnan(wanted[k])))
          << k << ": " << found[k] << " for " << wanted[k] << "; " << text_of(c.step);
  }
}

TEST(CpuConvolution, pieces_cover_the_result_once_and_evenly) {
  const auto cut = [](std::int64_t batch, std::int64_t rows, std::int64_t outputs,
                      std::int64_t threads) {
    return cpu::cut_convolution({.batch = batch,
                                 .inputs = 256,
                                 .outputs = outputs,
                                 .window = {{.input = rows, .size = 3, .low = 1, .high = 1},
                                            {.input = rows, .size = 3, .low = 1, .high = 1}},
                                 .weight_strides = {}},
                                threads);
  };
  for (const std::int64_t batch : {1, 2, 3, 5, 8})
    for (const std::int64_t rows : {1, 7, 14, 56})
      for (const std::int64_t threads : {1, 2, 3, 16}) {
        const cpu::ConvolveCut made = cut(batch, rows, 512, threads);
        std::int64_t all = 0;
        for (const ConvolvePart& p : made.parts) {
          EXPECT_GT(p.images * p.rows, 0);
          EXPECT_LE(p.first_image + p.images, batch);
          EXPECT_LE(p.first_row + p.rows, rows);
          all += p.images * p.rows;
        }
        EXPECT_EQ(all, made.parts.empty() ? 0 : batch * rows);
        EXPECT_EQ(made.features.empty() ? 512 : made.features.back(), 512);
        EXPECT_NE(made.parts.empty(), made.features.empty());
      }
  // Rows of seven are uneven for two; features are not.
  EXPECT_EQ(cut(1, 7, 512, 2).features, (std::vector<std::int64_t>{0, 256, 512}));
  EXPECT_EQ(cut(1, 14, 512, 2).parts.size(), 2);
  EXPECT_EQ(cut(4, 7, 512, 2).parts.size(), 2);
  // Little work is one thread's.
  EXPECT_EQ(cut(1, 3, 16, 2).parts.size(), 1);
}

}  // namespace
}  // namespace partita::testing
