// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A node's attributes after a dimension was inserted into or removed from its operands and results,
// by the dimension roles of its AttrSpecs; and making such nodes.
#pragma once

#include <optional>
#include <vector>

#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

/// What happens to one dimension of each operand and result that roles refer to (scatter's roles
/// count its operands as for one input).
struct DimEdit {
  int dim = 0;
  std::int64_t extent = 1;  ///< of the inserted dimension, or what is left of a shrunk one
};
using DimEdits = std::vector<std::optional<DimEdit>>;

[[nodiscard]] Dict attrs_with_inserted(const Node& node, const DimEdits& operands,
                                       const DimEdits& results);
/// A single-dimension attribute must not name a removed dimension.
[[nodiscard]] Dict attrs_with_removed(const Node& node, const DimEdits& operands,
                                      const DimEdits& results);
/// Only entries that give the whole extent change.
[[nodiscard]] Dict attrs_with_shrunk(const Node& node, const DimEdits& operands);

/// 0, 1, …, count - 1, each plus `from`.
[[nodiscard]] I64s counting(std::int64_t count, std::int64_t from = 0);
/// The permutation of a transpose that moves dimension `from` to `to`; the others keep their order.
[[nodiscard]] I64s moved_dim(std::int64_t rank, std::int64_t from, std::int64_t to);

[[nodiscard]] Type with_dim_inserted(Type type, int dim, std::int64_t extent);

/// A node like `node` (op, location, hint) with copies of its (isolated) regions.
Node* remake(const Node& node, Graph& into, std::vector<Value> operands, Dict attrs,
             std::vector<Type> types, Node* before);

}  // namespace partita::ir
