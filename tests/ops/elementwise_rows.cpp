// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values of the elementwise rows: by hand at the corners, of 8-bit integers all of them against a
// wider computation, of special functions against Boost.Math.
#include <gtest/gtest.h>

#include <bit>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <set>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float tiny = std::numeric_limits<float>::denorm_min();

/// The row's value for one element; operands and result as they lie in memory.
template <class R, class... T>
R value(std::string_view row, DType d, T... operands) {
  const ElementwiseFn f = elementwise_function(elementwise_row(row), d);
  EXPECT_NE(f, nullptr) << row << " of " << to_string(d);
  R result{};
  const void* pointers[] = {&operands...};
  if (f) f(pointers, &result, 1);
  return result;
}
template <class... T>
float f32(std::string_view row, T... operands) {
  return value<float>(row, DType::f32, float(operands)...);
}
template <class... T>
std::int32_t i32(std::string_view row, T... operands) {
  return value<std::int32_t>(row, DType::i32, std::int32_t(operands)...);
}
template <class... T>
std::uint32_t ui32(std::string_view row, T... operands) {
  return value<std::uint32_t>(row, DType::ui32, std::uint32_t(operands)...);
}
template <class... T>
bool holds(std::string_view row, T... operands) {
  return value<std::uint8_t>(row, DType::f32, float(operands)...) != 0;
}

constexpr std::int32_t min32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t max32 = std::numeric_limits<std::int32_t>::max();

/// Equal as numbers, with the sign of zero; NaN equals NaN.
void expect_same(float expected, float actual, const std::string& what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual)) << what << " is " << actual;
  else
    EXPECT_EQ(std::bit_cast<std::uint32_t>(expected), std::bit_cast<std::uint32_t>(actual))
        << what << ": expected " << expected << ", found " << actual;
}

struct Unary {
  std::string_view row;
  float x, expected;
};

