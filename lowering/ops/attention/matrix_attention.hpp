// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attention of small floats on matrix units: scores and weights stay in the registers in which the units give and
// take them.
#pragma once

#include "lowering/ops/attention/attention_kernel.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// Rows of a group, which has 128 items.
inline constexpr std::int64_t matrix_attention_rows = 64;

/// Whether the device has units for it.
[[nodiscard]] bool suits_matrices(const ir::Node& node, const TargetInfo& target);

/// Writes the kernel, and returns its groups.
[[nodiscard]] std::int64_t write_matrix_attention(ir::Node& node, KernelBody& body,
                                                  const Location& to);

}  // namespace partita::lowering
