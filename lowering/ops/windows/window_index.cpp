// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/window_index.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::WindowDim;
using scalar::ExprId;

WindowIndex window_index(scalar::ExprPool& pool, const WindowDim& w, ExprId window, ExprId k) {
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

WindowPlace window_place(scalar::ExprPool& pool, const std::vector<WindowDim>& window,
                         std::span<const ExprId> at, std::span<const ExprId> elements) {
  WindowPlace place{.index = {}, .inside = pool.boolean(true)};
  for (std::size_t d = 0; d < window.size(); ++d) {
    const WindowIndex w = window_index(pool, window[d], at[d], elements[d]);
    place.inside = pool.logical_and(place.inside, w.inside);
    place.index.push_back(pool.div(w.position, window[d].base_dilation));
  }
  return place;
}

WindowVariables window_variables(KernelBuilder& body, const std::vector<WindowDim>& window) {
  auto& pool = body.pool();
  WindowVariables v;
  for (const WindowDim& w : window) {
    v.loops.emplace_back();
    if (w.size != 1) v.loops.back() = {body.new_variable(w.size), pool.index(w.size)};
    v.elements.push_back(w.size != 1 ? pool.variable(v.loops.back().slot) : pool.index(0));
  }
  return v;
}

}  // namespace partita::lowering