TEST(ElementwiseRows, exact_values_of_unary_rows) {
  constexpr Unary cases[] = {
      {"abs", -0.0f, 0.0f},
      {"abs", -inf, inf},
      {"abs", nan, nan},
      {"abs", -tiny, tiny},
      {"negate", 0.0f, -0.0f},
      {"negate", inf, -inf},
      {"negate", 2.5f, -2.5f},
      {"sign", -0.0f, -0.0f},
      {"sign", 0.0f, 0.0f},
      {"sign", nan, nan},
      {"sign", -inf, -1.0f},
      {"sign", tiny, 1.0f},
      {"square", -3.0f, 9.0f},
      {"square", -inf, inf},
      {"square", tiny, 0.0f},
      {"ceil", -0.5f, -0.0f},
      {"ceil", 1.2f, 2.0f},
      {"ceil", inf, inf},
      {"ceil", nan, nan},
      {"floor", -0.5f, -1.0f},
      {"floor", 1.8f, 1.0f},
      {"floor", -0.0f, -0.0f},
      {"round_nearest_afz", 2.5f, 3.0f},
      {"round_nearest_afz", -2.5f, -3.0f},
      {"round_nearest_afz", 0.49999997f, 0.0f},
      {"round_nearest_afz", -0.2f, -0.0f},
      {"round_nearest_even", 2.5f, 2.0f},
      {"round_nearest_even", 3.5f, 4.0f},
      {"round_nearest_even", -0.5f, -0.0f},
      {"round_nearest_even", nan, nan},
      {"sqrt", 4.0f, 2.0f},
      {"sqrt", -1.0f, nan},
      {"sqrt", -0.0f, -0.0f},
      {"sqrt", inf, inf},
      {"rsqrt", 4.0f, 0.5f},
      {"rsqrt", 0.0f, inf},
      {"rsqrt", inf, 0.0f},
      {"rsqrt", -1.0f, nan},
      {"cbrt", -8.0f, -2.0f},
      {"cbrt", 0.0f, 0.0f},
      {"exponential", 0.0f, 1.0f},
      {"exponential", -inf, 0.0f},
      {"exponential", 1000.0f, inf},
      {"exponential", nan, nan},
      {"exponential_minus_one", 0.0f, 0.0f},
      {"exponential_minus_one", -inf, -1.0f},
      {"exponential_minus_one", 1e-20f, 1e-20f},
      {"log", 1.0f, 0.0f},
      {"log", 0.0f, -inf},
      {"log", -1.0f, nan},
      {"log", inf, inf},
      {"log_plus_one", 0.0f, 0.0f},
      {"log_plus_one", -1.0f, -inf},
      {"log_plus_one", 1e-20f, 1e-20f},
      {"logistic", 0.0f, 0.5f},
      {"logistic", inf, 1.0f},
      {"logistic", -inf, 0.0f},
      {"logistic", nan, nan},
      {"tanh", 0.0f, 0.0f},
      {"tanh", inf, 1.0f},
      {"tanh", -inf, -1.0f},
      {"sine", 0.0f, 0.0f},
      {"sine", inf, nan},
      {"cosine", 0.0f, 1.0f},
      {"cosine", -inf, nan},
      {"tan", 0.0f, 0.0f},
      {"chlo_tan", -0.0f, -0.0f},
      {"asin", 2.0f, nan},
      {"asin", 0.0f, 0.0f},
      {"acos", 1.0f, 0.0f},
      {"acos", -1.5f, nan},
      {"atan", 0.0f, 0.0f},
      {"sinh", inf, inf},
      {"sinh", 0.0f, 0.0f},
      {"cosh", -inf, inf},
      {"cosh", 0.0f, 1.0f},
      {"asinh", -inf, -inf},
      {"acosh", 1.0f, 0.0f},
      {"acosh", 0.5f, nan},
      {"atanh", 1.0f, inf},
      {"atanh", -1.0f, -inf},
      {"atanh", 2.0f, nan},
      {"erf", inf, 1.0f},
      {"erf", -inf, -1.0f},
      {"erf", 0.0f, 0.0f},
      {"erfc", 0.0f, 1.0f},
      {"erfc", inf, 0.0f},
      {"erfc", -inf, 2.0f},
      {"erf_inv", 0.0f, 0.0f},
      {"erf_inv", 1.0f, inf},
      {"erf_inv", -1.0f, -inf},
      {"erf_inv", 1.5f, nan},
      {"lgamma", 1.0f, 0.0f},
      {"lgamma", 2.0f, 0.0f},
      {"lgamma", 0.0f, inf},
      {"lgamma", -3.0f, inf},
      {"lgamma", inf, inf},
      {"digamma", 0.0f, nan},
      {"digamma", -0.0f, nan},
      {"digamma", -2.0f, nan},
      {"digamma", -16777218.0f, nan},
      {"digamma", -inf, nan},
      {"digamma", inf, inf},
      {"digamma", nan, nan},
      {"bessel_i1e", 0.0f, 0.0f},
      {"bessel_i1e", inf, 0.0f},
      {"bessel_i1e", nan, nan},
      {"imag", 3.0f, 0.0f},
      {"real", -0.0f, -0.0f},
  };
  for (const Unary& c : cases) expect_same(c.expected, f32(c.row, c.x), cat(c.row, "(", c.x, ")"));
}

