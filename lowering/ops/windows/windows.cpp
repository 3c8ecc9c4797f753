// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Positions of windows.  select_and_scatter: first the element that each window selects, then, for each
// element of the operand, the windows that hold it; so nothing is written twice and sums have one
// order.
#include <algorithm>
#include <limits>

#include "lowering/context/lowerings.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "lowering/ops/windows/window_index.hpp"
#include "lowering/ops/windows/windows.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::passes {

using ir::Node;
using ir::Value;
using ir::WindowDim;
using kernel::ExprId;

// --- Window positions ---------------------------------------------------------------------------

WindowIndex window_index(kernel::ExprPool& pool, const WindowDim& w, ExprId window, ExprId k) {
  const ExprId element = w.is_reversed ? pool.sub(pool.index(w.size - 1), k) : k;
  const ExprId position =
      pool.sub(pool.add(pool.mul(window, w.stride), pool.mul(element, w.window_dilation)),
               pool.index(w.low));
  ExprId inside = pool.logical_and(pool.less_equal(pool.index(0), position),
                                   pool.less(position, pool.index(w.spread())));
  if (w.base_dilation > 1)
    inside =
        pool.logical_and(inside, pool.equal(pool.mod(position, w.base_dilation), pool.index(0)));
  return {.position = position, .inside = inside};
}

std::vector<Stmt> window_loops(Kernel& k, const std::vector<std::int32_t>& variables,
                               const std::vector<WindowDim>& window, std::vector<Stmt> body) {
  for (std::size_t d = window.size(); d-- > 0;) {
    if (variables[d] < 0) continue;
    std::vector<Stmt> outer;
    outer.push_back(loop(variables[d], k.pool.index(window[d].size), std::move(body)));
    body = std::move(outer);
  }
  return body;
}

WindowVariables window_variables(Kernel& k, const std::vector<WindowDim>& window) {
  WindowVariables v;
  for (const WindowDim& w : window) {
    v.variables.push_back(w.size == 1 ? -1 : k.new_variable(w.size));
    v.elements.push_back(w.size == 1 ? k.pool.index(0) : k.pool.variable(v.variables.back()));
  }
  return v;
}

namespace {

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

}  // namespace

// --- Dispatch --------------------------------------------------------------------------------------

static void lower_select_and_scatter(Context& context, Node& node);

static void lower_window(Context& context, Node& node) {
  if (node.is("stablehlo.convolution")) return lower_convolution(context, node);
  if (node.is("stablehlo.select_and_scatter")) return lower_select_and_scatter(context, node);
  const std::vector<WindowDim> window = ir::window_dims(node.operand(0).type(), node.attrs);
  const auto shape = ir::scan_shape(window);
  if (shape && absorbs_initial(context, node)) return lower_scan(context, node, *shape);
  lower_reduce_window(context, node, window);
}

bool absorbs_initial(const Context& context, const Node& node) {
  const std::size_t n = node.result_types().size();
  if (const auto simple = ir::simple_combiner(node.region(0));
      simple && *simple != "add" && *simple != "multiply")
    return true;
  std::vector<ir::Tensor> inits;
  for (std::size_t k = n; k < 2 * n; ++k) {
    const Node& init = *node.operand(k).node;
    if (!init.is("stablehlo.constant")) return false;
    inits.push_back(std::make_shared<const HostArray>(
        (*init.attrs.find("value")->get_if<ir::DenseRef>())->to_array()));
  }
  std::vector<ir::Tensor> twice = inits;
  twice.insert(twice.end(), inits.begin(), inits.end());
  const std::vector<ir::Tensor> combined =
      ir::Interpreter(context.module()).run(node.region(0), std::move(twice));
  for (std::size_t k = 0; k < n; ++k)
    if (combined[k]->bytes != inits[k]->bytes) return false;
  return true;
}

// --- select_and_scatter -------------------------------------------------------------------------

namespace {

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

}  // namespace

