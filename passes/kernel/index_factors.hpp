// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How expressions of a kernel depend on one of its index variables.
#pragma once

#include <algorithm>
#include <optional>

#include "partita/kernel/expr.hpp"

namespace partita::passes {

[[nodiscard]] inline bool contains_variable(const kernel::ExprPool& pool, kernel::ExprId id,
                                            std::int32_t slot) {
  const kernel::Expr& e = pool[id];
  if (e.kind == kernel::ExprKind::index_variable) return e.slot == slot;
  return std::ranges::any_of(e.operands,
                             [&](kernel::ExprId x) { return contains_variable(pool, x, slot); });
}

/// What an index grows by with index variable `slot`; nothing where that is not always the same.
[[nodiscard]] inline std::optional<std::int64_t> factor_of(const kernel::ExprPool& pool,
                                                           kernel::ExprId id, std::int32_t slot) {
  using kernel::ExprKind;
  const kernel::Expr& e = pool[id];
  if (e.kind == ExprKind::index_variable) return e.slot == slot ? 1 : 0;
  if (e.kind == ExprKind::index_add || e.kind == ExprKind::index_sub) {
    const auto a = factor_of(pool, e.operands[0], slot), b = factor_of(pool, e.operands[1], slot);
    if (!a || !b) return std::nullopt;
    return e.kind == ExprKind::index_add ? *a + *b : *a - *b;
  }
  if (e.kind == ExprKind::index_mul && pool.is_index_constant(e.operands[1])) {
    const auto a = factor_of(pool, e.operands[0], slot);
    if (!a) return std::nullopt;
    return *a * std::int64_t(pool[e.operands[1]].bits);
  }
  if (contains_variable(pool, id, slot)) return std::nullopt;
  return 0;
}

}  // namespace partita::passes