TEST(ElementwiseRows, exact_values_of_binary_rows) {
  struct Binary {
    std::string_view row;
    float x, y, expected;
  };
  const float largest = std::numeric_limits<float>::max();
  const Binary cases[] = {
      {"add", inf, -inf, nan},
      {"add", 0.1f, 0.2f, 0.1f + 0.2f},
      {"add", -0.0f, 0.0f, 0.0f},
      {"add", largest, largest, inf},
      {"subtract", 1.0f, 1.0f, 0.0f},
      {"subtract", inf, inf, nan},
      {"multiply", 0.0f, inf, nan},
      {"multiply", -0.0f, 5.0f, -0.0f},
      {"multiply", tiny, 0.5f, 0.0f},
      {"divide", 1.0f, 0.0f, inf},
      {"divide", 1.0f, -0.0f, -inf},
      {"divide", 0.0f, 0.0f, nan},
      {"divide", 1.0f, 3.0f, 1.0f / 3.0f},
      {"maximum", nan, 1.0f, nan},
      {"maximum", 1.0f, nan, nan},
      {"maximum", -0.0f, 0.0f, 0.0f},
      {"maximum", 0.0f, -0.0f, 0.0f},
      {"maximum", -inf, -5.0f, -5.0f},
      {"minimum", nan, 1.0f, nan},
      {"minimum", 1.0f, nan, nan},
      {"minimum", -0.0f, 0.0f, -0.0f},
      {"minimum", 0.0f, -0.0f, -0.0f},
      {"minimum", -inf, -5.0f, -inf},
      {"power", 0.0f, 0.0f, 1.0f},
      {"power", -2.0f, 3.0f, -8.0f},
      {"power", -2.0f, 0.5f, nan},
      {"power", 0.0f, -1.0f, inf},
      {"power", 1.0f, nan, 1.0f},
      {"power", inf, -1.0f, 0.0f},
      {"remainder", 5.5f, 2.0f, 1.5f},
      {"remainder", -5.5f, 2.0f, -1.5f},
      {"remainder", 5.5f, -2.0f, 1.5f},
      {"remainder", 1.0f, 0.0f, nan},
      {"remainder", -4.0f, 2.0f, -0.0f},
      {"remainder", 3.0f, inf, 3.0f},
      {"atan2", 0.0f, -0.0f, 3.14159274f},
      {"atan2", -0.0f, 1.0f, -0.0f},
      {"atan2", 1.0f, 0.0f, 1.57079637f},
      {"atan2", inf, -inf, 2.3561945f},
      {"next_after", 0.0f, 1.0f, tiny},
      {"next_after", 1.0f, 2.0f, 1.00000012f},
      {"next_after", 1.0f, 0.0f, 0.99999994f},
      {"next_after", largest, inf, inf},
      {"next_after", inf, 0.0f, largest},
      {"next_after", nan, 1.0f, nan},
      {"next_after", 1.0f, 1.0f, 1.0f},
      {"next_after", tiny, -1.0f, 0.0f},
  };
  for (const Binary& c : cases)
    expect_same(c.expected, f32(c.row, c.x, c.y), cat(c.row, "(", c.x, ", ", c.y, ")"));
}

TEST(ElementwiseRows, comparisons_and_tests_of_floats) {
  EXPECT_FALSE(holds("compare_eq", nan, nan));
  EXPECT_TRUE(holds("compare_ne", nan, nan));
  EXPECT_TRUE(holds("compare_eq", 0.0f, -0.0f));
  for (const char* row : {"compare_lt", "compare_le", "compare_gt", "compare_ge"}) {
    EXPECT_FALSE(holds(row, nan, 1.0f)) << row;
    EXPECT_FALSE(holds(row, 1.0f, nan)) << row;
  }
  EXPECT_TRUE(holds("compare_lt", -inf, inf));
  EXPECT_TRUE(holds("compare_ge", 2.0f, 2.0f));
  EXPECT_FALSE(holds("compare_gt", 2.0f, 2.0f));
  EXPECT_TRUE(holds("compare_le", -tiny, 0.0f));
  EXPECT_TRUE(holds("is_finite", tiny));
  EXPECT_FALSE(holds("is_finite", inf));
  EXPECT_FALSE(holds("is_finite", nan));
  EXPECT_TRUE(holds("is_inf", -inf));
  EXPECT_FALSE(holds("is_inf", nan));
  EXPECT_TRUE(holds("is_neg_inf", -inf));
  EXPECT_FALSE(holds("is_neg_inf", inf));
  EXPECT_TRUE(holds("is_pos_inf", inf));
  EXPECT_FALSE(holds("is_pos_inf", -inf));
}

