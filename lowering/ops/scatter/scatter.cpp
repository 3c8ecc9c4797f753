// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scatter: updates in place of a copy of the operand.  Updates that can meet in one element are
// applied in order by one work-item, so the result is deterministic.  Devices of many items apply them all at once
// where no order matters (atomic_scatter.hpp), else sort them by where they go first (sorted_scatter.hpp).
#include "lowering/context/kernel_body.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/ops/scatter/atomic_scatter.hpp"
#include "lowering/ops/scatter/scatter_space.hpp"
#include "lowering/ops/scatter/sorted_scatter.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::I64s;
using ir::Node;
using scalar::ExprId;

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
        has_vectors_(context.policy().target.has_row_launches),
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
      target_ = scatter_target(body_, node_, space_, at_);
      const ExprId inside = is_inside(pool(), target_, operand_dims_);
      body_.guard(inside, [&] { update_all(); });
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
    if (width_ > 1) at_.back() = pool().mul(at_.back(), width_);
  }

  /// The elements of an item: as vectors, or in a loop for compilers that make such vectors as a processor has.
  void update_all() {
    if (width_ == 1) return update(1);
    if (has_vectors_) {
      move_by(body_.lane(width_));
      return update(width_);
    }
    body_.parallel_loop(width_, [&](ExprId k) {
      move_by(k);
      update(1);
    });
  }

  /// Along the last dimension of updates and operand.
  void move_by(ExprId offset) {
    at_.back() = pool().add(at_.back(), offset);
    target_.back() = pool().add(target_.back(), offset);
  }

  /// The combiner, from the old element and the update's, for elements that are neighbours.
  void update(int width) {
    const ExprId linear = scalar::linear_index(pool(), target_, operand_dims_);
    std::vector<std::int32_t> memory;
    body_.note_count(node_.operand(0).type().count());
    for (std::size_t i = 0; i < n_; ++i) {
      const DType d = node_.result_types()[i].dtype;
      memory.push_back(body_.buffer(results_[i], d, true));
      // The old element is read again each time: registers keep it apart from other loads.
      const Register old = body_.new_register(d);
      const ExprId held = pool().load(memory[i], d, linear);
      body_.over_lanes(width, d, [&] { body_.declare(old, held); });
      body_.define(node_.region(0).argument(int(i)), body_.value(old));
      body_.define(node_.region(0).argument(int(n_ + i)),
                   body_.element(node_.operand(n_ + 1 + i), at_));
    }
    for (std::size_t i = 0; i < n_; ++i)
      body_.over_lanes(width, node_.result_types()[i].dtype,
                       [&] { body_.store(memory[i], linear, body_.combined(node_.region(0), i)); });
  }

  Context& context_;
  const Node& node_;
  std::size_t n_;
  ScatterSpace space_;
  const Dims &operand_dims_, &update_dims_;
  std::vector<Location> results_;
  int width_;  ///< elements of an item, neighbours along the last dimension
  bool has_vectors_;
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
  if (!lower_atomic_scatter(context, node, results) &&
      !lower_sorted_scatter(context, node, results))
    ScatterKernel(context, node, n, results).launch();
  for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
}

void register_scatter_lowering(Lowerings& all) { all.add(ir::KernelShape::scatter, lower_scatter); }

}  // namespace partita::lowering
