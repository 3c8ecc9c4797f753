// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of complex numbers against the same in long double: in the plane, on branch cuts, near
// the points where digits cancel, and at infinity.
#include <gtest/gtest.h>

#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/zeta.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <complex>
#include <functional>
#include <limits>

#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {
namespace {

using Wide = std::complex<long double>;

template <class T, class... X>
T apply(std::string_view row, DType d, X... x) {
  const ElementwiseFn f = scalar::elementwise_function(scalar::elementwise_row(row), d);
  EXPECT_NE(f, nullptr) << row;
  T result{};
  const void* operands[] = {&x...};
  if (f) f(operands, &result, 1);
  return result;
}

/// Error relative to the modulus, in units of the part's epsilon.
template <class Part>
double error_of(std::complex<Part> found, Wide expected) {
  const long double size =
      std::max(std::abs(expected), (long double)std::numeric_limits<Part>::min());
  return double(std::abs(Wide(found) - expected) / size / std::numeric_limits<Part>::epsilon());
}

struct Function {
  std::string_view row;
  std::function<Wide(Wide)> reference;
  double allowed;  ///< in epsilons
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"acos", [](Wide z) { return std::acos(z); }, 6},
      {"acosh", [](Wide z) { return std::acosh(z); }, 6},
      {"asin", [](Wide z) { return std::asin(z); }, 6},
      {"asinh", [](Wide z) { return std::asinh(z); }, 6},
      {"atan", [](Wide z) { return std::atan(z); }, 6},
      {"atanh", [](Wide z) { return std::atanh(z); }, 6},
      {"cosh", [](Wide z) { return std::cosh(z); }, 6},
      {"cosine", [](Wide z) { return std::cos(z); }, 6},
      {"exponential", [](Wide z) { return std::exp(z); }, 6},
      {"log", [](Wide z) { return std::log(z); }, 6},
      {"sine", [](Wide z) { return std::sin(z); }, 6},
      {"sinh", [](Wide z) { return std::sinh(z); }, 6},
      {"sqrt", [](Wide z) { return std::sqrt(z); }, 6},
      {"tan", [](Wide z) { return std::tan(z); }, 16},
      {"tanh", [](Wide z) { return std::tanh(z); }, 16},
  };
  return all;
}

template <class Part>
void check_plane(DType d) {
  std::vector<Part> parts;
  for (const double v :
       {0.0, 1e-12, 1e-5, 0.1, 0.5, 0.6, 0.8, 0.99999, 1.0, 1.00001, 1.5, 2.0, 3.5, 9.0, 20.0}) {
    parts.push_back(Part(v));
    parts.push_back(Part(-v));
  }
  for (const Function& f : functions())
    for (const Part re : parts)
      for (const Part im : parts) {
        const std::complex<Part> z(re, im);
        const Wide expected = f.reference(Wide(z));
        if (!std::isfinite(expected.real()) || !std::isfinite(expected.imag())) continue;
        const auto found = apply<std::complex<Part>>(f.row, d, z);
        EXPECT_LE(error_of(found, expected), f.allowed)
            << f.row << " of " << z << ": expected " << expected << ", found " << found;
      }
}

TEST(ComplexRows, are_accurate_in_the_plane_and_on_branch_cuts) {
  check_plane<float>(DType::c64);
  check_plane<double>(DType::c128);
}

TEST(ComplexRows, logarithms_keep_their_digits_where_squares_cancel) {
  using C = std::complex<double>;
  using Exact = boost::multiprecision::cpp_bin_float_50;
  const auto log_modulus = [](const Exact& x, const Exact& y) {
    return double(log(x * x + y * y) / 2);
  };
  for (const C z : {C(0.6, 0.8), C(0.28, -0.96), C(-1, 1e-9), C(1e-9, 1), C(0.9999999, 1e-4)}) {
    const double expected = log_modulus(z.real(), z.imag());
    EXPECT_NEAR(apply<C>("log", DType::c128, z).real(), expected,
                4e-16 * std::fabs(expected) + 1e-32)
        << z;
  }
  for (const C z : {C(1e-12, 1e-8), C(-1e-10, 1e-5), C(3e-9, -2e-3), C(-0.4, 0.8), C(-1.5, 0.1),
                    C(0.3, 0.3), C(5, -7)}) {
    const double expected = log_modulus(Exact(z.real()) + 1, z.imag());
    const C found = apply<C>("log_plus_one", DType::c128, z);
    EXPECT_NEAR(found.real(), expected, 1e-15 * std::fabs(expected) + 1e-32) << z;
    EXPECT_NEAR(found.imag(), std::atan2(z.imag(), 1 + z.real()), 1e-15) << z;
  }
  for (const C z : {C(1e-9, 1e-7), C(-2, 0.5), C(0.5, 3), C(1e-3, -1e-3)}) {
    const long double x = z.real(), y = z.imag(), s = std::sin(y / 2);
    const Wide expected(std::expm1(x) * std::cos(y) - 2 * s * s, std::exp(x) * std::sin(y));
    EXPECT_LE(error_of(apply<C>("exponential_minus_one", DType::c128, z), expected), 4) << z;
  }
}