TEST(ElementwiseRows, choices) {
  EXPECT_EQ(value<float>("select", DType::f32, std::uint8_t{1}, 2.0f, 3.0f), 2.0f);
  EXPECT_EQ(value<float>("select", DType::f32, std::uint8_t{0}, nan, 3.0f), 3.0f);
  EXPECT_EQ(f32("clamp", 0.0f, 5.0f, 1.0f), 1.0f);
  EXPECT_EQ(f32("clamp", 0.0f, -5.0f, 1.0f), 0.0f);
  EXPECT_EQ(f32("clamp", 2.0f, 0.0f, 1.0f), 1.0f);  // the upper limit wins
  EXPECT_TRUE(std::isnan(f32("clamp", 0.0f, nan, 1.0f)));
  EXPECT_EQ(i32("clamp", -3, 7, 5), 5);
  EXPECT_EQ(
      value<std::uint8_t>("clamp", DType::i1, std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{0}),
      0);
}

TEST(ElementwiseRows, integers_wrap_and_division_by_zero_is_defined) {
  EXPECT_EQ(i32("add", max32, 1), min32);
  EXPECT_EQ(i32("subtract", min32, 1), max32);
  EXPECT_EQ(i32("multiply", max32, 2), -2);
  EXPECT_EQ(i32("negate", min32), min32);
  EXPECT_EQ(i32("abs", min32), min32);
  EXPECT_EQ(i32("divide", 7, -2), -3);
  EXPECT_EQ(i32("divide", 7, 0), -1);
  EXPECT_EQ(i32("divide", min32, -1), min32);
  EXPECT_EQ(ui32("divide", 7u, 0u), 0xffffffffu);
  EXPECT_EQ(i32("remainder", -7, 2), -1);
  EXPECT_EQ(i32("remainder", 7, 0), 7);
  EXPECT_EQ(i32("remainder", min32, -1), 0);
  EXPECT_EQ(ui32("remainder", 7u, 0u), 7u);
  EXPECT_EQ(i32("sign", min32), -1);
  EXPECT_EQ(i32("power", 3, 4), 81);
  EXPECT_EQ(i32("power", 2, -1), 0);
  EXPECT_EQ(i32("power", -1, -3), -1);
  EXPECT_EQ(i32("power", 0, 0), 1);
  EXPECT_EQ(i32("maximum", -1, 1), 1);
  EXPECT_EQ(ui32("maximum", 0xffffffffu, 1u), 0xffffffffu);
  EXPECT_EQ(i32("minimum", min32, max32), min32);
  EXPECT_EQ(i32("mulhi", max32, max32), 0x3fffffff);
  EXPECT_EQ(i32("mulhi", min32, 2), -1);
  EXPECT_EQ(ui32("mulhi", 0xffffffffu, 0xffffffffu), 0xfffffffeu);
  EXPECT_EQ(value<std::uint64_t>("mulhi", DType::ui64, ~std::uint64_t{0}, std::uint64_t{16}), 15u);
  EXPECT_EQ(value<std::int64_t>("mulhi", DType::i64, std::int64_t{-1}, std::int64_t{1}), -1);
}

TEST(ElementwiseRows, bits) {
  EXPECT_EQ(i32("and_", 12, 10), 8);
  EXPECT_EQ(i32("or_", 12, 10), 14);
  EXPECT_EQ(i32("xor_", 12, 10), 6);
  EXPECT_EQ(i32("not_", 0), -1);
  EXPECT_EQ(value<std::uint8_t>("not_", DType::i1, std::uint8_t{1}), 0);
  EXPECT_EQ(value<std::uint8_t>("add", DType::i1, std::uint8_t{1}, std::uint8_t{1}), 1);
  EXPECT_EQ(value<std::uint8_t>("multiply", DType::i1, std::uint8_t{1}, std::uint8_t{0}), 0);
  EXPECT_EQ(i32("popcnt", -1), 32);
  EXPECT_EQ(i32("count_leading_zeros", 0), 32);
  EXPECT_EQ(i32("count_leading_zeros", 1), 31);
  EXPECT_EQ(i32("shift_left", 1, 31), min32);
  for (const int past : {32, 33, 64, -1}) {
    EXPECT_EQ(i32("shift_left", -1, past), 0) << past;
    EXPECT_EQ(i32("shift_right_logical", -1, past), 0) << past;
    EXPECT_EQ(i32("shift_right_arithmetic", -8, past), -1) << past;
    EXPECT_EQ(i32("shift_right_arithmetic", 8, past), 0) << past;
  }
  EXPECT_EQ(i32("shift_right_arithmetic", -8, 1), -4);
  EXPECT_EQ(i32("shift_right_logical", -8, 1), 0x7ffffffc);
  EXPECT_EQ(value<std::uint64_t>("shift_left", DType::ui64, std::uint64_t{1}, std::uint64_t{63}),
            std::uint64_t{1} << 63);
}

