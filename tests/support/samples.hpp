// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Operand values at which scalar code is most likely to go wrong, and comparison of results in units
// in the last place.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "partita/base/host_array.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::testing {

using Random = std::mt19937_64;

/// What floats of dtype d are drawn from besides a range; for complex numbers: of each part.
template <DType d>
std::vector<ValueType<d>> corner_cases() {
  using T = ValueType<d>;
  std::vector<double> values{0, 1, -1, 2, 3, -3, 7, 8};
  std::vector<T> result;
  if constexpr (info(d).kind == Kinds::floating) {
    for (const double v : {-0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.001, 100.0, -20.0, 1e-30, 3e38, 6e-8,
                           65504.0, double(INFINITY), -double(INFINITY), double(NAN)})
      values.push_back(v);
    if (d == DType::f64) values.insert(values.end(), {1e300, 5e-324, 1 + 1e-15});
    if (d == DType::f32) values.insert(values.end(), {1e-42, 1 + 1e-6});
    for (const double v : values) result.push_back(round_to<d>(v));
  } else if constexpr (info(d).kind == Kinds::complex) {
    for (const double v : {0.5, -0.25, 2.5}) values.push_back(v);
    for (const double v : values)
      result.push_back(T(typename T::value_type(v), typename T::value_type(1.5 - v)));
    for (const double v : {1.0, -2.0})
      result.insert(result.end(),
                    {T(0, typename T::value_type(v)), T(typename T::value_type(v), 0)});
    // Branch cuts, infinities and NaN in either part.
    using Part = typename T::value_type;
    const Part special[] = {Part(0),
                            Part(-0.0),
                            Part(1),
                            Part(-3),
                            std::numeric_limits<Part>::infinity(),
                            -std::numeric_limits<Part>::infinity(),
                            std::numeric_limits<Part>::quiet_NaN()};
    for (const Part re : special)
      for (const Part im : special) result.push_back({re, im});
  } else if constexpr (info(d).kind == Kinds::boolean) {
    result = {false, true};
  } else {
    for (const int bit : {15, 16, 31, 32, 33, 63, 64, -8, 100}) values.push_back(bit);
    for (const double v : values) result.push_back(T(std::int64_t(v)));
    constexpr T low = lowest_integer<d>, high = highest_integer<d>;
    for (const T v : {low, high, T(low + 1), T(high - 1)}) result.push_back(v);
  }
  return result;
}

template <DType d>
ValueType<d> random_value(scalar::SampleRange range, Random& random) {
  std::uniform_real_distribution<double> in_range(range.low, range.high);
  if constexpr (info(d).kind == Kinds::floating) {
    return round_to<d>(in_range(random));
  } else if constexpr (info(d).kind == Kinds::complex) {
    using Part = typename ValueType<d>::value_type;
    return {Part(in_range(random)), Part(in_range(random))};
  } else {
    return ValueType<d>(std::int64_t(random()) >> int(random() % 64));
  }
}

/// Operand k of n samples: every combination of two corner cases first, then random values, those of
/// floats within `range`.
inline HostArray samples(DType dtype, scalar::SampleRange range, int k, std::int64_t n,
                         Random& random) {
  HostArray result(Type{.dtype = dtype, .dims = {n}});
  visit(dtype, [&](auto d) {
    const auto corners = corner_cases<d>();
    const auto m = std::int64_t(corners.size());
    for (std::int64_t i = 0; i < n; ++i) {
      const bool at_corner = i < m * m || random() % 8 == 0;
      const std::int64_t corner = k == 0   ? i % m
                                  : k == 1 ? i / m % m
                                           : std::int64_t(random() % std::uint64_t(m));
      store<d>(
          at_corner ? ValueType<d>(corners[std::size_t(corner)]) : random_value<d>(range, random),
          result.data<d>(), std::size_t(i));
    }
  });
  return result;
}

