// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the batching rules of ops share (factor_transform.hpp is the interface).
#pragma once

#include "ir/axes/dim_edit.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir::batching {

/// One node being batched: its operands looked up.
struct Job {
  const Node& node;
  BatchMap& map;
  const BatchContext& context;
  std::vector<BatchedValue> operands;

  [[nodiscard]] Maker maker() const { return {context.into, context.before}; }
  [[nodiscard]] bool is_batched(std::size_t k) const { return operands[k].batched; }
  /// Operand k with the batch dimension, whether it came with it or not.
  [[nodiscard]] Value with_batch(std::size_t k) const { return batched(operands[k], context); }
  [[nodiscard]] Value plain(std::size_t k) const { return operands[k].value; }
  /// The node's result types with the batch dimension.
  [[nodiscard]] std::vector<Type> batched_types() const;
  void set(int result, Value v, bool is_batched = true) const;
  void set_all(Node* made) const;
  [[noreturn]] void refuse(const std::string& why) const;
};

BatchedValue look_up(const BatchMap& map, Value v);

/// The new dimension leads in operands flagged `data` and in every result.
void batch_leading(const Job& job, const std::vector<bool>& data);

void batch_reduce(const Job& job);
void batch_reduce_window(const Job& job);
void batch_select_and_scatter(const Job& job);
void batch_convolution(const Job& job);
void batch_normalization(const Job& job);
void batch_while(const Job& job);
void batch_branches(const Job& job);  ///< case and if
void batch_by_lanes(const Job& job);  ///< one lane after the other

}  // namespace partita::ir::batching
