// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a scatter's dimension numbers mean: how dimensions of the updates are used, and where an update goes.
#pragma once

#include <vector>

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

/// How dimensions of the updates are used.
struct ScatterSpace {
  ir::I64s window_dims, inserted, batching, index_batching, to_operand;
  std::int64_t index_vector_dim = 0;
  /// Operand dimension of each update window dimension; scatter dimensions of the updates.
  ir::I64s window_operand_dims, scatter_dims;
  ir::I64s parallel, serial;  ///< dimensions of the updates

  /// Of a scatter of so many operands.
  ScatterSpace(const ir::Node& node, std::size_t inputs);

  /// Elements of updates that an item adds, a line of the cache at most: neighbours in memory of updates and results
  /// alike, where the last dimension of both is a parallel one.  1 for devices without vectors (`vector_bytes` 0).
  [[nodiscard]] int width(const ir::Node& node, std::size_t inputs,
                          std::int64_t vector_bytes) const;
  /// Whether different indices along dimension d of the updates never meet in one element.
  [[nodiscard]] bool is_disjoint(std::int64_t d) const;
  /// Dimension of the indices that scatter dimension d of the updates runs along.
  [[nodiscard]] std::int64_t index_dim_of(std::int64_t d) const;
  [[nodiscard]] bool is_window(std::int64_t d) const;
};

/// Element of the operand that the update at an index is for: window offset plus scattered start plus batch.
[[nodiscard]] std::vector<scalar::ExprId> scatter_target(KernelBody& body, const ir::Node& node,
                                                         const ScatterSpace& space,
                                                         const std::vector<scalar::ExprId>& at);
/// Whether an element is one of an array.
[[nodiscard]] scalar::ExprId is_inside(scalar::ExprPool& pool,
                                       const std::vector<scalar::ExprId>& index, const Dims& dims);

}  // namespace partita::lowering
