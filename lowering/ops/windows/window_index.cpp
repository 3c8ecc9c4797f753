// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/window_index.hpp"

#include "kernel/ast/statements.hpp"

namespace partita::passes {

using ir::WindowDim;
using kernel::ExprId;

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

}  // namespace partita::passes
