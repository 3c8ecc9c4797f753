// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums that travel rounded: formats against their definition, sums against their bound, and what feedback gives back.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "partita/base/dtype.hpp"
#include "runtime/collective/wire.hpp"
#include "tests/unit/thread_channel.hpp"

namespace partita::collective {
namespace {

using partita::testing::on_ranks;

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> rounded(WireFormat format, const std::vector<float>& values) {
  std::vector<std::byte> bytes(wire_bytes(format, values.size()));
  encode(format, values, bytes.data());
  std::vector<float> result(values.size());
  decode(format, bytes.data(), result);
  return result;
}

/// Values of every exponent, borders between two values of 16 bits and their neighbours among them.
std::vector<float> floats_of_all_sizes() {
  std::vector<float> values{0,
                            -0.0F,
                            65504,
                            65519.99F,
                            65520,
                            65536,
                            1e30F,
                            infinity,
                            -infinity,
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::denorm_min()};
  std::mt19937 random(1);
  for (std::uint32_t high = 0; high < 0xff80; high += 3)
    for (const std::uint32_t low : {0U, 0x1000U, 0x0fffU, 0x1001U, 0x7fffU, 0x8000U, 0x8001U,
                                    std::uint32_t(random() & 0xffff)})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  std::erase_if(values, [](float x) { return std::isnan(x); });
  return values;
}

template <DType d>
void expect_as_dtype(WireFormat format) {
  const std::vector<float> values = floats_of_all_sizes(), found = rounded(format, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto expected =
        float(SmallFloatOf<d>::decode(SmallFloatOf<d>::encode(double(values[i]))));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(expected))
        << values[i];
  }
  EXPECT_TRUE(std::isnan(rounded(format, {nan})[0]));
  EXPECT_TRUE(std::isnan(rounded(format, {std::bit_cast<float>(0x7fffffffU)})[0]));
}

TEST(CollectiveWire, BrainFloatsAreThoseOfTheDtype) {
  expect_as_dtype<DType::bf16>(WireFormat::bf16);
}
TEST(CollectiveWire, HalfFloatsAreThoseOfTheDtype) { expect_as_dtype<DType::f16>(WireFormat::f16); }

TEST(CollectiveWire, Int8IsOffByHalfAStepOfItsBlock) {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  for (const std::size_t count :
       {std::size_t(1), std::size_t(255), wire_block, wire_block + 1, 5 * wire_block + 7}) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t block = i / std::size_t(wire_block);
      values[i] = normal(random) * std::exp2(float(block) * 9 - 20);
    }
    const std::vector<float> found = rounded(WireFormat::int8, values);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = i / wire_block * wire_block;
      float largest = 0;
      for (std::size_t j = begin; j < std::min(begin + wire_block, count); ++j)
        largest = std::max(largest, std::abs(values[j]));
      EXPECT_LE(std::abs(found[i] - values[i]), largest / 254 * 1.00001F)
          << count << ", element " << i;
    }
  }
}

