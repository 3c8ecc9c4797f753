// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Index expressions and loops of sliding windows, for the kernels that have them.
#pragma once

#include <vector>

#include "kernel/ast/kernel.hpp"
#include "partita/ir/window.hpp"

namespace partita::passes {

/// Where element k of a window lies in the dilated operand, and whether there is an element.
struct WindowIndex {
  kernel::ExprId position, inside;
};
[[nodiscard]] WindowIndex window_index(kernel::ExprPool& pool, const ir::WindowDim& w,
                                       kernel::ExprId window, kernel::ExprId k);

/// A loop variable for each dimension of a window; -1 where it has one element.
struct WindowVariables {
  std::vector<std::int32_t> variables;
  std::vector<kernel::ExprId> elements;
};
[[nodiscard]] WindowVariables window_variables(Kernel& k, const std::vector<ir::WindowDim>& window);
/// Loops over all elements of a window around a body.
[[nodiscard]] std::vector<Stmt> window_loops(Kernel& k, const std::vector<std::int32_t>& variables,
                                             const std::vector<ir::WindowDim>& window,
                                             std::vector<Stmt> body);

}  // namespace partita::passes
