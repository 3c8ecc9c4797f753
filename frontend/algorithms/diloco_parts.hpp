// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What DiLoCo by steps (diloco.cpp) and by intervals (diloco_interval.cpp) share.
#pragma once

#include "partita/algorithms/diloco.hpp"

namespace partita::algorithms {

using Positions = std::vector<std::size_t>;

/// The leaves at these positions, and their replacement.
[[nodiscard]] Arrays select(const Arrays& leaves, const Positions& positions);
void put(Arrays& leaves, const Positions& positions, const Arrays& values);

/// The fragments in use; a user error where they do not hold each leaf once.
[[nodiscard]] std::vector<Fragment> fragments_of(const DiLoCo& algorithm, std::size_t leaves);

/// Lengths of the parts of the inner and of the outer state, by fragment.
struct DiLoCoLayout {
  std::size_t inner = 0, outer = 0;
  std::vector<std::size_t> by_fragment;
};
[[nodiscard]] DiLoCoLayout layout_of(const DiLoCo& algorithm, const Arrays& params);

/// Each worker's outer − inner parameters, [n, s…], and their mean over the workers.
[[nodiscard]] Arrays own_differences(const std::string& placement, const Arrays& params,
                                     const Arrays& workers);
[[nodiscard]] Arrays mean_difference(const std::string& placement, const Arrays& params,
                                     const Arrays& workers);
/// The workers' parameters: those they have or, where an outer step was taken, the outer ones.  Not under
/// `cond`, so that each shard goes on holding those of its own workers.
[[nodiscard]] Arrays taken(const DiLoCo& algorithm, const Array& is_taken, const Arrays& params,
                           const Arrays& workers);

}  // namespace partita::algorithms