// --- Integers of at most 8 bits, all of them -------------------------------------------------------------------

using Wide = std::function<int(int, int)>;

template <DType d>
void expect_all(std::string_view row, const Wide& wide) {
  using T = StorageType<d>;
  const bool is_unary = arity(elementwise_row(row).signature) == 1;
  for (int x = lowest_integer<d>; x <= highest_integer<d>; ++x)
    for (int y = lowest_integer<d>; y <= highest_integer<d>; ++y) {
      const T actual = is_unary ? value<T>(row, d, T(x)) : value<T>(row, d, T(x), T(y));
      ASSERT_EQ(actual, round_to<d>(wide(x, y)))
          << row << " of " << to_string(d) << " (" << x << ", " << y << ")";
      if (is_unary) break;
    }
}

template <DType d>
void expect_all_rows() {
  constexpr bool is_signed = info(d).kind == Kinds::signed_;
  constexpr int bits = info(d).bits;
  constexpr unsigned mask = (1u << bits) - 1;
  const auto shift = [](int y) { return y < 0 || y >= bits; };
  expect_all<d>("add", [](int x, int y) { return x + y; });
  expect_all<d>("subtract", [](int x, int y) { return x - y; });
  expect_all<d>("multiply", [](int x, int y) { return x * y; });
  expect_all<d>("divide", [](int x, int y) { return y == 0 ? -1 : x / y; });
  expect_all<d>("remainder", [](int x, int y) { return y == 0 ? x : x % y; });
  expect_all<d>("maximum", [](int x, int y) { return std::max(x, y); });
  expect_all<d>("minimum", [](int x, int y) { return std::min(x, y); });
  expect_all<d>("and_", [](int x, int y) { return x & y; });
  expect_all<d>("or_", [](int x, int y) { return x | y; });
  expect_all<d>("xor_", [](int x, int y) { return x ^ y; });
  expect_all<d>("not_", [](int x, int) { return ~x; });
  expect_all<d>("negate", [](int x, int) { return -x; });
  expect_all<d>("mulhi", [](int x, int y) { return (x * y) >> bits; });
  expect_all<d>("popcnt", [](int x, int) { return std::popcount(unsigned(x) & mask); });
  expect_all<d>("count_leading_zeros",
                [](int x, int) { return std::countl_zero(unsigned(x) & mask) - 32 + bits; });
  expect_all<d>("shift_left", [&](int x, int y) { return shift(y) ? 0 : int(unsigned(x) << y); });
  expect_all<d>("shift_right_logical",
                [&](int x, int y) { return shift(y) ? 0 : int((unsigned(x) & mask) >> y); });
  expect_all<d>("shift_right_arithmetic", [&](int x, int y) {
    return round_to<integer_dtype(Kinds::signed_, bits)>(x) >> (shift(y) ? bits - 1 : y);
  });
  expect_all<d>("power", [](int x, int y) {
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : 0;
    int result = 1;
    for (int k = 0; k < y; ++k) result = (result * x) & 0xff;
    return result;
  });
  if constexpr (is_signed) {
    expect_all<d>("abs", [](int x, int) { return std::abs(x); });
    expect_all<d>("sign", [](int x, int) { return (x > 0) - (x < 0); });
  }
}

TEST(ElementwiseRows, all_values_of_i2) { expect_all_rows<DType::i2>(); }
TEST(ElementwiseRows, all_values_of_i4) { expect_all_rows<DType::i4>(); }
TEST(ElementwiseRows, all_values_of_i8) { expect_all_rows<DType::i8>(); }
TEST(ElementwiseRows, all_values_of_ui2) { expect_all_rows<DType::ui2>(); }
TEST(ElementwiseRows, all_values_of_ui4) { expect_all_rows<DType::ui4>(); }
TEST(ElementwiseRows, all_values_of_ui8) { expect_all_rows<DType::ui8>(); }

