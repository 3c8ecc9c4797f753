// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The vector math functions as tables for the test and the benchmark: loops per instruction set,
// exact values in long double, bounds, samples and the measure of error.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

namespace partita::vector_math {

template <class T>
using Loop = void (*)(long n, const T* x, const T* y, T* out);
template <class T>
using Value = T (*)(T x, T y);

struct Function {
  std::string_view name;
  int arity;
  double bound_f32, bound_f64;
  double lo, hi;  ///< where arguments are usual
  Value<float> libm_f32;
  Value<double> libm_f64;
  Value<long double> exact;

  template <class T>
  [[nodiscard]] double bound() const {
    return sizeof(T) == 4 ? bound_f32 : bound_f64;
  }
  template <class T>
  [[nodiscard]] Value<T> libm() const {
    if constexpr (sizeof(T) == 4)
      return libm_f32;
    else
      return libm_f64;
  }
};

/// The loops of one instruction set, in the order of functions().
struct Level {
  std::string_view name;
  bool supported;  ///< by this machine
  std::vector<Loop<float>> f32;
  std::vector<Loop<double>> f64;

  template <class T>
  [[nodiscard]] const std::vector<Loop<T>>& loops() const {
    if constexpr (sizeof(T) == 4)
      return f32;
    else
      return f64;
  }
};

[[nodiscard]] const std::vector<Function>& functions();
[[nodiscard]] const std::vector<Level>& levels();

/// |actual - exact| in units in the last place of T at the exact value; 0 for equal specials, infinite
/// for unequal ones.  What rounds to infinity may be the largest value and the other way round.
template <class T>
double ulps(T actual, long double exact) {
  using Limits = std::numeric_limits<T>;
  const double infinite = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) && std::isnan(actual) ? 0 : infinite;
  if (exact == 0) return actual == 0 && std::signbit(actual) == std::signbit(exact) ? 0 : infinite;
  if (std::isinf(exact)) return actual == T(exact) ? 0 : infinite;
  const int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  const int top = std::min(exponent, Limits::max_exponent - 1);
  const long double unit = std::ldexp(1.0L, top - Limits::digits + 1);
  long double value = actual, target = exact;
  const long double beyond = std::ldexp(1.0L, Limits::max_exponent);
  if (std::isinf(actual)) value = std::copysign(beyond, value);
  if (std::abs(target) > beyond) target = std::copysign(beyond, target);
  return double(std::abs(value - target) / unit);
}

/// Zeros, ends of ranges, infinities, NaN, integers and neighbours of 1, with both signs.
template <class T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  for (const T x : {T(0), T(1), T(2), T(3), T(0.5), Limits::min(), Limits::denorm_min(),
                    Limits::max(), Limits::infinity(), Limits::quiet_NaN(), Limits::epsilon(),
                    T(1e9), T(2.5), std::nextafter(T(1), T(0)), std::nextafter(T(1), T(2)),
                    T(709.78), T(88.72), T(745.13), T(103.97), T(22), T(-0.375),
                    // The closest multiples of pi/2 have these neighbours: J.-M. Muller, Elementary
                    // Functions, chapter 11.
                    T(std::ldexp(6381956970095103.0, 797)), T(std::ldexp(16367173.0, 72))})
    for (const T s : {x, -x}) result.push_back(s);
  return result;
}

/// Arguments: special values, `per_exponent` of each sign and exponent, `usual` between lo and hi.
template <class T>
std::vector<T> sample(const Function& f, int per_exponent, int usual, unsigned seed) {
  using Limits = std::numeric_limits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::mt19937_64 random(seed);
  std::vector<T> result = special_values<T>();
  constexpr int mantissa = Limits::digits - 1;
  constexpr Bits exponents = (Bits(1) << (8 * sizeof(T) - 1 - mantissa)) - 1;
  for (Bits e = 0; e < exponents; ++e)
    for (int k = 0; k < 2 * per_exponent; ++k) {
      const Bits bits = e << mantissa | (Bits(random()) & ((Bits(1) << mantissa) - 1));
      result.push_back(std::bit_cast<T>(bits) * (k % 2 ? T(-1) : T(1)));
    }
  std::uniform_real_distribution<double> between(f.lo, f.hi);
  for (int k = 0; k < usual; ++k) result.push_back(T(between(random)));
  return result;
}

}  // namespace partita::vector_math
