// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <algorithm>
#include <array>
#include <cmath>

#include "partita/base/error.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/samples.hpp"

namespace partita::testing {
namespace {

/// |a - b| allowed by noise, relative to the larger of 1 and the largest finite element.
template <DType d>
std::int64_t first_difference(const HostArray& found, const HostArray& expected, double noise) {
  const auto part_values = [](const HostArray& a, std::int64_t i) {
    const auto v = load<d>(a.data<d>(), std::size_t(i));
    if constexpr (info(d).kind == Kinds::complex)
      return std::array{double(v.real()), double(v.imag())};
    else
      return std::array{double(v)};
  };
  double scale = 1;
  for (std::int64_t i = 0; i < expected.type.count(); ++i)
    for (const double x : part_values(expected, i))
      if (std::isfinite(x)) scale = std::max(scale, std::fabs(x));
  const double allowed = noise * scale;
  double largest = 1e4;
  bool has_zero = true;
  if constexpr (is_small_float(d)) {
    const FloatFormat format = info(d).format;
    largest = std::min(largest,
                       decode_float(d, format.last_number() - (format.has_infinity() ? 1 : 0)) / 2);
    has_zero = format.has_zero();
  }
  for (std::int64_t i = 0; i < expected.type.count(); ++i) {
    const auto x = part_values(expected, i), y = part_values(found, i);
    for (std::size_t k = 0; k < x.size(); ++k) {
      if (x[k] == y[k] || (std::isnan(x[k]) && std::isnan(y[k]))) continue;
      // At the edge of the range one may be infinite and the other not yet.
      const bool is_at_edge = scale > largest || !has_zero;
      if (noise > 0 && (!std::isfinite(x[k]) || !std::isfinite(y[k])) && is_at_edge) continue;
      if (!(std::fabs(x[k] - y[k]) <= allowed)) return i;
    }
  }
  return -1;
}

}  // namespace

std::string noise_difference(std::span<const HostArray> found, std::span<const HostArray> expected,
                             std::span<const double> noise) {
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (found[k].type != expected[k].type)
      return cat("result ", k, ": expected ", to_string(expected[k].type), ", found ",
                 to_string(found[k].type));
    const std::int64_t at = visit(expected[k].type.dtype, [&](auto d) {
      if constexpr (d == DType::i64 || d == DType::ui64)
        return found[k].bytes == expected[k].bytes ? std::int64_t(-1) : std::int64_t(0);
      else
        return first_difference<d>(found[k], expected[k], noise[k]);
    });
    if (at >= 0)
      return cat("result ", k, " (", to_string(expected[k].type), ") at element ", at,
                 ": expected ", value_text(expected[k], at), ", found ", value_text(found[k], at));
  }
  return {};
}

}  // namespace partita::testing
