// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel of groups in which several items share each result: every one combines some of its terms, then
// they combine what they have through local memory.  Several such reductions can follow one another, and the terms
// of a result be gone through again with what came out.
#pragma once

#include <functional>

#include "lowering/context/wide_elements.hpp"
#include "lowering/ops/support/reduction.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// What is combined: `results` times `terms` elements.
struct RowSpace {
  std::int64_t results, terms;
  bool has_columns;          ///< neighbouring results have neighbouring terms
  bool is_in_order;          ///< terms are combined with those next to them alone
  bool is_of_parts = false;  ///< terms are what parts of a sum have given
};

struct RowForm {
  std::int64_t items = 1;    ///< that share a result
  std::int64_t results = 1;  ///< of a group
  std::int64_t width = 1;    ///< neighbouring terms that an item reads as one
  std::int64_t parts = 1;    ///< of the terms, of which each is a result of its own
  std::int64_t length = 0;   ///< terms of a part
  /// An item's terms stay in its registers from one step to the next.
  bool holds_terms = false;
};

/// `width`: most neighbours that can be read as one; `steps`: how often terms are gone through.
[[nodiscard]] RowForm choose_row_form(const RowSpace& space, std::int64_t width, std::size_t steps,
                                      const TargetInfo& target);

class RowKernel {
 public:
  using ExprId = scalar::ExprId;
  /// Terms by the number of one, for each operand.
  using Terms = std::function<std::vector<ExprId>(ExprId number)>;

  RowKernel(KernelBody& body, const RowSpace& space, const RowForm& form);

  [[nodiscard]] std::int64_t groups() const { return groups_; }
  /// Number of the item's result, and of the part.
  [[nodiscard]] ExprId result() const { return result_; }
  [[nodiscard]] ExprId part() const { return part_; }

  /// All terms of the result, and the initial values where there are some: in the registers of all its
  /// items afterwards.
  void reduce(const Reduction& reduction, const Terms& terms,
              const std::vector<ExprId>& initial = {});
  /// Each first of `width` neighbouring terms, by one of the result's items.
  void each_term(const std::function<void(ExprId first)>& emit);
  /// By one of the result's items.
  void once(const std::function<void()>& emit);

 private:
  void combine_own(const Reduction& reduction, const Terms& terms);
  void combine_chunks(const Reduction& reduction, const Terms& terms);
  void combine_items(const Reduction& reduction);
  [[nodiscard]] ExprId place_of(std::int64_t items_on) const;
  /// Of the part.
  [[nodiscard]] ExprId terms() const;
  template <class Emit>
  void own_chunks(const Emit& emit);

  KernelBody& body_;
  scalar::ExprPool& pool_;
  RowSpace space_;
  RowForm form_;
  std::int64_t groups_ = 0;
  ExprId result_{}, part_{}, item_{}, is_result_{}, first_item_{};
};

}  // namespace partita::lowering
