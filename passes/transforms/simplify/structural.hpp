// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Structural equality of nodes and graphs: the same op, attributes, operands and regions.
#pragma once

#include "partita/ir/op.hpp"

namespace partita::passes {

/// The same of equal nodes; where `looks_through`, also of those that are equal so.
[[nodiscard]] std::size_t structural_hash(const ir::Node& node, bool looks_through);
/// Equal nodes compute the same values, of the same operands; where `looks_through`, operands may also be made twice, by
/// equal nodes that are not worth keeping (hoisting.hpp).
[[nodiscard]] bool structurally_equal(const ir::Node& a, const ir::Node& b, bool looks_through);

}  // namespace partita::passes
