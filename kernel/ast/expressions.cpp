// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/expressions.hpp"

#include <algorithm>
#include <numeric>

#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;
using scalar::no_expr;

class Walk {
 public:
  explicit Walk(const ExprPool& pool) : pool_(pool), seen_(std::size_t(pool.size())) {}

  void visit(ExprId id) {
    if (seen_[std::size_t(id)]) return;
    seen_[std::size_t(id)] = true;
    for (const ExprId x : pool_[id].operands) visit(x);
    found_.push_back(id);
  }
  void visit(const Block& stmts) {
    for (const Stmt& s : stmts) {
      for (const ExprId e : roots_of(s)) visit(e);
      visit(body_of(s));
    }
  }
  std::vector<ExprId> take() { return std::move(found_); }

 private:
  const ExprPool& pool_;
  std::vector<bool> seen_;
  std::vector<ExprId> found_;
};

ExprId rebuild_index(ExprPool& pool, ExprKind kind, ExprId a, ExprId b) {
  switch (kind) {
    case ExprKind::index_add:
      return pool.add(a, b);
    case ExprKind::index_sub:
      return pool.sub(a, b);
    case ExprKind::index_mul:
      return pool.mul(a, b);
    case ExprKind::index_div:
      return pool.div(a, std::int64_t(pool[b].bits));
    case ExprKind::index_mod:
      return pool.mod(a, std::int64_t(pool[b].bits));
    case ExprKind::index_min:
      return pool.min(a, b);
    case ExprKind::index_max:
      return pool.max(a, b);
    case ExprKind::index_less:
      return pool.less(a, b);
    case ExprKind::index_less_equal:
      return pool.less_equal(a, b);
    case ExprKind::index_equal:
      return pool.equal(a, b);
    default:
      throw_internal_error("an expression that belongs to its kernel");
  }
}

}  // namespace

std::vector<ExprId> reachable(const ExprPool& pool, const Block& stmts) {
  Walk walk(pool);
  walk.visit(stmts);
  return walk.take();
}

std::vector<ExprId> reachable(const ExprPool& pool, ExprId root) {
  Walk walk(pool);
  walk.visit(root);
  return walk.take();
}

namespace {

void map_all(Block& stmts, const std::function<ExprId(ExprId)>& map) {
  for (Stmt& s : stmts) {
    map_roots(s, map);
    if (Block* body = body_of(s)) map_all(*body, map);
  }
}

}  // namespace

void drop_unreached(Kernel& kernel) {
  std::vector<ExprId> kept = reachable(kernel.pool, kernel.body);
  std::ranges::sort(kept);
  ExprPool pool;
  pool.declare_as(kernel.pool);
  for (const std::int32_t item : {unbounded_item, 0})
    if (kernel.pool.extent(item) < ExprPool::unbounded)
      pool.set_extent(item, kernel.pool.extent(item));
  std::unordered_map<ExprId, ExprId> made;
  for (const ExprId id : kept) {
    Expr e = kernel.pool[id];
    for (ExprId& operand : e.operands) operand = made.at(operand);
    made[id] = pool.restore(std::move(e));
  }
  map_all(kernel.body, [&](ExprId id) { return made.at(id); });
  kernel.pool = std::move(pool);
}

std::set<ExprId> evaluated(const ExprPool& pool, ExprId root,
                           const std::function<bool(ExprId)>& goes_on) {
  std::set<ExprId> found;
  const std::function<void(ExprId)> visit = [&](ExprId id) {
    if (!found.insert(id).second) return;
    const Expr& e = pool[id];
    const bool is_fork = e.kind == ExprKind::choose && !goes_on(e.operands[0]);
    for (const ExprId x : std::span(e.operands).first(is_fork ? 1 : e.operands.size())) visit(x);
  };
  visit(root);
  return found;
}

bool has_vectors(const Block& stmts) {
  return std::ranges::any_of(stmts,
                             [](const Stmt& s) { return s.width > 1 || has_vectors(body_of(s)); });
}

bool depends_on(const ExprPool& pool, ExprId id, ExprKind kind, std::int32_t slot) {
  return std::ranges::any_of(reachable(pool, id), [&](ExprId x) {
    const Expr& e = pool[x];
    return e.kind == kind && (slot < 0 || e.slot == slot);
  });
}

