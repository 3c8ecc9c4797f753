// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/form_attention/softmax.hpp"

#include <algorithm>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes::transforms {
namespace {

/// Past a maximum with -inf, by which a softmax guards rows without elements.
Value without_guard(const Value& row) {
  if (!row.node->is("stablehlo.maximum")) return row;
  for (const std::size_t k : {0, 1})
    if (ir::is_identity_of(Combiner::max, row.node->operand(k)))
      return without_converts(row.node->operand(1 - k));
  return row;
}

/// Whether the node reduces one operand by a combiner.
bool reduces(const Node& node, Combiner combiner) {
  return node.is("stablehlo.reduce") && node.result_count() == 1 &&
         ir::simple_combiner(node.region(0)) == combiner &&
         ir::starts_from_identity(node, combiner);
}

/// Proper places in the operand that a reduction is along, ascending.
I64s reduced_places(const Node& reduce) {
  I64s places = proper_places(reduce.operand(0).type().dims, reduce.attrs.i64s("dimensions"));
  std::ranges::sort(places);
  return places;
}

/// Whether a product of these dimensions is among what `v` is made of element by element.
bool leads_to_product(const Value& v, const Dims& dims, int depth = 0) {
  if (v.node->is("stablehlo.dot_general")) return proper_dims(v) == dims;
  if (keeps_proper_dims(*v.node)) return leads_to_product(v.node->operand(0), dims, depth);
  if (v.node->op().elements != ir::Elements::elementwise || depth > 12) return false;
  return std::ranges::any_of(v.node->operands(),
                             [&](const Value& o) { return leads_to_product(o, dims, depth + 1); });
}

}  // namespace

bool is_attention_float(const Value& v) {
  const DType d = v.type().dtype;
  return d == DType::f32 || d == DType::bf16 || d == DType::f16;
}

std::optional<Softmax> Softmax::find(Node& exponential, const GraphUses& uses) {
  const Value shifted = without_converts(exponential.operand(0));
  if (!shifted.node->is("stablehlo.subtract")) return std::nullopt;
  Softmax s;
  s.exponentials = exponential.result();
  s.scores = shifted.node->operand(0);
  s.dims = proper_dims(s.scores);
  if (!s.find_maxima(shifted.node->operand(1)) || !s.find_sums(s.exponentials, uses) ||
      !s.find_product() || !s.find_sides())
    return std::nullopt;
  return s;
}

/// What is reduced along the columns and spread again.
bool Softmax::find_maxima(Value spread) {
  spread = without_converts(spread);
  if (!spread.node->is("stablehlo.broadcast_in_dim") || proper_dims(spread) != dims) return false;
  Value row = without_converts(spread.node->operand(0));
  // With a dimension of one element in the place of the columns.
  if (row.node->is("stablehlo.broadcast_in_dim") &&
      proper_dims(row) == proper_dims(row.node->operand(0)))
    row = without_converts(row.node->operand(0));
  row = without_guard(row);
  if (!reduces(*row.node, Combiner::max) ||
      without_converts(row.node->operand(0)) != without_converts(scores))
    return false;
  columns = reduced_places(*row.node);
  row_dims = proper_dims(row);
  I64s kept;
  for (const std::int64_t d : counting(0, dims.size()))
    if (!std::ranges::binary_search(columns, d)) kept.push_back(d);
  return spread_places(*spread.node) == kept;
}

/// Among the users of exponentials, and of what these are converted to.
bool Softmax::find_sums(const Value& from, const GraphUses& uses) {
  return std::ranges::any_of(uses.users(from), [&](Node* user) {
    if (reduces(*user, Combiner::sum) && reduced_places(*user) == columns) {
      sums = user->result();
      return true;
    }
    const bool is_same = user->is("stablehlo.convert") || keeps_proper_dims(*user);
    return is_same && find_sums(user->result(), uses);
  });
}

/// The one product that scores are made of, element by element.
bool Softmax::find_product() {
  std::vector<Value> open{scores};
  std::set<Value> seen;
  while (!open.empty()) {
    const Value v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    if (v.node->is("stablehlo.dot_general") && proper_dims(v) == dims) {
      if (product && product->node != v.node) return false;
      product.emplace(*v.node);
    } else if (leads_to_product(v, dims)) {
      path.insert(v.node);
      for (const Value& operand : v.node->operands()) {
        if (proper_dims(operand) != dims) return false;
        open.push_back(operand);
      }
    }
  }
  return product.has_value();
}

std::optional<std::size_t> Softmax::row_side(const Product& p) const {
  if (p.sides[0].batch.size() != batch.size()) return std::nullopt;
  for (const std::size_t side : {0, 1})
    if (p.free_of(side) == rows && p.free_of(1 - side) == columns) return side;
  return std::nullopt;
}

/// Rows and columns are those of the product's sides, in order.
bool Softmax::find_sides() {
  batch = counting(0, product->sides[0].batch.size());
  const std::size_t side = product->free_of(1) == columns ? 0 : 1;
  rows = product->free_of(side);
  if (!row_side(*product)) return false;
  queries = product->sides[side].free_lines();
  keys = product->sides[1 - side].free_lines();
  const bool are_floats = is_attention_float(queries.base) && is_attention_float(keys.base) &&
                          is_attention_float(scores) && is_attention_float(exponentials) &&
                          is_attention_float(product->node->result());
  return are_floats && queries.extent(2) > 0 && queries.extent(2) <= most_depth &&
         queries.extent(0) * queries.extent(1) > 0 && keys.extent(1) >= fewest_columns;
}

}  // namespace partita::passes::transforms
