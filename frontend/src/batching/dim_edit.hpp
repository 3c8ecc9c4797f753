// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A node's attributes after a dimension was inserted into or removed from its operands and results,
// by the dimension roles of its AttrSpecs; and making such nodes.
#pragma once

#include <optional>
#include <vector>

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

[[nodiscard]] Type with_dim_inserted(Type type, int dim, std::int64_t extent);

/// A node like `node` (op, location, hint) with copies of its (isolated) regions.
Node* remake(const Node& node, Graph& into, std::vector<Value> operands, Dict attrs,
             std::vector<Type> types, Node* before);

/// Small nodes that transformations insert.
struct Builder {
  Graph& into;
  Node* before = nullptr;

  Value op(std::string_view name, std::vector<Value> operands, Dict attrs = {}) const {
    return create_value(into, name, std::move(operands), std::move(attrs), {}, before);
  }
  Value typed(std::string_view name, std::vector<Value> operands, const Type& type,
              Dict attrs = {}) const {
    return create_value(into, name, std::move(operands), std::move(attrs), {&type, 1}, before);
  }
  Value splat(const Type& type, double value) const {
    return create_splat(into, type, value, before);
  }
  /// To another shape; the value itself when it has that shape.
  Value reshape(Value v, const Dims& dims) const;
  /// With dimensions of the value at `dims` of the result.
  Value broadcast(Value v, const Dims& shape, const I64s& dims) const;
  Value convert(Value v, DType dtype) const;
  Value compare(const char* direction, Value a, Value b) const;
};

}  // namespace partita::ir
