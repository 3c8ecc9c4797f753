// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A softmax of what is made of a product element by element: scores, and what rows of them are.
#pragma once

#include <optional>
#include <set>

#include "passes/analysis/graph_uses.hpp"
#include "passes/transforms/form_attention/lines.hpp"

namespace partita::passes::transforms {

/// Most elements of a query, key or value; fewest columns for which a kernel of tiles pays.
inline constexpr std::int64_t most_depth = 256, fewest_columns = 16;

/// A float that kernels of attention know.
[[nodiscard]] bool is_attention_float(const Value& v);

class Softmax {
 public:
  /// The one whose exponentials are what the node gives.
  [[nodiscard]] static std::optional<Softmax> find(Node& exponential, const GraphUses& uses);

  Value exponentials, sums;        ///< of rows, as the reduction gives them
  Value scores;                    ///< what the softmax takes
  std::optional<Product> product;  ///< of queries and keys
  I64s batch, rows, columns;       ///< proper places in the scores
  Dims dims, row_dims;             ///< proper, of scores and of what is of rows
  Lines queries, keys;
  std::set<Node*> path;  ///< from the product to the scores

  /// Which side of a product of the scores' shape rows are of; nothing where rows and columns are of neither.
  [[nodiscard]] std::optional<std::size_t> row_side(const Product& p) const;

 private:
  bool find_maxima(Value spread);
  bool find_sums(const Value& from, const GraphUses& uses);
  bool find_product();
  bool find_sides();
};

}  // namespace partita::passes::transforms
