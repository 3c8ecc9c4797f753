// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Index expressions and loops of sliding windows, for the kernels that have them.
#pragma once

#include <span>
#include <vector>

#include "kernel/ast/kernel_builder.hpp"
#include "partita/ir/window.hpp"

namespace partita::passes {

/// Where element k of a window lies in the dilated operand, and whether there is an element.
struct WindowIndex {
  kernel::ExprId position, inside;
};
[[nodiscard]] WindowIndex window_index(kernel::ExprPool& pool, const ir::WindowDim& w,
                                       kernel::ExprId window, kernel::ExprId k);

/// The place in the operand that a window's element is at, and whether it is one.
struct WindowPlace {
  std::vector<kernel::ExprId> index;
  kernel::ExprId inside;
};
/// Of the window that is `at` these numbers along the dimensions.
[[nodiscard]] WindowPlace window_place(kernel::ExprPool& pool,
                                       const std::vector<ir::WindowDim>& window,
                                       std::span<const kernel::ExprId> at,
                                       std::span<const kernel::ExprId> elements);

/// Loops over all elements of a window; none along dimensions of which it has one element.
struct WindowVariables {
  std::vector<LoopVariable> loops;
  std::vector<kernel::ExprId> elements;
};
[[nodiscard]] WindowVariables window_variables(KernelBuilder& body,
                                               const std::vector<ir::WindowDim>& window);

}  // namespace partita::passes