// --- Functions against Boost.Math and std::complex -------------------------------------------------

struct Special {
  std::string_view row;
  std::function<double(double)> reference;
  double low, high;
};

TEST(ElementwiseRows, special_functions_are_accurate) {
  const Special cases[] = {
      {"digamma", [](double x) { return boost::math::digamma(x); }, 0.01, 40},
      {"digamma", [](double x) { return boost::math::digamma(x); }, -9.97, -0.03},
      {"erf_inv", [](double x) { return boost::math::erf_inv(x); }, -0.999, 0.999},
      {"erf", [](double x) { return boost::math::erf(x); }, -4, 4},
      {"erfc", [](double x) { return boost::math::erfc(x); }, -4, 8},
      {"lgamma", [](double x) { return boost::math::lgamma(x); }, 0.01, 40},
      {"lgamma", [](double x) { return boost::math::lgamma(x); }, -9.97, -0.03},
      {"bessel_i1e",
       [](double x) { return boost::math::cyl_bessel_i(1, x) * std::exp(-std::fabs(x)); }, -50, 50},
  };
  for (const Special& c : cases)
    for (int k = 0; k <= 997; ++k) {
      const double x = c.low + (c.high - c.low) * k / 997;
      if (x < 0 && std::fabs(x - std::round(x)) < 0.02 && c.row != "bessel_i1e" && c.low < -1)
        continue;  // at a pole
      const double expected = c.reference(x);
      EXPECT_NEAR(value<double>(c.row, DType::f64, x), expected,
                  1e-12 * (1 + std::fabs(expected)) * (x < 0 ? 50 : 1))
          << c.row << "(" << x << ")";
      const double of_float = c.reference(double(float(x)));
      EXPECT_NEAR(f32(c.row, x), of_float,
                  4e-6 * (1 + std::fabs(of_float)) *
                      (x < 0 && c.low < -1 && c.row != "bessel_i1e" ? 10 : 1))
          << c.row << "(" << x << ")";
    }
}

TEST(ElementwiseRows, digamma_is_accurate_beside_poles) {
  for (const double pole : {0.0, -1.0, -2.0, -7.0})
    for (const double distance : {0x1p-40, 0x1p-21, 0x1p-18, 0x1p-10})
      for (const double x : {pole + distance, pole - distance}) {
        // DLMF 5.5.2 from the value beside 1, where it is smooth
        double expected = boost::math::digamma(1 + (x - pole)) - 1 / (x - pole);
        for (double k = 1; k <= -pole; ++k) expected -= 1 / (x - pole - k);
        EXPECT_NEAR(value<double>("digamma", DType::f64, x) / expected, 1, 1e-14) << x;
        if (double(float(x)) == x) {
          EXPECT_NEAR(f32("digamma", x) / expected, 1, 1e-6) << x;
        }
      }
}

TEST(ElementwiseRows, erf_inv_is_accurate_near_one) {
  for (const double distance : {1e-3, 1e-5, 1e-8, 1e-12, 1e-15}) {
    const double x = 1 - distance;
    EXPECT_NEAR(value<double>("erf_inv", DType::f64, x), boost::math::erf_inv(x),
                1e-13 / distance * 1e-3 + 1e-11)
        << distance;
  }
}

