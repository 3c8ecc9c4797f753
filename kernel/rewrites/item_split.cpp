// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/rewrites/item_split.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <unordered_map>

#include "kernel/ast/body_facts.hpp"
#include "kernel/ast/expressions.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

constexpr std::int32_t item = 0;

bool is_straight(const Block& body) {
  return std::ranges::all_of(body, [](const Stmt& s) {
    return as<Declare>(s) != nullptr || as<Assign>(s) != nullptr || as<Store>(s) != nullptr;
  });
}

bool reads_neighbours(const ExprPool& pool, ExprId root) {
  return std::ranges::any_of(reachable(pool, root), [&](ExprId id) {
    const Expr& e = pool[id];
    return e.kind == ExprKind::load && index_stride(pool, e.operands[0], item) == 1;
  });
}

/// Whether the expression is the same before the body and anywhere in it; registers and arrays are an item's own.
bool is_fixed(const ExprPool& pool, ExprId root, const Changes& changes) {
  return std::ranges::none_of(reachable(pool, root), [&](ExprId id) {
    const Expr& e = pool[id];
    return e.kind == ExprKind::reg || e.kind == ExprKind::load_local || changes.include(e);
  });
}

/// The item from which on the condition no longer holds, where it holds for all items before and that item is a number of 32
/// bits whatever the device has, as indices may be; else no_expr.
ExprId end_of(ExprPool& pool, ExprId condition) {
  const Expr e = pool[condition];
  if (e.kind != ExprKind::index_less && e.kind != ExprKind::index_less_equal)
    return scalar::no_expr;
  const ExprId beyond = pool.sub(e.operands[0], e.operands[1]);
  if (index_stride(pool, beyond, item) != 1) return scalar::no_expr;
  ExprId end = pool.sub(pool.variable(item), beyond);
  if (e.kind == ExprKind::index_less_equal) end = pool.add(end, 1);
  const auto [low, high] = pool.bounds(end);
  using Narrow = std::numeric_limits<std::int32_t>;
  return low < Narrow::min() || high > Narrow::max() ? scalar::no_expr : end;
}

}  // namespace

std::optional<ItemSplit> split_of_items(ExprPool& pool, const Block& body) {
  if (!is_straight(body)) return std::nullopt;
  const Changes changes = changes_of({Loop{.variable = item, .body = body}});
  // What stands in a branch may not be read before it is known to be taken.
  std::set<ExprId> always;
  for (const Stmt& s : body)
    for (const ExprId root : roots_of(s))
      always.merge(evaluated(pool, root, [](ExprId /*condition*/) { return false; }));
  for (const ExprId id : always) {
    const Expr e = pool[id];
    if (e.kind != ExprKind::choose || !reads_neighbours(pool, e.operands[1]) ||
        !reads_neighbours(pool, e.operands[2]))
      continue;
    const ExprId condition = e.operands[0], at = end_of(pool, condition);
    if (at == scalar::no_expr || pool.is_index_constant(at) || !is_fixed(pool, at, changes))
      continue;
    const auto where = [&](bool holds) {
      std::unordered_map<ExprId, ExprId> known{{condition, pool.boolean(holds)}};
      Block part = body;
      for (Stmt& s : part) map_roots(s, [&](ExprId root) { return replace(pool, root, known); });
      return part;
    };
    return ItemSplit{.at = at, .before = where(true), .from = where(false)};
  }
  return std::nullopt;
}

}  // namespace partita::kernel
