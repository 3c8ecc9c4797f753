// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What batching rules of ops (`OpDef::batch`) are given and share; factor_transform.hpp is the interface.
#pragma once

#include "ir/axes/dim_edit.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir {

/// One node being batched: its operands looked up.
struct BatchJob {
  const Node& node;
  BatchMap& map;
  const BatchContext& context;
  std::vector<BatchedValue> operands;

  [[nodiscard]] Maker maker() const { return {context.into, context.before}; }
  [[nodiscard]] bool is_batched(std::size_t k) const { return operands[k].batched; }
  /// Whether an operand from `first` on is.
  [[nodiscard]] bool any_batched(std::size_t first) const;
  /// Operand k with the batch dimension, whether it came with it or not.
  [[nodiscard]] Value with_batch(std::size_t k) const { return batched(operands[k], context); }
  [[nodiscard]] Value plain(std::size_t k) const { return operands[k].value; }
  /// The node's result types with the batch dimension.
  [[nodiscard]] std::vector<Type> batched_types() const;
  void set(int result, Value v, bool is_batched = true) const;
  void set_all(Node* made) const;
  /// A result that was set.
  [[nodiscard]] Value made(int result) const;
  [[noreturn]] void refuse(const std::string& why) const;
};

/// The new dimension leads in operands flagged `data` and in every result.
void batch_leading(const BatchJob& job, const std::vector<bool>& data);
/// It leads in every operand and result.
void batch_leading_everywhere(const BatchJob& job);
/// One index of the new dimension after the other, in a loop: for ops without a place for it.
void batch_by_loop(const BatchJob& job);

/// A list of dimensions with a further entry in front.
void prepend(Dict& attrs, const char* name, std::int64_t entry);

}  // namespace partita::ir
