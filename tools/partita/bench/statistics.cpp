// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/statistics.hpp"

#include <algorithm>
#include <cmath>

#include "partita/base/error.hpp"

namespace partita::tool {

namespace {

std::uint64_t next(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double spread(std::vector<double> values) {
  if (values.size() < 4) return 0;
  const double middle = median(values);
  std::ranges::sort(values);
  return (values[values.size() * 3 / 4] - values[values.size() / 4]) / 2 / middle;
}

Interval ratio_interval(std::span<const double> a, std::span<const double> b, std::uint64_t seed,
                        int draws) {
  PARTITA_ASSERT(!a.empty() && a.size() == b.size() && draws > 0);
  std::vector<double> ratios, drawn_a(a.size()), drawn_b(b.size());
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t turn = next(seed) % a.size();
      drawn_a[i] = a[turn];
      drawn_b[i] = b[turn];
    }
    ratios.push_back(median(drawn_a) / median(drawn_b));
  }
  std::ranges::sort(ratios);
  const auto last = double(ratios.size() - 1);
  return {.low = ratios[std::size_t(std::floor(0.025 * last))],
          .high = ratios[std::size_t(std::ceil(0.975 * last))]};
}

}  // namespace partita::tool
