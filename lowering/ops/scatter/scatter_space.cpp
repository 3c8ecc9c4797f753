// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/scatter/scatter_space.hpp"

#include <algorithm>

namespace partita::lowering {

using ir::I64s;
using ir::Node;
using scalar::ExprId;

namespace {

/// Items that share a line of the cache would each fetch it.
constexpr std::int64_t line_bytes = 64;

bool contains(const I64s& list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); }

}  // namespace

ScatterSpace::ScatterSpace(const Node& node, std::size_t inputs) {
  const Dims& operand = node.operand(0).type().dims;
  const Dims& updates = node.operand(inputs + 1).type().dims;
  window_dims = node.attrs.i64s_or_empty("update_window_dims");
  inserted = node.attrs.i64s_or_empty("inserted_window_dims");
  batching = node.attrs.i64s_or_empty("input_batching_dims");
  index_batching = node.attrs.i64s_or_empty("scatter_indices_batching_dims");
  to_operand = node.attrs.i64s_or_empty("scatter_dims_to_operand_dims");
  index_vector_dim = node.attrs.i64("index_vector_dim", 0);
  for (std::int64_t d = 0; d < std::int64_t(operand.size()); ++d)
    if (!contains(inserted, d) && !contains(batching, d)) window_operand_dims.push_back(d);
  for (std::int64_t d = 0; d < std::int64_t(updates.size()); ++d)
    if (!contains(window_dims, d)) scatter_dims.push_back(d);
  const bool is_unique = node.attrs.flag("unique_indices");
  for (std::int64_t d = 0; d < std::int64_t(updates.size()); ++d)
    (is_unique || is_disjoint(d) ? parallel : serial).push_back(d);
}

int ScatterSpace::width(const Node& node, std::size_t inputs, std::int64_t vector_bytes) const {
  const Dims& dims = node.operand(inputs + 1).type().dims;
  const auto last = std::int64_t(dims.size()) - 1;
  const DType d = node.result_types()[0].dtype;
  if (inputs != 1 || parallel.empty() || parallel.back() != last || serial.empty() ||
      (d != DType::f32 && d != DType::f64) || window_dims.empty() || window_dims.back() != last ||
      window_operand_dims.back() + 1 != std::int64_t(node.result_types()[0].dims.size()) ||
      contains(to_operand, window_operand_dims.back()))
    return 1;
  std::int64_t lanes = vector_bytes > 0 ? line_bytes / std::int64_t(byte_size(d)) : 1;
  while (lanes > 1 && dims.back() % lanes != 0) lanes /= 2;
  return int(std::max<std::int64_t>(lanes, 1));
}

bool ScatterSpace::is_disjoint(std::int64_t d) const {
  const auto w = std::ranges::find(window_dims, d);
  if (w != window_dims.end())
    return !contains(to_operand, window_operand_dims[std::size_t(w - window_dims.begin())]);
  return contains(index_batching, index_dim_of(d));
}

std::int64_t ScatterSpace::index_dim_of(std::int64_t d) const {
  const auto position = std::ranges::find(scatter_dims, d) - scatter_dims.begin();
  return position < index_vector_dim ? position : position + 1;
}

bool ScatterSpace::is_window(std::int64_t d) const { return contains(window_dims, d); }

std::vector<ExprId> scatter_target(KernelBody& body, const Node& node, const ScatterSpace& space,
                                   const std::vector<ExprId>& at) {
  scalar::ExprPool& pool = body.pool();
  const Dims& operand_dims = node.operand(0).type().dims;
  const Dims& update_dims = node.operand(node.result_types().size() + 1).type().dims;
  const ir::Value indices = node.operand(node.result_types().size());
  std::vector<ExprId> target(operand_dims.size(), pool.index(0));
  Dims window_extents(operand_dims.size(), 1);
  for (std::size_t w = 0; w < space.window_dims.size(); ++w) {
    const auto d = std::size_t(space.window_operand_dims[w]);
    target[d] = at[std::size_t(space.window_dims[w])];
    window_extents[d] = update_dims[std::size_t(space.window_dims[w])];
  }
  std::vector<ExprId> index_at(indices.type().dims.size(), pool.index(0));
  for (std::int64_t d : space.scatter_dims)
    index_at[std::size_t(space.index_dim_of(d))] = at[std::size_t(d)];
  for (std::size_t b = 0; b < space.batching.size(); ++b)
    target[std::size_t(space.batching[b])] = index_at[std::size_t(space.index_batching[b])];
  for (std::size_t j = 0; j < space.to_operand.size(); ++j) {
    if (std::size_t(space.index_vector_dim) < index_at.size())
      index_at[std::size_t(space.index_vector_dim)] = pool.index(std::int64_t(j));
    const auto d = std::size_t(space.to_operand[j]);
    // What lies further outside is outside with every element of the window.
    target[d] = pool.add(target[d], pool.to_index_within(body.element(indices, index_at),
                                                         -window_extents[d], operand_dims[d]));
  }
  return target;
}

ExprId is_inside(scalar::ExprPool& pool, const std::vector<ExprId>& index, const Dims& dims) {
  ExprId inside = pool.boolean(true);
  for (std::size_t d = 0; d < index.size(); ++d) {
    inside = pool.logical_and(inside, pool.less_equal(pool.index(0), index[d]));
    inside = pool.logical_and(inside, pool.less(index[d], pool.index(dims[d])));
  }
  return inside;
}

}  // namespace partita::lowering
