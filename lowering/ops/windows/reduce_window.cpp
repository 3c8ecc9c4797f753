// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// reduce_window: a work-item for each window, whose loops see the initial value where it reaches over
// the operand; operands that it leaves along their lines are padded first.
#include <algorithm>
#include <functional>

#include "kernel/ast/expressions.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"

namespace partita::passes {

using ir::Node;
using ir::Value;
using ir::WindowDim;
using kernel::ExprId;

namespace {

/// The place in the operand that a window's element is at, and whether it is one.
struct Place {
  std::vector<ExprId> index;
  ExprId inside;
};

/// Terms that are written one after the other instead of in a loop, at most.
constexpr std::int64_t most_unrolled = 9;

/// The statements of a reduce_window that run over its window.
class WindowLoops {
 public:
  using Body = std::function<std::vector<Stmt>(const Place& place)>;
  /// `repeats`: the body may be asked for more than once.
  WindowLoops(Kernel& k, const std::vector<WindowDim>& window, std::vector<ExprId> at, bool repeats,
              Body body)
      : pool_(k.pool), window_(window), at_(std::move(at)), body_(std::move(body)) {
    for (const WindowDim& w : window) {
      variables_.push_back(w.size == 1 ? -1 : k.new_variable(w.size));
      elements_.push_back(w.size == 1 ? pool_.index(0) : pool_.variable(variables_.back()));
    }
    // Along lines, where all terms are there: what neighbours read overlaps.
    unrolled_from_ = window.size();
    while (unrolled_from_ > 0 && window[unrolled_from_ - 1].size == 1 &&
           window[unrolled_from_ - 1].extent == 1)
      --unrolled_from_;
    const bool is_unrolled = repeats && unrolled_from_ > 0 &&
                             window[unrolled_from_ - 1].size <= most_unrolled &&
                             is_whole(unrolled_from_ - 1);
    unrolled_from_ -= is_unrolled ? 1 : 0;
  }

  std::vector<Stmt> build(std::size_t d = 0) {
    if (d == window_.size()) return innermost();
    if (variables_[d] < 0) return build(d + 1);
    std::vector<Stmt> result;
    if (d >= unrolled_from_) {
      for (std::int64_t k = 0; k < window_[d].size; ++k) {
        elements_[d] = pool_.index(k);
        for (Stmt& s : build(d + 1)) append(result, std::move(s));
      }
      return result;
    }
    result.push_back(loop(variables_[d], pool_.index(window_[d].size), build(d + 1)));
    return result;
  }

 private:
  /// Whether all of a window lies in the operand, along one dimension.
  [[nodiscard]] bool is_whole(std::size_t d) {
    return window_index(pool_, window_[d], at_[d], elements_[d]).inside == pool_.boolean(true);
  }
  /// Steps `register = row(register, x)` after one another become one.
  void append(std::vector<Stmt>& to, Stmt s) {
    if (!to.empty() && s.kind == Stmt::Kind::assign && to.back().kind == s.kind &&
        to.back().slot == s.slot) {
      const kernel::Expr step = pool_[s.value];
      const ExprId held = pool_.reg(s.slot, s.dtype);
      if (step.kind == kernel::ExprKind::apply && step.operands.size() == 2 &&
          step.operands[0] == held && !depends_on(pool_, step.operands[1], kernel::ExprKind::reg)) {
        to.back().value = pool_.apply(step.name, step.source, {to.back().value, step.operands[1]});
        return;
      }
    }
    to.push_back(std::move(s));
  }

  std::vector<Stmt> innermost() {
    Place place{.index = {}, .inside = pool_.boolean(true)};
    for (std::size_t d = 0; d < window_.size(); ++d) {
      const WindowIndex w = window_index(pool_, window_[d], at_[d], elements_[d]);
      place.inside = pool_.logical_and(place.inside, w.inside);
      place.index.push_back(pool_.div(w.position, window_[d].base_dilation));
    }
    return body_(place);
  }

  kernel::ExprPool& pool_;
  const std::vector<WindowDim>& window_;
  std::vector<ExprId> at_, elements_;
  std::vector<std::int32_t> variables_;
  Body body_;
  std::size_t unrolled_from_;
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

}  // namespace

static Location pad_columns(Context& context, Node& node, std::size_t i, std::size_t d,
                            const WindowDim& w);

void lower_reduce_window(Context& context, Node& node, std::vector<WindowDim> window) {
  const std::size_t n = node.result_types().size();
  const Type& type = node.result_types()[0];
  std::vector<Location> results, padded;
  for (std::size_t i = 0; i < n; ++i)
    results.push_back(context.new_temporary(node.result_types()[i], step_name(node)));
  // The accumulator holds the initial value already: in any order, another one changes nothing.
  const bool skips = ir::simple_combiner(node.region(0)) && absorbs_initial(context, node);
  const bool is_empty = node.operand(0).type().count() == 0;
  Dims padded_dims = node.operand(0).type().dims;
  if (const auto d = padded_columns(node.operand(0).type(), window);
      d && skips && type.count() > 0) {
    // With what is read beside the ends in memory, windows of neighbours are read alike.
    WindowDim& w = window[*d];
    for (std::size_t i = 0; i < n; ++i) padded.push_back(pad_columns(context, node, i, *d, w));
    padded_dims[*d] += w.low + w.high;
    w.extent = padded_dims[*d];
    w.low = w.high = 0;
  }
  if (type.count() > 0) {
    auto k = new_kernel(step_name(node), type.count());
    KernelBody body(context, *k);
    auto& pool = k->pool;
    const Reduction reduction(*k, node, ir::element_count(window) > few_terms);
    const ExprId item = pool.variable(0);
    std::vector<ExprId> inits;
    for (std::size_t i = 0; i < n; ++i) inits.push_back(body.element(node.operand(n + i), {}));
    const auto element = [&](std::size_t i, const Place& place) {
      if (is_empty) return inits[i];
      const DType d = node.operand(i).type().dtype;
      const ExprId x = padded.empty()
                           ? body.element(node.operand(i), place.index)
                           : pool.load(body.buffer(padded[i], d, false), d,
                                       kernel::linear_index(pool, place.index, padded_dims));
      return padded.empty() ? pool.choose(place.inside, x, inits[i]) : x;
    };
    reduction.declare(*k, k->body, inits);
    WindowLoops loops(*k, window, kernel::delinearize(pool, item, type.dims), skips && !is_empty,
                      [&](const Place& place) {
                        std::vector<ExprId> elements;
                        for (std::size_t i = 0; i < n; ++i) elements.push_back(element(i, place));
                        std::vector<Stmt> steps = reduction.combine(body, *k, elements);
                        if (padded.empty() || place.inside == pool.boolean(true)) return steps;
                        std::vector<Stmt> guarded;
                        guarded.push_back(when(place.inside, std::move(steps)));
                        return guarded;
                      });
    for (Stmt& s : loops.build()) k->body.push_back(std::move(s));
    body.note_count(std::max(type.count(), Type{.dtype = type.dtype, .dims = padded_dims}.count()));
    for (std::size_t i = 0; i < n; ++i)
      k->body.push_back(store(body.buffer(results[i], reduction.dtypes[i], true),
                              reduction.dtypes[i], item, reduction.result(*k, i)));
    context.launch(std::move(k), body, type.count());
  }
  for (std::size_t i = 0; i < n; ++i) context.place(node.result(int(i)), results[i]);
}

/// Operand i of a reduce_window with its initial value before and behind it along a dimension.
static Location pad_columns(Context& context, Node& node, std::size_t i, std::size_t d,
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

}  // namespace partita::passes
