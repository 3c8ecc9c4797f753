// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What values in elementwise.def may call, for C++: the subset of OpenCL C's built-in functions that
// the table uses, under their OpenCL names and overloads, and the helpers of scalar/helpers/.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "partita/base/dtype.hpp"

namespace partita::scalar::helpers {

template <class T>
struct PartOf {
  using Type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using Type = T;
};
/// R of the tables: the type of a complex value's parts, else the type itself.
template <class T>
using Part = typename PartOf<T>::Type;

/// K(c) in an expression over T.
template <class T>
struct Literal {
  template <class C>
  constexpr Part<T> operator()(C c) const {
    return static_cast<Part<T>>(c);
  }
};

// U(x) and S(x), as elementwise.def describes them; in helpers those of the C++ type.
template <class T>
constexpr auto U(T x) {
  if constexpr (std::is_integral_v<T>) {
    return std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>(
        std::make_unsigned_t<T>(x));
  } else {
    return x;
  }
}
template <class T>
constexpr auto S(T x) {
  return std::make_signed_t<T>(x);
}

template <class T>
constexpr T RE(std::complex<T> z) {
  return z.real();
}
template <class T>
constexpr T IM(std::complex<T> z) {
  return z.imag();
}
template <std::floating_point T>
constexpr std::complex<T> MAKE(T re, T im) {
  return {re, im};
}

// Functions of <cmath>, by number of operands.
// clang-format off
#define PARTITA_CMATH(X, Y)                                                                        \
  X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) \
  X(exp) X(expm1) X(fabs) X(floor) X(log) X(log1p) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan)  \
  X(tanh) Y(atan2) Y(copysign) Y(fmod) Y(hypot) Y(nextafter) Y(pow)
// clang-format on
#define PARTITA_UNARY(f)                        \
  inline float f(float x) { return std::f(x); } \
  inline double f(double x) { return std::f(x); }
#define PARTITA_BINARY(f)                                   \
  inline float f(float x, float y) { return std::f(x, y); } \
  inline double f(double x, double y) { return std::f(x, y); }
PARTITA_CMATH(PARTITA_UNARY, PARTITA_BINARY)
#undef PARTITA_UNARY
#undef PARTITA_BINARY

template <std::floating_point T>
T lgamma(T x) {
  int sign = 0;  // std::lgamma would write a global
  if constexpr (std::same_as<T, float>)
    return ::lgammaf_r(x, &sign);
  else
    return ::lgamma_r(x, &sign);
}
template <std::floating_point T>
T fma(T x, T y, T z) {
  return std::fma(x, y, z);
}
template <std::floating_point T>
T ldexp(T x, int exponent) {
  return std::ldexp(x, exponent);
}
template <std::floating_point T>
int ilogb(T x) {
  return std::ilogb(x);
}
template <std::floating_point T>
T rsqrt(T x) {
  return T(1) / std::sqrt(x);
}
template <std::floating_point T>
bool isfinite(T x) {
  return std::isfinite(x);
}
template <std::floating_point T>
bool isinf(T x) {
  return std::isinf(x);
}
template <std::floating_point T>
bool signbit(T x) {
  return std::signbit(x);
}

// What depends on the number of bits of the dtype D, whose values are integers of type T.
template <DType D>
struct UnsignedBits {
  template <class T>
  constexpr auto operator()(T x) const {
    if constexpr (is_narrow_integer(D) && std::is_integral_v<T>)
      return std::uint32_t(x) & ((1u << info(D).bits) - 1);
    else
      return helpers::U(x);
  }
};
template <DType D>
struct SignedBits {
  template <class T>
  constexpr auto operator()(T x) const {
    if constexpr (is_narrow_integer(D))
      return round_to<integer_dtype(Kinds::signed_, info(D).bits)>(x);
    else
      return helpers::S(x);
  }
};
template <DType D>
struct Popcount {
  template <std::integral T>
  constexpr T operator()(T x) const {
    return T(std::popcount(UnsignedBits<D>()(x)));
  }
};
template <DType D>
struct LeadingZeros {
  template <std::integral T>
  constexpr T operator()(T x) const {
    const auto bits = UnsignedBits<D>()(x);
    return T(std::countl_zero(bits) - 8 * int(sizeof bits) + info(D).bits);
  }
};
/// The upper half of the product.
template <DType D>
struct UpperHalf {
  template <std::integral T>
  constexpr T operator()(T x, T y) const {
    __extension__ using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T(Wide(x) * Wide(y) >> info(D).bits);
  }
};

#define PARTITA_HELPER(domain, result, name, parameters) \
  template <class T, class R = Part<T>>                  \
  result name parameters
#define K(c) static_cast<R>(c)
#define BITS (8 * unsigned(sizeof(T)))
// A helper may call those before it.
#include "scalar/helpers/real.h"

#include "scalar/helpers/complex.h"

#include "scalar/helpers/complex_inverse.h"
#undef K
#undef BITS
#undef PARTITA_HELPER

/// What an expression may name besides its operands and helpers.
inline constexpr std::string_view names[] = {
#define PARTITA_NAME(f) #f,
    PARTITA_CMATH(PARTITA_NAME, PARTITA_NAME)
#undef PARTITA_NAME
        "lgamma",
    "rsqrt",
    "isfinite",
    "isinf",
    "signbit",
    "popcount",
    "clz",
    "mul_hi",
    "MANTISSA",
    "EMIN",
    "K",
    "U",
    "S",
    "RE",
    "IM",
    "MAKE",
    "BITS"};
#undef PARTITA_CMATH

}  // namespace partita::scalar::helpers