std::optional<std::int64_t> index_stride(const ExprPool& pool, ExprId id, std::int32_t variable) {
  const Expr& e = pool[id];
  switch (e.kind) {
    case ExprKind::index_constant:
    case ExprKind::index_scalar:
      return 0;
    case ExprKind::index_variable:
      return e.slot == variable ? 1 : 0;
    case ExprKind::index_add:
    case ExprKind::index_sub: {
      const auto a = index_stride(pool, e.operands[0], variable),
                 b = index_stride(pool, e.operands[1], variable);
      if (!a || !b) return std::nullopt;
      return e.kind == ExprKind::index_add ? *a + *b : *a - *b;
    }
    case ExprKind::index_mul: {
      const auto a = index_stride(pool, e.operands[0], variable),
                 b = index_stride(pool, e.operands[1], variable);
      if (a && b && *a == 0 && *b == 0) return 0;
      const auto factor = [&](ExprId x) { return std::int64_t(pool[x].bits); };
      if (b && pool.is_index_constant(e.operands[0])) return *b * factor(e.operands[0]);
      if (a && pool.is_index_constant(e.operands[1])) return *a * factor(e.operands[1]);
      return std::nullopt;
    }
    default:
      if (depends_on(pool, id, ExprKind::index_variable, variable)) return std::nullopt;
      return 0;
  }
}

std::int64_t known_divisor(const ExprPool& pool, ExprId id) {
  const Expr& e = pool[id];
  const auto of = [&](std::size_t k) { return known_divisor(pool, e.operands[k]); };
  switch (e.kind) {
    case ExprKind::index_constant:
      return std::gcd(std::int64_t(e.bits), std::int64_t(0));
    case ExprKind::index_mul: {
      std::int64_t product = 0;
      const std::int64_t a = of(0), b = of(1);
      return __builtin_mul_overflow(a, b, &product) ? std::max(a, b) : product;
    }
    case ExprKind::index_add:
    case ExprKind::index_sub:
    case ExprKind::index_min:
    case ExprKind::index_max:
    case ExprKind::index_mod:
      return std::gcd(of(0), of(1));
    default:
      return 1;
  }
}

ExprId replace(ExprPool& pool, ExprId id, std::unordered_map<ExprId, ExprId>& known) {
  if (const auto it = known.find(id); it != known.end()) return it->second;
  const Expr e = pool[id];  // the pool grows
  std::vector<ExprId> operands;
  for (const ExprId x : e.operands) operands.push_back(replace(pool, x, known));
  ExprId result = id;
  if (operands != e.operands) {
    if (e.kind == ExprKind::load)
      result = pool.load(e.slot, e.dtype, operands[0]);
    else if (e.kind == ExprKind::load_local)
      result = pool.load_local(e.slot, e.dtype, operands[0]);
    else
      result = rebuild(pool, e, operands);
  }
  known.emplace(id, result);
  return result;
}

ExprId item_guard(const Kernel& kernel) {
  const When* const guard = kernel.body.size() == 1 ? as<When>(kernel.body[0]) : nullptr;
  if (guard == nullptr) return no_expr;
  const Expr& test = kernel.pool[guard->condition];
  if (test.kind != ExprKind::index_less) return no_expr;
  const Expr& item = kernel.pool[test.operands[0]];
  return item.kind == ExprKind::index_variable && item.slot == unbounded_item ? test.operands[1]
                                                                              : no_expr;
}

const Block& guarded_body(const Kernel& kernel) {
  return item_guard(kernel) == no_expr ? kernel.body : body_of(kernel.body[0]);
}

std::optional<std::int64_t> item_extent(const ExprPool& pool) {
  const std::int64_t extent = pool.extent(0);
  if (extent == ExprPool::unbounded) return std::nullopt;
  return std::max<std::int64_t>(extent, 1);
}

ExprId rebuild(ExprPool& pool, const Expr& e, std::span<const ExprId> x) {
  switch (e.kind) {
    case ExprKind::constant:
      return pool.constant(e.dtype, e.bits);
    case ExprKind::apply:
      return pool.apply(e.name, e.source, x);
    case ExprKind::convert:
      return pool.convert(x[0], e.dtype);
    case ExprKind::bitcast:
      return pool.bitcast(x[0], e.dtype);
    case ExprKind::choose:
      return pool.choose(x[0], x[1], x[2]);
    case ExprKind::from_index:
      return pool.from_index(x[0], e.dtype);
    case ExprKind::to_index:
      return pool.to_index(x[0]);
    case ExprKind::index_constant:
      return pool.index(std::int64_t(e.bits));
    default:
      return rebuild_index(pool, e.kind, x[0], x[1]);
  }
}

}  // namespace partita::kernel
