// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A dot_general as batch × m × n × k.
#pragma once

#include "partita/ir/graph.hpp"

namespace partita::ir {

struct ContractionShape {
  std::int64_t batch = 1, m = 1, n = 1, k = 1;
  /// Dimensions of the operands by role, in the order of the result (batch, free) or of the sum.
  I64s lhs_batch, rhs_batch, lhs_free, rhs_free, lhs_contracting, rhs_contracting;
};
[[nodiscard]] ContractionShape contraction_shape(const Node& dot);

/// Whether operands of a dot_general or convolution may be rounded to tf32: its algorithm says so or, where `by_default`, it
/// names none and asks for no precision above HIGH.
[[nodiscard]] bool allows_tf32(const Node& product, bool by_default);

}  // namespace partita::ir