/// Distance along the ordered sequence of representable values; NaNs are all equal; of complex numbers
/// relative to the larger part.
template <DType d>
double ulp_distance(StorageType<d> a, StorageType<d> b) {
  const auto x = load<d>(&a, 0), y = load<d>(&b, 0);
  if constexpr (info(d).kind == Kinds::floating) {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) == std::isnan(y) ? 0 : INFINITY;
    const auto position = [](StorageType<d> v) {
      using Unsigned = StorageType<bits_dtype(d)>;
      const std::uint64_t pattern = std::bit_cast<Unsigned>(v);
      const auto magnitude = std::int64_t(pattern & info(d).format.magnitude_mask());
      const bool is_negative = (pattern & info(d).format.sign_mask()) != 0;
      return is_negative ? -magnitude - 1 : magnitude;  // -0 lies just below +0
    };
    const std::int64_t p = position(a), q = position(b);
    return double(p > q ? std::uint64_t(p) - std::uint64_t(q)
                        : std::uint64_t(q) - std::uint64_t(p));
  } else if constexpr (info(d).kind == Kinds::complex) {
    using Part = typename ValueType<d>::value_type;
    const auto part_distance = [](Part p, Part q, double scale) {
      if (std::isnan(p) || std::isnan(q))
        return std::isnan(p) == std::isnan(q) ? 0.0 : double(INFINITY);
      if (std::isinf(p) || std::isinf(q)) return p == q ? 0.0 : double(INFINITY);
      return p == q ? 0.0 : std::fabs(double(p) - double(q)) / scale;
    };
    const auto size = [](Part p) { return std::isfinite(p) ? std::fabs(double(p)) : 0.0; };
    const double scale = std::max<double>({size(x.real()), size(x.imag()), 1e-30}) *
                         double(std::numeric_limits<Part>::epsilon());
    return std::max(part_distance(x.real(), y.real(), scale),
                    part_distance(x.imag(), y.imag(), scale));
  } else {
    return x == y ? 0 : INFINITY;
  }
}

inline std::string value_text(const HostArray& array, std::int64_t i) {
  return visit(array.type.dtype, [&](auto d) {
    std::ostringstream out;
    out.precision(17);
    const auto v = load<d>(array.data<d>(), std::size_t(i));
    if constexpr (sizeof(v) == 1 && std::is_integral_v<decltype(v)>)
      out << int(v);
    else
      out << v;
    return out.str();
  });
}

/// How far results may be apart.
struct Allowed {
  double ulp = 0;
  double absolute = 0;  ///< instead, for floats
};

/// What operand values led to the first result that is further off than allowed; empty if none is.
inline std::string difference(const HostArray& expected, const HostArray& actual, Allowed allowed,
                              const std::vector<const HostArray*>& inputs) {
  std::string first;
  std::int64_t wrong = 0;
  double worst = 0;
  visit(expected.type.dtype, [&](auto d) {
    for (std::int64_t i = 0; i < expected.type.count(); ++i) {
      const double distance = ulp_distance<d>(expected.data<d>()[i], actual.data<d>()[i]);
      if (distance <= allowed.ulp) continue;
      if constexpr (info(d).kind == Kinds::floating) {
        const double x = double(load<d>(expected.data<d>(), std::size_t(i))),
                     y = double(load<d>(actual.data<d>(), std::size_t(i)));
        if (std::fabs(x - y) <= allowed.absolute) continue;
      }
      worst = std::max(worst, distance);
      if (wrong++ > 0) continue;
      for (const HostArray* input : inputs)
        first += (first.empty() ? "" : ", ") + value_text(*input, i);
      first = "of (" + first + "): expected " + value_text(expected, i) + ", found " +
              value_text(actual, i);
    }
  });
  if (wrong > 1)
    first +=
        ", and " + std::to_string(wrong - 1) + " more, up to " + std::to_string(worst) + " ulp";
  return first;
}

}  // namespace partita::testing
