// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// select_and_scatter: first the element that each window selects, then, for each element of the operand, the
// windows that hold it; so nothing is written twice and sums have one order.
#include <algorithm>
#include <limits>

#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Node;
using ir::Value;
using ir::WindowDim;
using scalar::ExprId;

/// The windows that hold an element along one dimension: candidates from the first on.
struct Holders {
  LoopVariable candidates;
  ExprId window, inside;
};

Holders holders_of(KernelBody& body, const WindowDim& w, ExprId element) {
  auto& pool = body.pool();
  Holders h;
  const std::int64_t most =
      std::min((w.size + w.stride - 1) / w.stride, std::max<std::int64_t>(w.count(), 1));
  const ExprId place = pool.add(element, w.low);
  // The last window that begins at or before the element; then back by the candidates.
  const ExprId last =
      pool.min(pool.div(pool.max(place, pool.index(0)), w.stride), pool.index(w.count() - 1));
  ExprId candidate = pool.index(0);
  if (most > 1) {
    h.candidates = {body.new_variable(most), pool.index(most)};
    candidate = pool.variable(h.candidates.slot);
  }
  h.window = pool.add(pool.sub(last, pool.index(most - 1)), candidate);
  const ExprId begin = pool.mul(h.window, w.stride);
  h.inside = pool.logical_and(
      pool.less_equal(pool.index(0), h.window),
      pool.logical_and(pool.less_equal(begin, place), pool.less(place, pool.add(begin, w.size))));
  return h;
}

class SelectAndScatter {
 public:
  SelectAndScatter(Context& context, Node& node)
      : context_(context),
        node_(node),
        type_(node.operand(0).type()),
        windows_(node.operand(1).type()),
        window_(ir::window_dims(type_, node.attrs)),
        index_dtype_(type_.count() > std::numeric_limits<std::int32_t>::max() ? DType::i64
                                                                              : DType::i32),
        to_(context.new_temporary(type_, step_name(node))) {}

  void lower() {
    if (type_.count() > 0) {
      const bool has_windows = windows_.count() > 0;
      if (has_windows) select();
      scatter(has_windows);
    }
    context_.place(node_.result(), to_);
  }

 private:
  /// For each window, the linear index of the element it selects.
  void select() {
    selected_ = context_.new_temporary({.dtype = index_dtype_, .dims = windows_.dims}, "selected");
    KernelBody body(context_, "select_in_" + step_name(node_), windows_.count());
    auto& pool = body.pool();
    const DType d = type_.dtype;
    const ExprId item = body.item();
    const WindowVariables in_window = window_variables(body, window_);
    const WindowPlace place = window_place(
        pool, window_, scalar::delinearize(pool, item, windows_.dims), in_window.elements);
    const Register best = body.declare(index_dtype_, pool.constant_of(index_dtype_, -1)),
                   value = body.declare(d, pool.constant_of(d, 0));
    body.nest(in_window.loops, [&] {
      body.guard_if_needed(place.inside, [&] { compare(body, place, best, value); });
    });
    body.note_count(type_.count());
    body.store_to(selected_, index_dtype_, item, body.value(best));
    context_.launch(body, windows_.count());
  }

  /// Compares what is selected so far with one more element.
  void compare(KernelBody& body, const WindowPlace& place, const Register& best,
               const Register& value) {
    auto& pool = body.pool();
    const Register candidate = body.new_register(type_.dtype), stays = body.new_register(DType::i1);
    body.define(node_.region(0).argument(0), body.value(value));
    body.define(node_.region(0).argument(1), body.value(candidate));
    const ExprId has_one = pool.less_equal(pool.index(0), pool.to_index(body.value(best)));
    const ExprId keep = body.value(stays);
    body.declare(candidate, body.element(node_.operand(0), place.index));
    body.declare(stays, pool.logical_and(has_one, body.combined(node_.region(0), 0)));
    body.assign(best,
                pool.choose(keep, body.value(best),
                            pool.from_index(scalar::linear_index(pool, place.index, type_.dims),
                                            index_dtype_)));
    body.assign(value, pool.choose(keep, body.value(value), body.value(candidate)));
  }

  /// For each element of the operand, the sources of the windows that have selected it.
  void scatter(bool has_windows) {
    const DType d = type_.dtype;
    KernelBody body(context_, step_name(node_), type_.count());
    const ExprId item = body.item();
    const Register total = body.new_register(d);
    body.declare(total, body.element(node_.operand(2), {}));
    if (has_windows) add_selected(body, item, total);
    body.note_count(std::max(type_.count(), windows_.count()));
    body.store_to(to_, d, item, body.value(total));
    context_.launch(body, type_.count());
  }

  void add_selected(KernelBody& body, ExprId item, const Register& total) {
    auto& pool = body.pool();
    const auto at = scalar::delinearize(pool, item, type_.dims);
    std::vector<LoopVariable> candidates;
    std::vector<ExprId> place;
    ExprId inside = pool.boolean(true);
    for (std::size_t dim = 0; dim < window_.size(); ++dim) {
      const Holders h = holders_of(body, window_[dim], at[dim]);
      candidates.push_back(h.candidates);
      place.push_back(h.window);
      inside = pool.logical_and(inside, h.inside);
    }
    const ExprId chosen = pool.load(body.buffer(selected_, index_dtype_, false), index_dtype_,
                                    scalar::linear_index(pool, place, windows_.dims));
    body.define(node_.region(1).argument(0), body.value(total));
    body.define(node_.region(1).argument(1), body.element(node_.operand(1), place));
    body.nest(candidates, [&] {
      body.guard(inside, [&] {
        body.guard(pool.equal(pool.to_index(chosen), item),
                   [&] { body.assign(total, body.combined(node_.region(1), 0)); });
      });
    });
  }

  Context& context_;
  Node& node_;
  const Type &type_, &windows_;
  std::vector<WindowDim> window_;
  DType index_dtype_;
  Location to_, selected_;
};

}  // namespace

void lower_select_and_scatter(Context& context, Node& node) {
  SelectAndScatter(context, node).lower();
}

}  // namespace partita::lowering
