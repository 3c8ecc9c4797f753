// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel's body for items that are counted by two numbers, a row and a place in it, so that indices
// become sums without divisions and neighbouring items touch neighbouring elements.  What counts the
// items is the caller's: loops of a core, or the dimensions of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "kernel/ast/kernel.hpp"
#include "partita/artifact/plan.hpp"

namespace partita::kernel {

/// Work-items of a launch of one dimension that do something, where that is a number, each has elements of its own, and
/// they do not know of each other.
[[nodiscard]] std::optional<std::int64_t> items_of_launch(const Launch& launch,
                                                          const Kernel& kernel);

/// Constants that a kernel divides its item by, or takes it modulo.
[[nodiscard]] std::set<std::int64_t> item_divisors(const Kernel& kernel);

/// The row length among divisors: the smallest that is long enough; 0 where there is none.
[[nodiscard]] std::int64_t choose_row(const std::set<std::int64_t>& divisors);

/// Whether how often a loop runs, or whether a branch is taken, is the same for all items; the
/// variables `items` count them.
[[nodiscard]] bool is_shared_control(const scalar::ExprPool& pool, const Stmt& s,
                                     const std::set<std::int32_t>& items);
[[nodiscard]] bool is_shared_loop(const scalar::ExprPool& pool, const Stmt& s,
                                  const std::set<std::int32_t>& items);

/// Whether a loop of a body reads neighbours for neighbouring values of `variable`, but not from one
/// iteration to the next, or what overlaps.  Elements up to `apart` from each other are neighbours.
[[nodiscard]] bool reads_columns(const scalar::ExprPool& pool, const Block& body,
                                 std::int32_t variable, const std::set<std::int32_t>& items,
                                 std::int64_t apart = 1);

/// Makes statements of one kernel again in another's pool, with its item as an expression there.
class ItemRewriter {
 public:
  /// Items are `item`, which is a multiple of `row` plus less than that; row 0: anything.
  ItemRewriter(const scalar::ExprPool& from, scalar::ExprPool& to, std::int64_t row)
      : from_(from), to_(to), row_(row) {}
  void set_item(scalar::ExprId item) { item_ = item; }
  /// What the old pool knows of variables (but the item) and scalars.
  void declare_extents();
  [[nodiscard]] Block rewrite(const Block& stmts);
  [[nodiscard]] scalar::ExprId rewrite(scalar::ExprId id);

 private:
  [[nodiscard]] scalar::ExprId remake(const scalar::Expr& e, const std::vector<scalar::ExprId>& x);
  [[nodiscard]] scalar::ExprId less(scalar::ExprId a, scalar::ExprId b);
  [[nodiscard]] bool is_rows(std::int64_t c) const { return row_ > 0 && c > row_ && c % row_ == 0; }

  const scalar::ExprPool& from_;
  scalar::ExprPool& to_;
  std::int64_t row_;
  scalar::ExprId item_ = scalar::no_expr;
  std::unordered_map<scalar::ExprId, scalar::ExprId> memo_;
};

}  // namespace partita::kernel
