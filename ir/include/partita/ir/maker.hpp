// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes nodes at one place of a graph: the small ops that transformations, derivatives, expansions
// and the builder emit between others.  Not for passes that must know what they made: those have a
// rewriter of their own.
#pragma once

#include <string_view>
#include <vector>

#include "partita/base/combiner.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/graph.hpp"

namespace partita::scalar {
struct ElementwiseRow;
}

namespace partita::ir {

using namespace scalar;

/// The row that says what a node of an elementwise op computes (of stablehlo.compare: by its
/// direction; null for a total order of floats, which takes several rows); null for other ops.
[[nodiscard]] const ElementwiseRow* row_of(const Node& node);
/// The attributes by which a node of the row's op computes that row: a comparison's direction.
[[nodiscard]] Dict row_attributes(const ElementwiseRow& row);
/// Those of a stablehlo.compare: "EQ", "GE", "GT", "LE", "LT" or "NE".
[[nodiscard]] Dict comparison_attributes(std::string_view direction);

/// Types are inferred and verified as by ir::create.
struct Maker {
  Graph& graph;
  Node* before = nullptr;  ///< null: at the end of the graph
  SourceLocation location = {};

  /// A node with one result.
  [[nodiscard]] Value op(std::string_view name, std::vector<Value> operands, Dict attrs = {}) const;
  /// The same of an op whose result type does not follow from its operands.
  [[nodiscard]] Value typed(std::string_view name, std::vector<Value> operands, const Type& type,
                            Dict attrs = {}) const;
  [[nodiscard]] Value constant(DenseRef value) const;
  [[nodiscard]] Value splat(const Type& type, double value) const;
  [[nodiscard]] Value iota(const Type& type, std::int64_t dimension) const;
  /// "LT": a < b, as i1.
  [[nodiscard]] Value compare(std::string_view direction, Value a, Value b) const;

  // The value itself where it is so already.
  [[nodiscard]] Value convert(Value v, DType dtype) const;
  [[nodiscard]] Value reshape(Value v, const Dims& dims) const;
  [[nodiscard]] Value transpose(Value v, const I64s& permutation) const;
  /// Indices [begin, begin + count) of a dimension.
  [[nodiscard]] Value part(Value v, std::int64_t dim, std::int64_t begin, std::int64_t count) const;
  /// Dimension d of `v` becomes dimension at[d] of `dims`.
  [[nodiscard]] Value broadcast(Value v, const Dims& dims, const I64s& at) const;
  /// Sum over dimensions, which are dropped.
  [[nodiscard]] Value sum(Value v, const I64s& dimensions) const;

  /// Elements along dimensions, which are dropped, combined by "add", "maximum", … from its identity.
  [[nodiscard]] Value reduce(Combiner combiner, Value v, const I64s& dimensions) const;
};

}  // namespace partita::ir
