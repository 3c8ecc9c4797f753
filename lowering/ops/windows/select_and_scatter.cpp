// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// select_and_scatter: first the element that each window selects, then, for each element of the operand, the
// windows that hold it; so nothing is written twice and sums have one order.
#include <algorithm>
#include <limits>

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using ir::Value;
using ir::WindowDim;
using kernel::ExprId;

/// The place in the operand that a window's element is at, and whether it is one.
struct Place {
  std::vector<ExprId> index;
  ExprId inside;
};

Place place_of(kernel::ExprPool& pool, const std::vector<WindowDim>& window,
               const std::vector<ExprId>& at, const std::vector<ExprId>& elements) {
  Place place{.index = {}, .inside = pool.boolean(true)};
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowIndex w = window_index(pool, window[d], at[d], elements[d]);
    place.inside = pool.logical_and(place.inside, w.inside);
    place.index.push_back(pool.div(w.position, window[d].base_dilation));
  }
  return place;
}

/// The windows that hold an element of one dimension: `trips` candidates from the first on.
struct Holders {
  std::int64_t trips = 1;
  std::int32_t variable = -1;
  ExprId window, inside;
};

Holders holders_of(Kernel& k, const WindowDim& w, ExprId element) {
  auto& pool = k.pool;
  Holders h;
  h.trips = std::min((w.size + w.stride - 1) / w.stride, std::max<std::int64_t>(w.count(), 1));
  const ExprId place = pool.add(element, w.low);
  // The last window that begins at or before the element; then back by the candidates.
  const ExprId last =
      pool.min(pool.div(pool.max(place, pool.index(0)), w.stride), pool.index(w.count() - 1));
  ExprId trip = pool.index(0);
  if (h.trips > 1) {
    h.variable = k.new_variable(h.trips);
    trip = pool.variable(h.variable);
  }
  h.window = pool.add(pool.sub(last, pool.index(h.trips - 1)), trip);
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
    auto k = new_kernel("select_in_" + step_name(node_), windows_.count());
    KernelBody body(context_, *k);
    auto& pool = k->pool;
    const ExprId item = pool.variable(0);
    const WindowVariables in_window = window_variables(*k, window_);
    const Place place =
        place_of(pool, window_, kernel::delinearize(pool, item, windows_.dims), in_window.elements);
    const Register best(*k, index_dtype_);
    std::vector<Stmt> inner = compare(*k, body, place, best);
    std::vector<Stmt> guarded;
    if (place.inside == pool.boolean(true))
      guarded = std::move(inner);
    else
      guarded.push_back(when(place.inside, std::move(inner)));
    for (Stmt& s : window_loops(*k, in_window.variables, window_, std::move(guarded)))
      k->body.push_back(std::move(s));
    body.note_count(type_.count());
    k->body.push_back(
        store(body.buffer(selected_, index_dtype_, true), index_dtype_, item, best.value(pool)));
    context_.launch(std::move(k), body, windows_.count());
  }

  /// Declares what is selected so far, and compares it with one more element.
  std::vector<Stmt> compare(Kernel& k, KernelBody& body, const Place& place, const Register& best) {
    auto& pool = k.pool;
    const DType d = type_.dtype;
    const Register value(k, d), candidate(k, d), stays(k, DType::i1);
    k.body.push_back(best.declare(pool.constant_of(index_dtype_, -1)));
    k.body.push_back(value.declare(pool.constant_of(d, 0)));
    body.define(node_.region(0).argument(0), value.value(pool));
    body.define(node_.region(0).argument(1), candidate.value(pool));
    const ExprId has_one = pool.less_equal(pool.index(0), pool.to_index(best.value(pool)));
    const ExprId keep = stays.value(pool);
    std::vector<Stmt> inner;
    inner.push_back(candidate.declare(body.element(node_.operand(0), place.index)));
    inner.push_back(stays.declare(pool.logical_and(has_one, body.combined(node_.region(0), 0))));
    inner.push_back(best.assign(pool.choose(
        keep, best.value(pool),
        pool.from_index(kernel::linear_index(pool, place.index, type_.dims), index_dtype_))));
    inner.push_back(value.assign(pool.choose(keep, value.value(pool), candidate.value(pool))));
    return inner;
  }

  /// For each element of the operand, the sources of the windows that have selected it.
  void scatter(bool has_windows) {
    const DType d = type_.dtype;
    auto k = new_kernel(step_name(node_), type_.count());
    KernelBody body(context_, *k);
    auto& pool = k->pool;
    const ExprId item = pool.variable(0);
    const Register total(*k, d);
    k->body.push_back(total.declare(body.element(node_.operand(2), {})));
    if (has_windows)
      for (Stmt& s : add_selected(*k, body, total)) k->body.push_back(std::move(s));
    body.note_count(std::max(type_.count(), windows_.count()));
    k->body.push_back(store(body.buffer(to_, d, true), d, item, total.value(pool)));
    context_.launch(std::move(k), body, type_.count());
  }

  std::vector<Stmt> add_selected(Kernel& k, KernelBody& body, const Register& total) {
    auto& pool = k.pool;
    const ExprId item = pool.variable(0);
    const auto at = kernel::delinearize(pool, item, type_.dims);
    std::vector<Holders> holders;
    std::vector<ExprId> place;
    ExprId inside = pool.boolean(true);
    for (std::size_t dim = 0; dim < window_.size(); ++dim) {
      holders.push_back(holders_of(k, window_[dim], at[dim]));
      place.push_back(holders.back().window);
      inside = pool.logical_and(inside, holders.back().inside);
    }
    const ExprId chosen = pool.load(body.buffer(selected_, index_dtype_, false), index_dtype_,
                                    kernel::linear_index(pool, place, windows_.dims));
    body.define(node_.region(1).argument(0), total.value(pool));
    body.define(node_.region(1).argument(1), body.element(node_.operand(1), place));
    std::vector<Stmt> stmts;
    stmts.push_back(total.assign(body.combined(node_.region(1), 0)));
    std::vector<Stmt> matching;
    matching.push_back(when(pool.equal(pool.to_index(chosen), item), std::move(stmts)));
    std::vector<Stmt> guarded;
    guarded.push_back(when(inside, std::move(matching)));
    for (std::size_t dim = window_.size(); dim-- > 0;) {
      if (holders[dim].variable < 0) continue;
      std::vector<Stmt> outer;
      outer.push_back(
          loop(holders[dim].variable, pool.index(holders[dim].trips), std::move(guarded)));
      guarded = std::move(outer);
    }
    return guarded;
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

}  // namespace partita::passes
