// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatter: updates in place of a copy of the operand.  Updates that can meet in one element are
// applied in order by one work-item, so the result is deterministic and needs no atomics.
#include <algorithm>

#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::I64s;
using ir::Node;
using scalar::ExprId;

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

/// The kernel: work-items along dimensions whose updates never meet, turns of a loop along the others.
class ScatterKernel {
 public:
  ScatterKernel(Context& context, const Node& node, std::size_t n, std::vector<Location> results)
      : context_(context),
        node_(node),
        n_(n),
        space_(node, n),
        operand_dims_(node.operand(0).type().dims),
        update_dims_(node.operand(n + 1).type().dims),
        results_(std::move(results)),
        width_(space_.width(node, n, context.policy().target.vector_bytes)),
        parallel_(extents(space_.parallel)),
        serial_(extents(space_.serial)),
        body_(context, step_name(node)) {
    if (width_ > 1) parallel_.back() /= width_;
  }

  void launch() {
    const std::int64_t items = Type{.dims = parallel_}.count(),
                       trips = Type{.dims = serial_}.count();
    if (items == 0 || trips == 0) return;
    body_.set_items(items);
    const LoopVariable turns{body_.new_variable(trips), pool().index(trips)};
    body_.loop(turns, [&] {
      find_place(turns.slot);
      find_target();
      ExprId inside = pool().boolean(true);
      for (std::size_t d = 0; d < target_.size(); ++d) {
        inside = pool().logical_and(inside, pool().less_equal(pool().index(0), target_[d]));
        inside =
            pool().logical_and(inside, pool().less(target_[d], pool().index(operand_dims_[d])));
      }
      body_.guard(inside, [&] { update(); });
    });
    context_.launch(body_, items);
  }

 private:
  scalar::ExprPool& pool() { return body_.pool(); }
  [[nodiscard]] Dims extents(const I64s& dims) const {
    Dims e;
    for (std::int64_t d : dims) e.push_back(update_dims_[std::size_t(d)]);
    return e;
  }

  /// The element of the updates that a work-item and a turn are at.
  void find_place(std::int32_t turn) {
    at_.resize(update_dims_.size());
    const auto p = scalar::delinearize(pool(), body_.item(), parallel_),
               s = scalar::delinearize(pool(), pool().variable(turn), serial_);
    for (std::size_t d = 0; d < p.size(); ++d) at_[std::size_t(space_.parallel[d])] = p[d];
    for (std::size_t d = 0; d < s.size(); ++d) at_[std::size_t(space_.serial[d])] = s[d];
    if (width_ == 1) return;
    at_.back() = pool().add(pool().mul(at_.back(), width_), body_.lane(width_));
  }

  /// Element of the operand: window offset plus scattered start plus batch.
  void find_target() {
    const ir::Value indices = node_.operand(n_);
    target_.assign(operand_dims_.size(), pool().index(0));
    Dims window_extents(operand_dims_.size(), 1);
    for (std::size_t w = 0; w < space_.window_dims.size(); ++w) {
      const auto d = std::size_t(space_.window_operand_dims[w]);
      target_[d] = at_[std::size_t(space_.window_dims[w])];
      window_extents[d] = update_dims_[std::size_t(space_.window_dims[w])];
    }
    std::vector<ExprId> index_at(indices.type().dims.size(), pool().index(0));
    for (std::int64_t d : space_.scatter_dims)
      index_at[std::size_t(space_.index_dim_of(d))] = at_[std::size_t(d)];
    for (std::size_t b = 0; b < space_.batching.size(); ++b)
      target_[std::size_t(space_.batching[b])] = index_at[std::size_t(space_.index_batching[b])];
    for (std::size_t j = 0; j < space_.to_operand.size(); ++j) {
      if (std::size_t(space_.index_vector_dim) < index_at.size())
        index_at[std::size_t(space_.index_vector_dim)] = pool().index(std::int64_t(j));
      const auto d = std::size_t(space_.to_operand[j]);
      // What lies further outside is outside with every element of the window.
      target_[d] =
          pool().add(target_[d], pool().to_index_within(body_.element(indices, index_at),
                                                        -window_extents[d], operand_dims_[d]));
    }
  }

  /// The combiner, from the old element and the update's.
  void update() {
    const ExprId linear = scalar::linear_index(pool(), target_, operand_dims_);
    std::vector<std::int32_t> memory;
    body_.note_count(node_.operand(0).type().count());
    for (std::size_t i = 0; i < n_; ++i) {
      const DType d = node_.result_types()[i].dtype;
      memory.push_back(body_.buffer(results_[i], d, true));
      // The old element is read again each time: registers keep it apart from other loads.
      const Register old = body_.new_register(d);
      const ExprId held = pool().load(memory[i], d, linear);
      body_.over_lanes(width_, d, [&] { body_.declare(old, held); });
      body_.define(node_.region(0).argument(int(i)), body_.value(old));
      body_.define(node_.region(0).argument(int(n_ + i)),
                   body_.element(node_.operand(n_ + 1 + i), at_));
    }
    for (std::size_t i = 0; i < n_; ++i)
      body_.over_lanes(width_, node_.result_types()[i].dtype,
                       [&] { body_.store(memory[i], linear, body_.combined(node_.region(0), i)); });
  }

  Context& context_;
  const Node& node_;
  std::size_t n_;
  ScatterSpace space_;
  const Dims &operand_dims_, &update_dims_;
  std::vector<Location> results_;
  int width_;
  Dims parallel_, serial_;
  KernelBody body_;
  std::vector<ExprId> at_, target_;
};

}  // namespace

static void lower_scatter(Context& context, Node& node) {
  const std::size_t n = node.result_types().size();
  std::vector<Location> results;
  for (std::size_t i = 0; i < n; ++i) {
    const Type& type = node.result_types()[i];
    results.push_back(context.new_temporary(type, step_name(node)));
    if (context.is_placed(node.operand(i)))
      context.emit_copy(context.place_of(node.operand(i)), results[i], type, "copy for scatter");
    else
      lower_loops(context, node.operand(i), results[i]);
  }
  ScatterKernel(context, node, n, results).launch();
  for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
}

void register_scatter_lowering(Lowerings& all) { all.add(ir::KernelShape::scatter, lower_scatter); }

}  // namespace partita::lowering
