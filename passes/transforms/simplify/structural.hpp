// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Structural equality of nodes and graphs: the same op, attributes, operands and regions.
#pragma once

#include "partita/ir/op.hpp"

namespace partita::passes {

[[nodiscard]] std::size_t structural_hash(const ir::Node& node);
/// Equal nodes compute the same values.
[[nodiscard]] bool structurally_equal(const ir::Node& a, const ir::Node& b);

}  // namespace partita::passes
