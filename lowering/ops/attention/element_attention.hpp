// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attention and its gradient without matrix units: items multiply elements of local memory.
#pragma once

#include "lowering/ops/attention/element_tiles.hpp"

namespace partita::lowering {

/// Writes the kernel, and returns its groups.
[[nodiscard]] std::int64_t write_element_attention(ir::Node& node, const ElementForm& form,
                                                   KernelBody& body,
                                                   const std::vector<Location>& results);

/// Writes the kernel whose groups have lines of `own`: keys, of which gradients of keys and values follow, or
/// queries.
[[nodiscard]] std::int64_t write_element_gradient(ir::Node& node, ir::attention::Operand own,
                                                  const ElementForm& form, KernelBody& body,
                                                  const std::vector<Location>& results);

}  // namespace partita::lowering