TEST(CollectiveWire, Int8OfZerosAndOfNoNumbers) {
  EXPECT_EQ(rounded(WireFormat::int8, {0, -0.0F, 0}), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(rounded(WireFormat::int8, {}), std::vector<float>{});
  for (const float x : {infinity, -infinity, nan})
    for (const float y : rounded(WireFormat::int8, {1, x, 2})) EXPECT_TRUE(std::isnan(y)) << x;
  std::vector<float> two_blocks(wire_block + 1, 1.0F);
  two_blocks.back() = nan;
  EXPECT_EQ(rounded(WireFormat::int8, two_blocks)[0], 1.0F);
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_LE(rounded(WireFormat::int8, {tiny})[0], tiny);
}

struct Terms {
  std::vector<std::vector<float>> of_rank;
  /// Exact sums, and the bound of what rounding may take: u of each term and of the sum, by block for int8.
  std::vector<double> sum, bound;
};

Terms random_terms(int ranks, std::size_t count, WireFormat format) {
  std::mt19937 random(unsigned(ranks) * 1000 + unsigned(count));
  std::normal_distribution<float> normal;
  Terms terms{
      .of_rank = {}, .sum = std::vector<double>(count), .bound = std::vector<double>(count)};
  const double unit = format == WireFormat::bf16 ? 0x1p-8 : 0x1p-11;
  const auto add_bound = [&](const auto& of) {
    double largest = 0;
    for (const auto x : of) largest = std::max(largest, std::abs(double(x)));
    // Blocks are cut anew in each rank's part: the largest of all bounds any of them.
    for (std::size_t i = 0; i < count; ++i)
      terms.bound[i] +=
          format == WireFormat::int8 ? largest / 254 : std::abs(double(of[i])) * unit + 0x1p-25;
  };
  for (int r = 0; r < ranks; ++r) {
    std::vector<float> values(count);
    for (float& x : values) x = normal(random);
    for (std::size_t i = 0; i < count; ++i) terms.sum[i] += double(values[i]);
    add_bound(values);
    terms.of_rank.push_back(std::move(values));
  }
  add_bound(terms.sum);
  // The sum that is rounded is off already; and it is one of f32.
  for (double& b : terms.bound) b = b * 1.02 + 1e-6 * ranks;
  return terms;
}

constexpr WireFormat rounded_formats[] = {WireFormat::bf16, WireFormat::f16, WireFormat::int8};

TEST(CollectiveWire, SumsAreWithinTheBoundAndAlikeOnAllRanks) {
  for (const int ranks : {1, 2, 3, 4, 7})
    for (const std::size_t count :
         {std::size_t(0), std::size_t(1), std::size_t(5), std::size_t(1024), std::size_t(70001)})
      for (const WireFormat format : rounded_formats) {
        const Terms terms = random_terms(ranks, count, format);
        std::vector<std::vector<float>> results = terms.of_rank;
        on_ranks(ranks, 1 << 14, [&](Ranks over) {
          all_reduce_rounded(
              over, std::as_writable_bytes(std::span(results[std::size_t(over.channel.rank())])),
              format, nullptr);
        });
        for (int r = 1; r < ranks; ++r) EXPECT_EQ(results[std::size_t(r)], results[0]);
        for (std::size_t i = 0; i < count; ++i)
          ASSERT_LE(std::abs(double(results[0][i]) - terms.sum[i]), ranks == 1 ? 0 : terms.bound[i])
              << to_string(format) << ", " << ranks << " ranks, element " << i << " of " << count;
      }
}

TEST(CollectiveWire, WhatFeedbackKeepsArrivesLater) {
  constexpr int ranks = 3, calls = 50;
  constexpr std::size_t count = 3000;
  for (const WireFormat format : rounded_formats) {
    const Terms terms = random_terms(ranks, count, format);
    std::vector<double> total(count);
    on_ranks(ranks, 1 << 12, [&](Ranks over) {
      std::vector<float> rest;
      for (int k = 0; k < calls; ++k) {
        std::vector<float> data = terms.of_rank[std::size_t(over.channel.rank())];
        all_reduce_rounded(over, std::as_writable_bytes(std::span(data)), format, &rest);
        if (over.channel.rank() == 0)
          for (std::size_t i = 0; i < count; ++i) total[i] += double(data[i]);
      }
    });
    // All calls together are off by no more than one call is, not by as much for each.
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_LE(std::abs(total[i] - calls * terms.sum[i]), 1.5 * terms.bound[i] + 1e-5 * calls)
          << to_string(format) << ", element " << i;
  }
}

TEST(CollectiveWire, ARestThatIsNoNumberIsForgotten) {
  std::vector<std::vector<float>> results(2);
  on_ranks(2, 1 << 12, [&](Ranks over) {
    std::vector<float> rest;
    std::vector<float> first(8, over.channel.rank() == 0 ? infinity : 1.0F), second(8, 1.0F);
    all_reduce_rounded(over, std::as_writable_bytes(std::span(first)), WireFormat::f16, &rest);
    all_reduce_rounded(over, std::as_writable_bytes(std::span(second)), WireFormat::f16, &rest);
    EXPECT_EQ(first, std::vector<float>(8, infinity));
    results[std::size_t(over.channel.rank())] = second;
  });
  EXPECT_EQ(results[0], std::vector<float>(8, 2.0F));
  EXPECT_EQ(results[1], results[0]);
}

}  // namespace
}  // namespace partita::collective
