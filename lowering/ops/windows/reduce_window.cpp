// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce_window: a work-item for each window, whose loops see the initial value where it reaches over
// the operand; operands that it leaves along their lines are padded first.
#include <algorithm>
#include <optional>

#include "lowering/context/loops.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Node;
using ir::Value;
using ir::WindowDim;
using scalar::ExprId;

namespace {

/// Terms that are written one after the other instead of in a loop, at most.
constexpr std::int64_t most_unrolled = 9;

/// Loops over the elements of a reduce_window's window.
class WindowLoops {
 public:
  /// `repeats`: the terms of the innermost loop may be written out.
  WindowLoops(KernelBody& body, const std::vector<WindowDim>& window, std::vector<ExprId> at,
              bool repeats)
      : body_(body),
        window_(window),
        at_(std::move(at)),
        in_window_(window_variables(body, window)) {
    // Along lines, where all terms are there: what neighbours read overlaps.
    std::size_t last = window.size();
    while (last > 0 && window[last - 1].size == 1 && window[last - 1].extent == 1) --last;
    if (!repeats || last == 0 || window[last - 1].size > most_unrolled || !is_whole(last - 1))
      return;
    if (in_window_.loops[last - 1].slot >= 0) unrolled_ = last - 1;
  }

  /// Calls `body` within the loops.
  template <class F>
  void open(const F& body) const {
    std::vector<LoopVariable> loops = in_window_.loops;
    if (unrolled_) loops[*unrolled_] = {};
    body_.nest(loops, body);
  }
  /// Terms that the innermost loop's body writes out, and where they are.
  [[nodiscard]] std::int64_t terms() const { return unrolled_ ? window_[*unrolled_].size : 1; }
  [[nodiscard]] WindowPlace place(std::int64_t term) {
    if (unrolled_) in_window_.elements[*unrolled_] = body_.pool().index(term);
    return window_place(body_.pool(), window_, at_, in_window_.elements);
  }

 private:
  /// Whether all of a window lies in the operand, along one dimension.
  [[nodiscard]] bool is_whole(std::size_t d) {
    auto& pool = body_.pool();
    return window_index(pool, window_[d], at_[d], in_window_.elements[d]).inside ==
           pool.boolean(true);
  }

  KernelBody& body_;
  const std::vector<WindowDim>& window_;
  std::vector<ExprId> at_;
  WindowVariables in_window_;
  std::optional<std::size_t> unrolled_;  ///< dimension
};

/// The dimension along which elements lie side by side, where windows reach over its ends.
std::optional<std::size_t> padded_columns(const Type& type, const std::vector<WindowDim>& window) {
  std::size_t d = type.dims.size();
  while (d > 0 && type.dims[d - 1] == 1) --d;
  if (d == 0 || type.count() == 0) return std::nullopt;
  const WindowDim& w = window[d - 1];
  const bool is_padded = w.low >= 0 && w.high >= 0 && w.low + w.high > 0 && w.size <= w.extent;
  if (!is_padded || w.size == 1 || w.base_dilation != 1) return std::nullopt;
  return d - 1;
}

/// Operand i of a reduce_window with its initial value before and behind it along a dimension.
Location pad_columns(Context& context, const Node& node, std::size_t i, std::size_t d,
                     const WindowDim& w) {
  const Value operand = node.operand(i), init = node.operand(node.result_types().size() + i);
  Type type = operand.type();
  type.dims[d] += w.low + w.high;
  const Location to = context.new_temporary(type, "padded");
  lower_each(context, to, type, "pad_for_" + step_name(node), [&](KernelBody& body, auto index) {
    auto& pool = body.pool();
    std::vector<ExprId> at(index.begin(), index.end());
    at[d] = pool.sub(at[d], pool.index(w.low));
    return pool.choose(pool.logical_and(pool.less_equal(pool.index(0), at[d]),
                                        pool.less(at[d], pool.index(w.extent))),
                       body.element(operand, at), body.element(init, {}));
  });
  return to;
}

class ReduceWindow {
 public:
  ReduceWindow(Context& context, const Node& node, std::vector<WindowDim> window)
      : context_(context),
        node_(node),
        window_(std::move(window)),
        type_(node.result_types()[0]),
        n_(node.result_types().size()),
        // The accumulator holds the initial value already: in any order, another one changes nothing.
        skips_(ir::simple_combiner(node.region(0)) && absorbs_initial(context, node)),
        dims_(node.operand(0).type().dims) {}

