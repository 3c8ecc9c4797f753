// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Operands of mr.reduce_* by what they are.
#pragma once

#include <optional>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::passes {

struct ReductionOperands {
  std::vector<ir::Value> values;
  std::optional<ir::Value> weight, mask;
  std::vector<ir::Value> kept;  ///< as many as values, or none
};
[[nodiscard]] ReductionOperands reduction_operands(const ir::Node& reduction);

/// Makes of each mr.reduce_* of several values one of each, so that each may lie over a mesh in its own way.
void separate_reductions(ir::Graph& graph);

}  // namespace partita::passes
