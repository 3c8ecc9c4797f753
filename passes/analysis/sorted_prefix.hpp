// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Top-k and its relatives as a sort and slices.
#pragma once

#include <memory>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::passes::transforms {

/// What stands for `node`'s results, made before it: `inputs` sorted together along a dimension by
/// the comparator, each cut to the extent of its result.
[[nodiscard]] std::vector<ir::Value> sorted_prefix(ir::Node& node,
                                                   const std::vector<ir::Value>& inputs,
                                                   std::unique_ptr<ir::Graph> comparator,
                                                   std::size_t dimension);

}  // namespace partita::passes::transforms
