// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/rewrites/item_rows.hpp"

#include "kernel/ast/expressions.hpp"

namespace partita::kernel {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

std::optional<std::int64_t> items_of_launch(const Launch& launch, const Kernel& kernel) {
  for (std::size_t d = 1; d < 3; ++d)
    if (!(launch.global[d] == HostExpr(1)) || launch.local[d] > 1) return std::nullopt;
  // Where the device chooses groups, items are no elements: tiles of a contraction.
  if (kernel.group_items > 0 || launch.local[0] == 0 || !launch.global[0].is_constant())
    return std::nullopt;
  const ExprId guard = item_guard(kernel);
  if (guard == scalar::no_expr) return launch.global[0].value();
  if (!kernel.pool.is_index_constant(guard)) return std::nullopt;
  return std::int64_t(kernel.pool[guard].bits);
}

std::set<std::int64_t> item_divisors(const Kernel& kernel) {
  const ExprPool& pool = kernel.pool;
  std::set<std::int64_t> divisors;
  for (const ExprId id : reachable(pool, kernel.body)) {
    const Expr& e = pool[id];
    if (e.kind != ExprKind::index_div && e.kind != ExprKind::index_mod) continue;
    const Expr& of = pool[e.operands[0]];
    if (of.kind == ExprKind::index_variable && of.slot == 0 &&
        pool.is_index_constant(e.operands[1]))
      divisors.insert(std::int64_t(pool[e.operands[1]].bits));
  }
  return divisors;
}

std::int64_t choose_row(const std::set<std::int64_t>& divisors) {
  // Iterations that an innermost loop should have at least, so that vectors are filled.
  constexpr std::int64_t good_row = 16, shortest_row = 8;
  for (const std::int64_t d : divisors)
    if (d >= good_row) return d;
  return divisors.empty() || *divisors.rbegin() < shortest_row ? 0 : *divisors.rbegin();
}

bool is_shared_control(const ExprPool& pool, const Stmt& s, const std::set<std::int32_t>& items) {
  for (const ExprId e : roots_of(s)) {
    if (depends_on(pool, e, ExprKind::reg)) return false;
    for (const std::int32_t slot : items)
      if (depends_on(pool, e, ExprKind::index_variable, slot)) return false;
  }
  return true;
}

bool is_shared_loop(const ExprPool& pool, const Stmt& s, const std::set<std::int32_t>& items) {
  return as<Loop>(s) != nullptr && is_shared_control(pool, s, items);
}

namespace {

/// Trips of a loop over neighbours that are few enough for items to be the better vectors.
constexpr std::int64_t few_trips = 8;

enum class Reading : std::uint8_t { rows, columns, either };

Reading reading_of(const ExprPool& pool, ExprId at, std::int32_t variable, const Loop& loop,
                   std::int64_t apart) {
  const auto by_item = index_stride(pool, at, variable),
             by_trip = index_stride(pool, at, loop.variable);
  const bool is_near = by_item && *by_item >= 1 && *by_item <= apart;
  if (by_trip == 1) {
    if (by_item == 0) return Reading::either;
    const bool is_short = pool.bounds(loop.end).high <= few_trips;
    return by_item == 1 || (is_near && is_short) ? Reading::columns : Reading::rows;
  }
  if (by_item == 1) return by_trip == 0 ? Reading::either : Reading::columns;
  return is_near && by_trip && *by_trip > *by_item ? Reading::columns : Reading::either;
}

}  // namespace

bool reads_columns(const ExprPool& pool, const Block& body, std::int32_t variable,
                   const std::set<std::int32_t>& items, std::int64_t apart) {
  bool wanted = false;
  for (const Stmt& s : body) {
    if (!is_shared_loop(pool, s, items)) continue;
    for (const ExprId id : reachable(pool, body_of(s))) {
      if (pool[id].kind != ExprKind::load) continue;
      const Reading reading = reading_of(pool, pool[id].operands[0], variable, *as<Loop>(s), apart);
      if (reading == Reading::rows) return false;
      wanted = wanted || reading == Reading::columns;
    }
  }
  return wanted;
}

void ItemRewriter::declare_extents() { to_.declare_as(from_); }

Block ItemRewriter::rewrite(const Block& stmts) {
  Block result;
  for (const Stmt& s : stmts) {
    Stmt copy = s;
    map_roots(copy, [&](ExprId e) { return rewrite(e); });
    if (Block* body = body_of(copy)) *body = rewrite(*body);
    result.push_back(std::move(copy));
  }
  return result;
}

ExprId ItemRewriter::rewrite(ExprId id) {
  if (const auto it = memo_.find(id); it != memo_.end()) return it->second;
  const Expr& e = from_[id];
  std::vector<ExprId> operands;
  for (const ExprId o : e.operands) operands.push_back(rewrite(o));
  const ExprId result = remake(e, operands);
  memo_.emplace(id, result);
  return result;
}

ExprId ItemRewriter::remake(const Expr& e, const std::vector<ExprId>& x) {
  const auto constant = [&] { return std::int64_t(to_[x[1]].bits); };
  switch (e.kind) {
    case ExprKind::load:
      return to_.load(e.slot, e.dtype, x[0]);
    case ExprKind::load_local:
      return to_.load_local(e.slot, e.dtype, x[0]);
    case ExprKind::reg:
      return to_.reg(e.slot, e.dtype);
    case ExprKind::index_variable:
      return e.slot == 0 || e.slot == unbounded_item ? item_ : to_.variable(e.slot);
    case ExprKind::index_scalar:
      return to_.scalar(e.slot);
    case ExprKind::index_div:
      return is_rows(constant()) ? to_.div(to_.div(x[0], row_), constant() / row_)
                                 : to_.div(x[0], constant());
    case ExprKind::index_mod:
      if (is_rows(constant()))
        return to_.add(to_.mul(to_.mod(to_.div(x[0], row_), constant() / row_), row_),
                       to_.mod(x[0], row_));
      return to_.mod(x[0], constant());
    case ExprKind::index_less:
      return less(x[0], x[1]);
    default:
      return rebuild(to_, e, x);
  }
}

/// Whether an index lies before the start of a row is the same for all of a row.
ExprId ItemRewriter::less(ExprId a, ExprId b) {
  const bool is_start =
      row_ > 0 && to_.is_index_constant(b) && std::int64_t(to_[b].bits) % row_ == 0;
  if (!is_start || to_.bounds(a).low < 0) return to_.less(a, b);
  const ExprId rows = to_.div(a, row_);
  if (depends_on(to_, rows, ExprKind::index_variable, 0)) return to_.less(a, b);
  return to_.less(rows, to_.index(std::int64_t(to_[b].bits) / row_));
}

}  // namespace partita::kernel
