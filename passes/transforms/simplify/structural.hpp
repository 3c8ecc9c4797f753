// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Structural equality of nodes and graphs: the same op, attributes, operands and regions.
#pragma once

#include "partita/ir/op.hpp"

namespace partita::passes {

/// The same of equal nodes; where `looks_through`, of nodes that are equally made too.
[[nodiscard]] std::size_t structural_hash(const ir::Node& node, bool looks_through);
/// Equal nodes compute the same values, of the same operands.
[[nodiscard]] bool structurally_equal(const ir::Node& a, const ir::Node& b);
/// The same, where operands may also be made twice, by equal nodes that are not worth keeping (hoisting.hpp).
[[nodiscard]] bool equally_made(const ir::Node& a, const ir::Node& b);

}  // namespace partita::passes
