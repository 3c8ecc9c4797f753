// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What sort, top_k and their relatives share when they are evaluated.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ops/support/support.hpp"

namespace partita::ir::ops {

/// The dimension that is sorted; negative ones count from the end, and the last is the default.
[[nodiscard]] std::size_t sort_dimension(const Dict& attrs, std::int64_t rank);

/// 0 … n-1 in stable order, by the comparisons of sorting.hpp: a permutation whatever `is_less` says.
[[nodiscard]] std::vector<std::int64_t> merge_sorted(
    std::int64_t n, const std::function<bool(std::int64_t, std::int64_t)>& is_less);

/// Whether the elements at one offset go before those at another.
using Comparator = std::function<bool(std::int64_t, std::int64_t)>;

/// The first `kept` of each slice along the dimension, in order.
[[nodiscard]] std::vector<HostArray> sorted_together(std::span<const Tensor> inputs,
                                                     std::size_t dimension,
                                                     const Comparator& compare, std::int64_t kept);

}  // namespace partita::ir::ops
