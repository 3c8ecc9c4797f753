// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives of elementwise ops, from the gradient column of scalar/elementwise.def.
#pragma once

#include "partita/ir/derivative.hpp"

namespace partita::ir {

/// The rules of every elementwise op; they look up the row of the node.
[[nodiscard]] Derivative row_derivative();

/// Whether the derivative of an elementwise node by operand k is zero everywhere.
[[nodiscard]] bool row_is_flat(const Node& node, std::size_t k);

}  // namespace partita::ir
