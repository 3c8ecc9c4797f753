// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attention and its gradient of small floats on matrix units.
#pragma once

#include "lowering/ops/attention/attention_kernel.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// Whether the device has units for groups of lines of the operand.
[[nodiscard]] bool suits_matrices(const ir::Node& node, ir::attention::Operand own,
                                  const TargetInfo& target);

/// Writes the kernel.
void write_matrix_attention(ir::Node& node, KernelBody& body, const std::vector<Location>& results);

/// Writes the kernel whose groups have lines of `own`: keys or queries.
void write_matrix_gradient(ir::Node& node, ir::attention::Operand own, KernelBody& body,
                           const std::vector<Location>& results);

}  // namespace partita::lowering
