// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attention without matrix units: items multiply elements of local memory.
#pragma once

#include "lowering/ops/attention/attention_kernel.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// How a group shares its rows.
struct ElementAttentionForm {
  std::int64_t group_rows = 64;
  std::int64_t across = 8;  ///< items beside each other
  std::int64_t pieces = 1;  ///< of values, of an item

  ElementAttentionForm(const AttentionShape& shape, const TargetInfo& target);
  [[nodiscard]] std::int64_t items() const;
  /// Columns of scores at a time.
  [[nodiscard]] std::int64_t tile() const;
};

/// Writes the kernel, and returns its groups.
[[nodiscard]] std::int64_t write_element_attention(ir::Node& node, const ElementAttentionForm& form,
                                                   KernelBody& body, const Location& to);

}  // namespace partita::lowering
