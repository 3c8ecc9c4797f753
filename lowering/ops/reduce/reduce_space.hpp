// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a reduce keeps and what it reduces, and where its elements are.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

/// Dimensions that are kept, and those that are reduced: neighbours of them are one loop.
class ReduceSpace {
 public:
  explicit ReduceSpace(const ir::Node& node);

  /// One loop over everything.
  void flatten();

  [[nodiscard]] std::size_t loops() const { return loops_.size(); }
  [[nodiscard]] std::int64_t extent(std::size_t loop) const;
  /// Whether neighbouring results combine neighbouring elements.
  [[nodiscard]] bool has_columns() const { return has_columns_; }
  /// Whether neighbouring turns of the last loop combine neighbouring elements.
  [[nodiscard]] bool has_neighbouring_terms() const { return has_neighbouring_terms_; }

  /// Of the element that result `result` combines at `at`, one number per loop.
  [[nodiscard]] std::vector<scalar::ExprId> index(scalar::ExprPool& pool, scalar::ExprId result,
                                                  std::span<const scalar::ExprId> at) const;

  std::int64_t results = 1, reduced = 1;

 private:
  using Dimension = std::pair<std::size_t, std::int64_t>;
  std::size_t rank_;
  std::vector<Dimension> kept_;
  std::vector<std::vector<Dimension>> loops_;
  bool has_columns_ = false, has_neighbouring_terms_ = false;
};

/// Elements of the operands for one result.
[[nodiscard]] std::vector<scalar::ExprId> elements_of(KernelBody& body, const ir::Node& node,
                                                      std::span<const scalar::ExprId> index);

}  // namespace partita::lowering