TEST(ComplexRows, sides_of_branch_cuts_follow_the_sign_of_zero) {
  using C = std::complex<float>;
  const auto of = [](std::string_view row, C z) { return apply<C>(row, DType::c64, z); };
  EXPECT_GT(of("log", C(-1, 0.0f)).imag(), 3);
  EXPECT_LT(of("log", C(-1, -0.0f)).imag(), -3);
  EXPECT_EQ(of("sqrt", C(-4, 0.0f)), C(0, 2));
  EXPECT_EQ(of("sqrt", C(-4, -0.0f)), C(0, -2));
  EXPECT_GT(of("asin", C(2, 0.0f)).imag(), 1);
  EXPECT_LT(of("asin", C(2, -0.0f)).imag(), -1);
  EXPECT_LT(of("acos", C(2, 0.0f)).imag(), -1);
  EXPECT_GT(of("acos", C(2, -0.0f)).imag(), 1);
  EXPECT_GT(of("atanh", C(2, 0.0f)).imag(), 1);
  EXPECT_LT(of("atanh", C(2, -0.0f)).imag(), -1);
}

TEST(ComplexRows, values_at_infinity_and_large_arguments) {
  using C = std::complex<float>;
  const float inf = std::numeric_limits<float>::infinity();
  const auto of = [](std::string_view row, C z) { return apply<C>(row, DType::c64, z); };
  EXPECT_EQ(of("exponential", C(-inf, 1)), C(0, 0));
  EXPECT_EQ(of("exponential", C(inf, 0)), C(inf, 0));
  for (const float angle : {0.0f, 2.0f, -2.0f, 8.855068e7f})
    EXPECT_EQ(of("exponential_minus_one", C(-inf, angle)).real(), -1) << angle;
  for (const float end : {-inf, inf})
    EXPECT_TRUE(std::isnan(of("exponential_minus_one", C(end, inf)).real())) << end;
  EXPECT_EQ(of("tanh", C(inf, 1)).real(), 1);
  EXPECT_EQ(of("sqrt", C(-inf, 1)), C(0, inf));
  EXPECT_EQ(of("log", C(inf, -inf)).real(), inf);
  EXPECT_NEAR(of("log", C(3e38f, 3e38f)).real(), std::log(3e38) + 0.5 * std::log(2), 1e-4);
  EXPECT_NEAR(of("sqrt", C(3e38f, 3e38f)).real(), std::sqrt(Wide(3e38, 3e38)).real(), 1e13);
  EXPECT_NEAR(of("asinh", C(1e30f, 1e30f)).real(), std::asinh(Wide(1e30, 1e30)).real(), 1e-4);
  EXPECT_EQ(of("atanh", C(inf, 1)), C(0, float(M_PI_2)));
  const float large = of("exponential", C(89.5f, 1.5f)).real();  // e^89.5 is beyond f32
  EXPECT_NEAR(large / (std::exp(89.5) * std::cos(1.5)), 1, 1e-5);
  const auto divided = [](C a, C b) { return apply<C>("divide", DType::c64, a, b); };
  EXPECT_EQ(divided(C(1, 1), C(inf, inf)), C(0, 0));
  EXPECT_EQ(divided(C(inf, 1), C(1, 1)), C(inf, -inf));
  EXPECT_EQ(divided(C(1, 2), C(0, 0)), C(inf, inf));
  EXPECT_EQ(divided(C(1e30f, 1e30f), C(1e30f, 1e30f)), C(1, 0));
  const C nan = of("complex_sign", C(inf, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_TRUE(std::isnan(nan.real()) && std::isnan(nan.imag()));
}

TEST(ComplexRows, inverse_functions_of_nan_and_a_number_are_nan) {
  using C = std::complex<float>;
  const auto of = [](std::string_view row, C z) { return apply<C>(row, DType::c64, z); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* row : {"asin", "acos", "asinh", "acosh", "atan", "atanh"})
    for (const float number : {1.0F, -1.5F, 1e-40F, 3.0F})
      for (const C x : {C(number, nan), C(nan, number)}) {
        const C found = of(row, x);
        EXPECT_TRUE(std::isnan(found.real()) && std::isnan(found.imag())) << row << x << found;
      }
}

TEST(ComplexRows, squares_that_overflow) {
  using C = std::complex<float>;
  const auto of = [](std::string_view row, C z) { return apply<C>(row, DType::c64, z); };
  const float inf = std::numeric_limits<float>::infinity(), large = 2e38F;
  EXPECT_EQ(of("square", C(3, 2)), C(5, 12));
  EXPECT_EQ(of("square", C(large, large)), C(0, inf));
  EXPECT_EQ(of("square", C(inf, large)), C(inf, inf));
  EXPECT_EQ(of("square", C(large, -inf)), C(-inf, -inf));
  EXPECT_EQ(of("square", C(large, 0.5F)), C(inf, large));
}

TEST(ComplexRows, powers) {
  using C = std::complex<double>;
  const auto power = [](C x, C y) { return apply<C>("power", DType::c128, x, y); };
  EXPECT_EQ(power(0, 0), C(1));
  EXPECT_EQ(power(0, C(2, 1)), C(0));
  EXPECT_LE(error_of(power(C(1.5, -2), C(3, 0)), std::pow(Wide(1.5, -2), Wide(3, 0))), 8);
  EXPECT_LE(error_of(power(C(-2, 0.0), C(0.5, 0)), Wide(0, std::sqrt(2.0L))), 4);
  EXPECT_LE(error_of(power(C(0.3, 0.4), C(-1, 2)), std::pow(Wide(C(0.3, 0.4)), Wide(-1, 2))), 16);
  EXPECT_EQ(apply<C>("conj", DType::c128, C(1, -2)), C(1, 2));
}

TEST(SpecialRows, zeta_and_polygamma) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto zeta = [](double x, double q) { return apply<double>("zeta", DType::f64, x, q); };
  for (const double x : {1.001, 1.5, 2.0, 3.7, 10.0, 40.0}) {
    EXPECT_NEAR(zeta(x, 1) / boost::math::zeta(x), 1, 1e-13) << x;
    EXPECT_NEAR(zeta(x, 3.25) - zeta(x, 4.25), std::pow(3.25, -x), 1e-13 * zeta(x, 3.25)) << x;
  }
  EXPECT_EQ(zeta(1, 2), inf);
  EXPECT_EQ(zeta(2, -3), inf);
  EXPECT_TRUE(std::isnan(zeta(3, -0.0)));
  EXPECT_EQ(zeta(2, inf), 0);
  EXPECT_TRUE(std::isnan(zeta(0.5, 2)));
  EXPECT_TRUE(std::isnan(zeta(2.5, -0.5)));
  EXPECT_NEAR(zeta(2, -0.5), 4 + boost::math::polygamma(1, 0.5), 1e-12);
  for (const int n : {1, 2, 3, 7})
    for (const double x : {0.1, 1.0, 2.5, 30.0})
      EXPECT_NEAR(
          apply<double>("polygamma", DType::f64, double(n), x) / boost::math::polygamma(n, x), 1,
          1e-12)
          << n << ", " << x;
  EXPECT_NEAR(apply<double>("polygamma", DType::f64, 0.0, 1.0), -0.5772156649015329, 1e-14);
  for (const double n : {1.5, -1.0, inf})
    EXPECT_TRUE(std::isnan(apply<double>("polygamma", DType::f64, n, 1.0))) << n;
  EXPECT_TRUE(std::isnan(apply<double>("polygamma", DType::f64, 0.0, -0.0)));
  EXPECT_EQ(apply<double>("polygamma", DType::f64, 1.0, -0.0), inf);
  EXPECT_TRUE(std::isnan(apply<double>("polygamma", DType::f64, 2.0, -0.0)));
}

/// The neighbour by counting through the bits.
template <DType d>
void check_neighbours() {
  using Bits = StorageType<d>;
  constexpr int sign = int(info(d).format.sign_mask()), last = int(info(d).format.last_number());
  const auto value = [](Bits b) { return load<d>(&b, 0); };
  const auto next = [](Bits x, Bits y) { return apply<Bits>("next_after", d, x, y); };
  // Where there is no -0 its bits are a NaN's, and where there is no sign nothing lies below the smallest.
  constexpr FloatFormat format = info(d).format;
  for (int k = 0; k < last; ++k) {
    const Bits x = Bits(k), up = Bits(last), minus_x = Bits(k | sign), down = Bits(last | sign);
    ASSERT_EQ(next(x, up), Bits(k + 1)) << value(x);
    if (format.has_minus_zero() || k > 0) {
      ASSERT_EQ(next(minus_x, down), Bits((k + 1) | sign)) << value(minus_x);
    }
    if (format.is_signed) {
      ASSERT_EQ(next(x, down), k == 0 ? Bits(sign | 1) : Bits(k - 1)) << value(x);
    }
    ASSERT_EQ(next(Bits(k + 1), Bits(0)), Bits(k)) << value(Bits(k + 1));
    ASSERT_EQ(next(x, x), x);
  }
  if (!format.has_nan()) return;
  const Bits nan = Bits(last + 1);
  EXPECT_TRUE(std::isnan(value(next(nan, 0))) && std::isnan(value(next(0, nan))));
}

TEST(SpecialRows, neighbours_of_all_small_floats) {
  for (const DType dtype : all_dtypes)
    visit(dtype, [](auto d) {
      if constexpr (is_small_float(d)) check_neighbours<d>();
    });
}

}  // namespace
}  // namespace partita::ir
