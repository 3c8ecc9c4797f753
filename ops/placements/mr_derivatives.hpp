// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of the reductions over a placement: each emits placement ops and maps alone.
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir {

/// Where an mr.reduce op has its values, weights, mask and values to keep.
struct ReduceSegments {
  std::size_t values = 0, weights = 0, masks = 0, keeps = 0;
  [[nodiscard]] std::size_t weight() const { return values; }
  [[nodiscard]] std::size_t mask() const { return values + weights; }
  [[nodiscard]] std::size_t keep(std::size_t k) const { return values + weights + masks + k; }
};
[[nodiscard]] ReduceSegments reduce_segments(const Dict& attrs, std::size_t operands,
                                             bool is_weighted);

[[nodiscard]] Derivative reduce_sum_derivative();
[[nodiscard]] Derivative reduce_mean_derivative();
[[nodiscard]] Derivative reduce_extremum_derivative();
[[nodiscard]] Derivative weighted_mean_derivative();

}  // namespace partita::ir
