// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Medians, their spread, and how sure a ratio of medians is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace partita::tool {

/// 0 of nothing.
[[nodiscard]] double median(std::vector<double> values);
/// Half the distance between the quartiles, relative to the median; 0 of fewer than four values.
[[nodiscard]] double spread(std::vector<double> values);

struct Interval {
  double low = 0, high = 0;
};

/// The 95 % percentile bootstrap interval of median(a) / median(b).  a[i] and b[i] were measured in
/// the same turn and are drawn together, so that what a turn does to both cancels.  The same for
/// the same seed on every machine.  Both hold equally many values, at least one.
[[nodiscard]] Interval ratio_interval(std::span<const double> a, std::span<const double> b,
                                      std::uint64_t seed, int draws = 10'000);

}  // namespace partita::tool
