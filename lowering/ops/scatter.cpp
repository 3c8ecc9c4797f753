// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatter: updates in place of a copy of the operand.  Updates that can meet in one element are
// applied in order by one work-item, so the result is deterministic and needs no atomics.
#include <algorithm>

#include "ir/ops/support/support.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"

namespace partita::passes {
namespace {

using ir::I64s;
using ir::Node;
using kernel::ExprId;

bool contains(const I64s& list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); }

/// How dimensions of the updates are used.
struct ScatterSpace {
  I64s window_dims, inserted, batching, index_batching, to_operand;
  std::int64_t index_vector_dim = 0;
  /// Operand dimension of each update window dimension; scatter dimensions of the updates.
  I64s window_operand_dims, scatter_dims;
  I64s parallel, serial;  ///< dimensions of the updates

  /// Elements of updates that one statement adds: neighbours in memory of updates and results alike,
  /// where the last dimension of both is a parallel one.
  [[nodiscard]] int width(const Node& node, std::size_t inputs, std::int64_t vector_bytes) const {
    const Dims& dims = node.operand(inputs + 1).type().dims;
    const auto last = std::int64_t(dims.size()) - 1;
    const DType d = node.result_types()[0].dtype;
    if (inputs != 1 || parallel.empty() || parallel.back() != last || serial.empty() ||
        (d != DType::f32 && d != DType::f64) || window_dims.empty() || window_dims.back() != last ||
        window_operand_dims.back() + 1 != std::int64_t(node.result_types()[0].dims.size()) ||
        contains(to_operand, window_operand_dims.back()))
      return 1;
    std::int64_t lanes = std::min<std::int64_t>(vector_bytes / std::int64_t(byte_size(d)), 16);
    while (lanes > 1 && dims.back() % lanes != 0) lanes /= 2;
    return int(std::max<std::int64_t>(lanes, 1));
  }

  explicit ScatterSpace(const Node& node, std::size_t inputs) {
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

  /// Whether different indices along dimension d of the updates never meet in one element.
  [[nodiscard]] bool is_disjoint(std::int64_t d) const {
    const auto w = std::ranges::find(window_dims, d);
    if (w != window_dims.end())
      return !contains(to_operand, window_operand_dims[std::size_t(w - window_dims.begin())]);
    return contains(index_batching, index_dim_of(d));
  }

  /// Dimension of the indices that scatter dimension d of the updates runs along.
  [[nodiscard]] std::int64_t index_dim_of(std::int64_t d) const {
    const auto position = std::ranges::find(scatter_dims, d) - scatter_dims.begin();
    return position < index_vector_dim ? position : position + 1;
  }
};

}  // namespace

static void lower_scatter(Context& context, Node& node) {
  const std::size_t n = node.result_types().size();
  const ir::Value indices = node.operand(n);
  const ScatterSpace space(node, n);
  const Dims& operand_dims = node.operand(0).type().dims;
  const Dims& update_dims = node.operand(n + 1).type().dims;
  std::vector<Location> results;
  for (std::size_t i = 0; i < n; ++i) {
    const Type& type = node.result_types()[i];
    results.push_back(context.new_temporary(type, step_name(node)));
    if (context.is_placed(node.operand(i)))
      context.emit_copy(context.place_of(node.operand(i)), results[i], type, "copy for scatter");
    else
      lower_loops(context, node.operand(i), results[i]);
  }
  const auto extents = [&](const I64s& dims) {
    Dims e;
    for (std::int64_t d : dims) e.push_back(update_dims[std::size_t(d)]);
    return e;
  };
  const int width = space.width(node, n, context.policy().tiles.vector_bytes);
  Dims parallel = extents(space.parallel);
  const Dims serial = extents(space.serial);
  if (width > 1) parallel.back() /= width;
  const std::int64_t items = Type{.dims = parallel}.count(), trips = Type{.dims = serial}.count();
  if (items > 0 && trips > 0) {
    auto k = std::make_unique<Kernel>();
    k->stem = step_name(node);
    k->pool.set_extent(0, items);
    KernelBody body(context, *k);
    auto& pool = k->pool;
    const std::int32_t trip = k->new_variable(trips);
    std::vector<ExprId> at(update_dims.size());
    const auto p = kernel::delinearize(pool, pool.variable(0), parallel),
               s = kernel::delinearize(pool, pool.variable(trip), serial);
    for (std::size_t d = 0; d < p.size(); ++d) at[std::size_t(space.parallel[d])] = p[d];
    for (std::size_t d = 0; d < s.size(); ++d) at[std::size_t(space.serial[d])] = s[d];
    const std::int32_t lane = width > 1 ? k->new_variable(width) : -1;
    if (width > 1) at.back() = pool.add(pool.mul(at.back(), width), pool.variable(lane));
    // Element of the operand: window offset plus scattered start plus batch.
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
      target[d] = pool.add(target[d], ir::ops::lower_within(pool, body.element(indices, index_at),
                                                            -window_extents[d], operand_dims[d]));
    }
    ExprId inside = pool.boolean(true);
    for (std::size_t d = 0; d < target.size(); ++d) {
      inside = pool.logical_and(inside, pool.less_equal(pool.index(0), target[d]));
      inside = pool.logical_and(inside, pool.less(target[d], pool.index(operand_dims[d])));
    }
    const ExprId linear = kernel::linear_index(pool, target, operand_dims);
    std::vector<std::int32_t> memory;
    std::vector<Stmt> stmts;
    body.note_count(node.operand(0).type().count());
    for (std::size_t i = 0; i < n; ++i) {
      const DType d = node.result_types()[i].dtype;
      memory.push_back(body.buffer(results[i], d, true));
      // The old element is read again each time: registers keep it apart from other loads.
      const std::int32_t old = k->next_register++;
      stmts.push_back({.kind = Stmt::Kind::declare,
                       .slot = old,
                       .dtype = d,
                       .value = pool.load(memory[i], d, linear),
                       .width = width,
                       .lane = lane});
      body.define(node.region(0).argument(int(i)), pool.reg(old, d));
      body.define(node.region(0).argument(int(n + i)), body.element(node.operand(n + 1 + i), at));
    }
    for (std::size_t i = 0; i < n; ++i)
      stmts.push_back({.kind = Stmt::Kind::store,
                       .slot = memory[i],
                       .dtype = node.result_types()[i].dtype,
                       .value = body.combined(node.region(0), i),
                       .other = linear,
                       .width = width,
                       .lane = lane});
    std::vector<Stmt> guarded;
    guarded.push_back({.kind = Stmt::Kind::when, .value = inside, .body = std::move(stmts)});
    k->body.push_back({.kind = Stmt::Kind::loop,
                       .slot = trip,
                       .value = pool.index(trips),
                       .body = std::move(guarded)});
    const std::string name = k->stem;
    context.launch(std::move(k), body, items, name);
  }
  for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
}

void register_scatter_lowering(Lowerings& all) { all.add(ir::KernelShape::scatter, lower_scatter); }

}  // namespace partita::passes