TEST(ElementwiseRows, complex_values) {
  using C = std::complex<float>;
  const C x(1.5f, -2), y(-0.5f, 3);
  const auto near = [](C actual, C expected, const char* what) {
    EXPECT_LE(std::abs(actual - expected), 2e-6f * (1 + std::abs(expected)))
        << what << " " << actual << " " << expected;
  };
  const auto unary = [](std::string_view row, C z) { return value<C>(row, DType::c64, z); };
  const auto binary = [](std::string_view row, C a, C b) {
    return value<C>(row, DType::c64, a, b);
  };
  EXPECT_EQ(binary("add", x, y), x + y);
  EXPECT_EQ(binary("subtract", x, y), x - y);
  EXPECT_EQ(unary("negate", x), -x);
  near(binary("multiply", x, y), x * y, "multiply");
  near(binary("divide", x, y), x / y, "divide");
  near(binary("divide", y, x), y / x, "divide");
  near(binary("power", x, y), std::pow(x, y), "power");
  for (const C z : {x, y, C(0.3f, 0), C(-2, 0), C(0, 1), C(25, 1)}) {
    near(unary("log", z), std::log(z), "log");
    near(unary("sqrt", z), std::sqrt(z), "sqrt");
    near(unary("rsqrt", z), C(1) / std::sqrt(z), "rsqrt");
    near(unary("tanh", z), std::tanh(z), "tanh");
    near(unary("complex_sign", z), z / std::abs(z), "sign");
    near(unary("square", z), z * z, "square");
    if (z.real() > 20) continue;
    near(unary("exponential", z), std::exp(z), "exponential");
    near(unary("sine", z), std::sin(z), "sine");
    near(unary("cosine", z), std::cos(z), "cosine");
    near(unary("tan", z), std::tan(z), "tan");
  }
  EXPECT_EQ(unary("complex_sign", C(0)), C(0));
  EXPECT_EQ(unary("sqrt", C(0)), C(0));
  EXPECT_EQ(binary("power", C(0), C(0)), C(1));
  EXPECT_EQ(value<float>("complex_abs", DType::c64, C(3, 4)), 5.0f);
  EXPECT_EQ(value<float>("real", DType::c64, x), 1.5f);
  EXPECT_EQ(value<float>("imag", DType::c64, x), -2.0f);
  EXPECT_EQ(value<C>("complex", DType::f32, 1.0f, 2.0f), C(1, 2));
  EXPECT_EQ(value<std::uint8_t>("compare_eq", DType::c64, x, x), 1);
  EXPECT_EQ(value<std::uint8_t>("compare_ne", DType::c64, x, std::conj(x)), 1);
}

TEST(ElementwiseRows, f16_and_bf16_compute_in_f32_and_round_once) {
  const auto f16 = [](double x) { return SmallFloatOf<DType::f16>::encode(x); };
  const auto bf16 = [](double x) { return SmallFloatOf<DType::bf16>::encode(x); };
  EXPECT_EQ(value<std::uint16_t>("add", DType::f16, f16(2048), f16(1)),
            f16(2048));  // a tie, to even
  EXPECT_EQ(value<std::uint16_t>("add", DType::f16, f16(65504), f16(65504)), f16(INFINITY));
  EXPECT_EQ(value<std::uint16_t>("multiply", DType::bf16, bf16(1.0078125), bf16(1.0078125)),
            bf16(1.015625));
  EXPECT_EQ(value<std::uint16_t>("divide", DType::bf16, bf16(1), bf16(3)), bf16(1.0 / 3));
  EXPECT_EQ(value<std::uint16_t>("exponential", DType::f16, f16(1)), f16(std::exp(1.0)));
}

// --- The table -------------------------------------------------------------------------------------

TEST(ElementwiseRows, names_are_unique_and_functions_exist_exactly_where_the_row_accepts) {
  std::set<std::string_view> names;
  for (const ElementwiseRow& row : elementwise_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.doc.empty()) << row.name;
    for (const DType d : all_dtypes)
      EXPECT_EQ(elementwise_function(row, d) != nullptr, row.accepts(d))
          << row.name << " of " << to_string(d);
    const OpDef* op = OpRegistry::instance().find(row.op);
    ASSERT_NE(op, nullptr) << row.op;
    EXPECT_TRUE(op->eval && op->lower && op->infer && op->factors) << row.op;
    EXPECT_FALSE(op->samples.empty()) << row.op;
  }
  EXPECT_FALSE(elementwise_row("complex").accepts(DType::f16));
  EXPECT_TRUE(elementwise_row("next_after").accepts(DType::bf16));
  EXPECT_THROW(static_cast<void>(elementwise_row("no_such_row")), Error);
}

}  // namespace
}  // namespace partita::ir
