// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a kernel's statements tell of its expressions, for those that turn them into code one value at
// a time: how often one is used, which ones are evaluated in any case, what a statement changes, and
// with that what is to be evaluated before it is asked for.  How values are kept is not its business.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

/// A number, variable or scalar argument among the indices.
[[nodiscard]] bool is_index_leaf(scalar::ExprKind kind);
/// An expression that only names a value: there is nothing to evaluate.
[[nodiscard]] bool is_leaf(scalar::ExprKind kind);
/// An operation on indices, comparisons included.
[[nodiscard]] bool is_index_arithmetic(scalar::ExprKind kind);

/// What statements change.
struct Changes {
  std::set<std::int32_t> variables = {}, registers = {}, buffers = {}, arrays = {};
  bool all_arrays = false;  ///< by other items

  [[nodiscard]] bool are_of_registers_alone() const {
    return variables.empty() && buffers.empty() && arrays.empty() && !all_arrays;
  }
  /// Whether `e` names one of these; its operands are not looked at.
  [[nodiscard]] bool include(const scalar::Expr& e) const;
};

/// Of a statement and what is in its body.
[[nodiscard]] Changes changes_of(const Stmt& s);

class BodyFacts {
 public:
  explicit BodyFacts(const Kernel& kernel);

  [[nodiscard]] const scalar::ExprPool& pool() const { return pool_; }
  /// How many statements and expressions of the body have `e` as an operand.
  [[nodiscard]] int uses(scalar::ExprId e) const { return uses_[std::size_t(e)]; }
  /// For every expression of the body whether it has a part for which `test` holds.
  [[nodiscard]] std::vector<bool> having(
      const std::function<bool(const scalar::Expr&)>& test) const;
  /// Whether a register is part of `e`.
  [[nodiscard]] bool has_register(scalar::ExprId e) const { return has_register_[std::size_t(e)]; }
  /// For every expression of the body whether its value is another after `changes`.
  [[nodiscard]] std::vector<bool> changed_by(const Changes& changes) const;
  /// What the statements themselves, not their bodies, evaluate whatever branches are taken, and what
  /// has the same value in all of them as far as registers go.
  [[nodiscard]] std::set<scalar::ExprId> certain_in(const Block& stmts) const;

 private:
  void count_uses(const Block& stmts);
  void count_uses(scalar::ExprId e);

  const scalar::ExprPool& pool_;
  std::vector<int> uses_;
  std::vector<bool> has_register_;
};

/// Values that are kept so that nothing is evaluated twice.
struct KeptValues {
  std::function<bool(scalar::ExprId)> are_known;
  /// Whether an expression is worth being evaluated before it is asked for.
  std::function<bool(const scalar::Expr&)> are_worthwhile;
  /// Evaluates an expression and keeps its value.
  std::function<void(scalar::ExprId)> evaluate;
};

/// Evaluates ahead of branches and loops what they need in any case.
class EarlyEvaluation {
 public:
  EarlyEvaluation(const BodyFacts& facts, KeptValues values)
      : pool_(facts.pool()), values_(std::move(values)) {}

  /// Whether evaluating `e` now would read memory or branch, beyond what is already known.
  [[nodiscard]] bool is_lazy(scalar::ExprId e) const;
  /// Before a fork: what both branches need, or what is among `certain`.
  void before_branches(scalar::ExprId a, scalar::ExprId b,
                       const std::set<scalar::ExprId>& certain) const;
  /// Before a loop: what `roots` in its body need in any case and it does not change.
  void before_loop(std::span<const scalar::ExprId> roots,
                   const std::vector<bool>& is_variant) const;

 private:
  const scalar::ExprPool& pool_;
  KeptValues values_;
};

}  // namespace partita::kernel