static void lower_select_and_scatter(Context& context, Node& node) {
  const Value operand = node.operand(0), source = node.operand(1);
  const Type &type = operand.type(), &windows = source.type();
  const std::vector<WindowDim> window = ir::window_dims(type, node.attrs);
  const DType d = type.dtype;
  const DType index_dtype =
      type.count() > std::numeric_limits<std::int32_t>::max() ? DType::i64 : DType::i32;
  const Location to = context.new_temporary(type, step_name(node));
  const auto finish = [&] { context.place(node.result(), to); };
  if (type.count() == 0) return finish();
  const bool has_windows = windows.count() > 0;
  Location selected;
  if (has_windows) {
    selected = context.new_temporary({.dtype = index_dtype, .dims = windows.dims}, "selected");
    auto k = new_kernel("select_in_" + step_name(node), windows.count());
    KernelBody body(context, *k);
    auto& pool = k->pool;
    const ExprId item = pool.variable(0);
    const WindowVariables in_window = window_variables(*k, window);
    const Place place =
        place_of(pool, window, kernel::delinearize(pool, item, windows.dims), in_window.elements);
    const std::int32_t best = k->next_register++, value = k->next_register++,
                       candidate = k->next_register++, stays = k->next_register++;
    const auto declare = [](std::int32_t slot, DType t, ExprId e) {
      return Stmt{.kind = Stmt::Kind::declare, .slot = slot, .dtype = t, .value = e};
    };
    const auto assign = [](std::int32_t slot, DType t, ExprId e) {
      return Stmt{.kind = Stmt::Kind::assign, .slot = slot, .dtype = t, .value = e};
    };
    k->body.push_back(declare(best, index_dtype, pool.constant_of(index_dtype, -1)));
    k->body.push_back(declare(value, d, pool.constant_of(d, 0)));
    body.define(node.region(0).argument(0), pool.reg(value, d));
    body.define(node.region(0).argument(1), pool.reg(candidate, d));
    const ExprId has_one =
        pool.less_equal(pool.index(0), pool.to_index(pool.reg(best, index_dtype)));
    const ExprId keep = pool.reg(stays, DType::i1);
    std::vector<Stmt> inner;
    inner.push_back(declare(candidate, d, body.element(operand, place.index)));
    inner.push_back(
        declare(stays, DType::i1, pool.logical_and(has_one, body.combined(node.region(0), 0))));
    inner.push_back(assign(
        best, index_dtype,
        pool.choose(
            keep, pool.reg(best, index_dtype),
            pool.from_index(kernel::linear_index(pool, place.index, type.dims), index_dtype))));
    inner.push_back(
        assign(value, d, pool.choose(keep, pool.reg(value, d), pool.reg(candidate, d))));
    std::vector<Stmt> guarded;
    if (place.inside == pool.boolean(true))
      guarded = std::move(inner);
    else
      guarded.push_back(when(place.inside, std::move(inner)));
    for (Stmt& s : window_loops(*k, in_window.variables, window, std::move(guarded)))
      k->body.push_back(std::move(s));
    body.note_count(type.count());
    k->body.push_back(store(body.buffer(selected, index_dtype, true), index_dtype, item,
                            pool.reg(best, index_dtype)));
    const std::string name = k->stem;
    context.launch(std::move(k), body, windows.count(), name);
  }
  auto k = new_kernel(step_name(node), type.count());
  KernelBody body(context, *k);
  auto& pool = k->pool;
  const ExprId item = pool.variable(0);
  const std::int32_t total = k->next_register++;
  k->body.push_back({.kind = Stmt::Kind::declare,
                     .slot = total,
                     .dtype = d,
                     .value = body.element(node.operand(2), {})});
  if (has_windows) {
    const auto at = kernel::delinearize(pool, item, type.dims);
    std::vector<Holders> holders;
    std::vector<ExprId> place;
    ExprId inside = pool.boolean(true);
    for (std::size_t dim = 0; dim < window.size(); ++dim) {
      holders.push_back(holders_of(*k, window[dim], at[dim]));
      place.push_back(holders.back().window);
      inside = pool.logical_and(inside, holders.back().inside);
    }
    const ExprId chosen = pool.load(body.buffer(selected, index_dtype, false), index_dtype,
                                    kernel::linear_index(pool, place, windows.dims));
    body.define(node.region(1).argument(0), pool.reg(total, d));
    body.define(node.region(1).argument(1), body.element(source, place));
    std::vector<Stmt> stmts;
    stmts.push_back({.kind = Stmt::Kind::assign,
                     .slot = total,
                     .dtype = d,
                     .value = body.combined(node.region(1), 0)});
    std::vector<Stmt> matching;
    matching.push_back(when(pool.equal(pool.to_index(chosen), item), std::move(stmts)));
    std::vector<Stmt> guarded;
    guarded.push_back(when(inside, std::move(matching)));
    for (std::size_t dim = window.size(); dim-- > 0;) {
      if (holders[dim].variable < 0) continue;
      std::vector<Stmt> outer;
      outer.push_back(
          loop(holders[dim].variable, pool.index(holders[dim].trips), std::move(guarded)));
      guarded = std::move(outer);
    }
    for (Stmt& s : guarded) k->body.push_back(std::move(s));
  }
  body.note_count(std::max(type.count(), windows.count()));
  k->body.push_back(store(body.buffer(to, d, true), d, item, pool.reg(total, d)));
  const std::string name = k->stem;
  context.launch(std::move(k), body, type.count(), name);
  finish();
}

void register_windows_lowering(Lowerings& all) { all.add(ir::KernelShape::window, lower_window); }

}  // namespace partita::passes
