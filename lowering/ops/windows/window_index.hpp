// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Index expressions and loops of sliding windows, for the kernels that have them.
#pragma once

#include <span>
#include <vector>

#include "kernel/ast/kernel_builder.hpp"
#include "partita/ir/window.hpp"

namespace partita::lowering {

using namespace kernel;

/// Where element k of a window lies in the dilated operand, and whether there is an element.
struct WindowIndex {
  scalar::ExprId position, inside;
};
[[nodiscard]] WindowIndex window_index(scalar::ExprPool& pool, const ir::WindowDim& w,
                                       scalar::ExprId window, scalar::ExprId k);

/// The place in the operand that a window's element is at, and whether it is one.
struct WindowPlace {
  std::vector<scalar::ExprId> index;
  scalar::ExprId inside;
};
/// Of the window that is `at` these numbers along the dimensions.
[[nodiscard]] WindowPlace window_place(scalar::ExprPool& pool,
                                       const std::vector<ir::WindowDim>& window,
                                       std::span<const scalar::ExprId> at,
                                       std::span<const scalar::ExprId> elements);

/// Loops over all elements of a window; none along dimensions of which it has one element.
struct WindowVariables {
  std::vector<LoopVariable> loops;
  std::vector<scalar::ExprId> elements;
};
[[nodiscard]] WindowVariables window_variables(KernelBuilder& body,
                                               const std::vector<ir::WindowDim>& window);

}  // namespace partita::lowering