  /// With what is read beside the ends in memory, windows of neighbours are read alike.
  void pad() {
    const auto d = padded_columns(node_.operand(0).type(), window_);
    if (!d || !skips_) return;
    WindowDim& w = window_[*d];
    for (std::size_t i = 0; i < n_; ++i) padded_.push_back(pad_columns(context_, node_, i, *d, w));
    dims_[*d] += w.low + w.high;
    w.extent = dims_[*d];
    w.low = w.high = 0;
  }

  void launch(const std::vector<Location>& results) {
    KernelBody body(context_, step_name(node_), type_.count());
    auto& pool = body.pool();
    const Reduction reduction(body, node_, ir::element_count(window_) > few_terms);
    const ExprId item = body.item();
    std::vector<ExprId> inits;
    for (std::size_t i = 0; i < n_; ++i) inits.push_back(body.element(node_.operand(n_ + i), {}));
    reduction.declare(body, inits);
    const bool is_empty = node_.operand(0).type().count() == 0;
    WindowLoops loops(body, window_, scalar::delinearize(pool, item, type_.dims),
                      skips_ && !is_empty);
    loops.open([&] {
      std::optional<ExprId> total;
      for (std::int64_t t = 0; t < loops.terms(); ++t) {
        const WindowPlace place = loops.place(t);
        const ExprId inside = padded_.empty() ? pool.boolean(true) : place.inside;
        const std::vector<ExprId> terms = is_empty ? inits : elements(body, place, inits);
        if (loops.terms() == 1 || inside != pool.boolean(true))
          body.guard_if_needed(inside, [&] { reduction.combine(body, terms); });
        else
          total = reduction.combined(body, total.value_or(body.value(reduction.registers[0])),
                                     terms[0]);
      }
      if (total) body.assign(reduction.registers[0], *total);
    });
    body.note_count(std::max(type_.count(), Type{.dtype = type_.dtype, .dims = dims_}.count()));
    for (std::size_t i = 0; i < n_; ++i)
      body.store_to(results[i], reduction.dtypes[i], item, reduction.result(body, i));
    context_.launch(body, type_.count());
  }

 private:
  std::vector<ExprId> elements(KernelBody& body, const WindowPlace& place,
                               const std::vector<ExprId>& inits) {
    auto& pool = body.pool();
    std::vector<ExprId> found;
    for (std::size_t i = 0; i < n_; ++i) {
      const DType d = node_.operand(i).type().dtype;
      if (padded_.empty())
        found.push_back(
            pool.choose(place.inside, body.element(node_.operand(i), place.index), inits[i]));
      else
        found.push_back(pool.load(body.buffer(padded_[i], d, false), d,
                                  scalar::linear_index(pool, place.index, dims_)));
    }
    return found;
  }

  Context& context_;
  const Node& node_;
  std::vector<WindowDim> window_;
  const Type& type_;
  std::size_t n_;
  bool skips_;
  std::vector<Location> padded_;
  Dims dims_;  ///< of the operand, or of what it is padded to
};

}  // namespace

void lower_reduce_window(Context& context, Node& node, std::vector<WindowDim> window) {
  std::vector<Location> results;
  for (const Type& t : node.result_types())
    results.push_back(context.new_temporary(t, step_name(node)));
  if (node.result_types()[0].count() > 0) {
    ReduceWindow kernels(context, node, std::move(window));
    kernels.pad();
    kernels.launch(results);
  }
  for (std::size_t i = 0; i < results.size(); ++i) context.place(node.result(int(i)), results[i]);
}

}  // namespace partita::lowering
