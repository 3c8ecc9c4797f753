// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The element-wise combination of vectors: every dtype and combiner, special values, refusals.
#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>

#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "runtime/collective/combine.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita::collective {
namespace {

using partita::testing::Bytes;
using partita::testing::is_combinable;
using partita::testing::naive_all_reduce;
using partita::testing::sample_vector;

TEST(CollectiveCombine, EveryDtypeAndCombinerMatchesTheNaiveLoop) {
  for (DType dtype : all_dtypes) {
    for (Combiner combiner : collective_combiners) {
      if (!is_combinable(dtype, combiner)) continue;
      for (std::size_t count : {0u, 1u, 63u, 64u, 65u, 1000u}) {
        Bytes a = sample_vector(dtype, 0, count);
        const Bytes b = sample_vector(dtype, 1, count);
        combine(dtype, combiner, a.data(), a.data(), b.data(), count);
        EXPECT_EQ(a, naive_all_reduce(dtype, combiner, 2, count))
            << to_string(dtype) << ' ' << to_string(combiner) << ' ' << count;
      }
    }
  }
}

TEST(CollectiveCombine, RefusesWhatHasNoMeaning) {
  for (DType dtype : all_dtypes) {
    for (Combiner combiner : collective_combiners) {
      if (is_combinable(dtype, combiner)) {
        EXPECT_NO_THROW(check_combinable(dtype, combiner));
      } else {
        EXPECT_THROW(check_combinable(dtype, combiner), Error)
            << to_string(dtype) << ' ' << int(combiner);
      }
    }
  }
}

template <class T>
T combined(DType dtype, Combiner combiner, T a, T b) {
  // As the first, a middle and the last element: vectorised and scalar code.
  constexpr std::size_t count = 70;
  std::vector<T> va(count, a), vb(count, b);
  combine(dtype, combiner, reinterpret_cast<std::byte*>(va.data()),
          reinterpret_cast<std::byte*>(va.data()), reinterpret_cast<const std::byte*>(vb.data()),
          count);
  const auto bytes = std::as_bytes(std::span(va));
  EXPECT_TRUE(std::ranges::equal(bytes.first(sizeof(T)), bytes.last(sizeof(T))));
  return va[0];
}

template <class T>
void check_special_values(DType dtype) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const auto bits = [](T x) { return std::bit_cast<Bits>(x); };
  const T payload = std::bit_cast<T>(Bits(bits(nan) | 5)),
          negative_nan = std::bit_cast<T>(Bits(bits(nan) ^ bits(T(-0.0))));
  for (Combiner combiner : {Combiner::sum, Combiner::max, Combiner::min}) {
    for (T other : {T(1), inf, -inf, T(0), payload, negative_nan}) {
      EXPECT_EQ(bits(combined(dtype, combiner, nan, other)), bits(nan));
      EXPECT_EQ(bits(combined(dtype, combiner, other, payload)), bits(nan));
    }
  }
  EXPECT_EQ(bits(combined(dtype, Combiner::sum, inf, -inf)), bits(nan));
  EXPECT_EQ(combined(dtype, Combiner::sum, inf, T(1)), inf);
  EXPECT_EQ(combined(dtype, Combiner::max, -inf, T(1)), T(1));
  EXPECT_EQ(combined(dtype, Combiner::min, -inf, T(1)), -inf);
  const T zero = T(0), minus = -zero;
  EXPECT_EQ(bits(combined(dtype, Combiner::max, zero, minus)), bits(zero));
  EXPECT_EQ(bits(combined(dtype, Combiner::max, minus, zero)), bits(zero));
  EXPECT_EQ(bits(combined(dtype, Combiner::min, zero, minus)), bits(minus));
  EXPECT_EQ(bits(combined(dtype, Combiner::min, minus, zero)), bits(minus));
  EXPECT_EQ(bits(combined(dtype, Combiner::max, minus, minus)), bits(minus));
}

TEST(CollectiveCombine, NanPropagatesAndIsOneNan) {
  check_special_values<float>(DType::f32);
  check_special_values<double>(DType::f64);
}

TEST(CollectiveCombine, IntegersWrap) {
  EXPECT_EQ(combined<std::int32_t>(DType::i32, Combiner::sum,
                                   std::numeric_limits<std::int32_t>::max(), 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(combined<std::uint8_t>(DType::ui8, Combiner::sum, 250, 10), 4);
  EXPECT_EQ(combined<std::uint64_t>(DType::ui64, Combiner::max, ~std::uint64_t(0), 1),
            ~std::uint64_t(0));
  EXPECT_EQ(combined<std::int64_t>(DType::i64, Combiner::max, -1, 1), 1);
}

TEST(CollectiveCombine, BooleansAreTrueForAnyNonZeroByte) {
  EXPECT_EQ(combined<std::uint8_t>(DType::i1, Combiner::logical_and, 2, 1), 1);
  EXPECT_EQ(combined<std::uint8_t>(DType::i1, Combiner::logical_or, 0, 4), 1);
  EXPECT_EQ(combined<std::uint8_t>(DType::i1, Combiner::sum, 1, 1), 1);
  EXPECT_EQ(combined<std::uint8_t>(DType::i1, Combiner::min, 1, 0), 0);
}

}  // namespace
}  // namespace partita::collective
