// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/ast/body_facts.hpp"

#include <algorithm>

#include "kernel/ast/expressions.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

void collect(const Stmt& s, Changes& changes) {
  if (const Loop* l = as<Loop>(s)) changes.variables.insert(l->variable);
  if (const Store* store = as<Store>(s)) changes.buffers.insert(store->buffer);
  if (const StoreWide* store = as<StoreWide>(s))
    (store->is_local ? changes.arrays : changes.buffers).insert(store->buffer);
  if (const AtomicCombine* x = as<AtomicCombine>(s)) changes.buffers.insert(x->buffer);
  if (const LoadMatrices* load = as<LoadMatrices>(s))
    changes.registers.insert(load->slots.begin(), load->slots.end());
  if (const MultiplyMatrices* product = as<MultiplyMatrices>(s))
    changes.registers.insert(product->sums.begin(), product->sums.end());
  if (const StoreLocal* store = as<StoreLocal>(s)) changes.arrays.insert(store->array);
  changes.all_arrays |= as<Barrier>(s) != nullptr;
  if (const std::int32_t* slot = register_of(s)) changes.registers.insert(*slot);
  for (const Stmt& inner : body_of(s)) collect(inner, changes);
}

/// The operands that evaluating `e` evaluates in any case.
std::span<const ExprId> certain_operands(const Expr& e) {
  const std::span all(e.operands);
  return e.kind == ExprKind::choose ? all.first(1) : all;
}

void collect_certain(const ExprPool& pool, ExprId id, std::set<ExprId>& certain) {
  if (!certain.insert(id).second) return;
  for (const ExprId x : certain_operands(pool[id])) collect_certain(pool, x, certain);
}

}  // namespace

bool is_index_leaf(ExprKind kind) {
  return kind == ExprKind::index_constant || kind == ExprKind::index_variable ||
         kind == ExprKind::index_scalar;
}

bool is_leaf(ExprKind kind) {
  return kind == ExprKind::constant || kind == ExprKind::reg || is_index_leaf(kind);
}

bool is_index_arithmetic(ExprKind kind) { return kind > ExprKind::to_index; }

bool Changes::include(const Expr& e) const {
  return (e.kind == ExprKind::index_variable && variables.contains(e.slot)) ||
         (e.kind == ExprKind::reg && registers.contains(e.slot)) ||
         (is_load(e.kind) && buffers.contains(e.slot)) ||
         (e.kind == ExprKind::load_local && (all_arrays || arrays.contains(e.slot)));
}

Changes changes_of(const Stmt& s) {
  Changes changes;
  collect(s, changes);
  return changes;
}

BodyFacts::BodyFacts(const Kernel& kernel)
    : pool_(kernel.pool), uses_(std::size_t(kernel.pool.size())) {
  count_uses(kernel.body);
  has_register_ = having([](const Expr& e) { return e.kind == ExprKind::reg; });
}

void BodyFacts::count_uses(const Block& stmts) {
  for (const Stmt& s : stmts) {
    for (const ExprId e : roots_of(s)) count_uses(e);
    count_uses(body_of(s));
  }
}

void BodyFacts::count_uses(ExprId e) {
  if (uses_[std::size_t(e)]++ > 0) return;
  for (const ExprId x : pool_[e].operands) count_uses(x);
}

std::vector<bool> BodyFacts::having(const std::function<bool(const Expr&)>& test) const {
  // Operands come before what uses them.
  std::vector<bool> found(uses_.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (uses_[i] == 0) continue;
    const Expr& e = pool_[ExprId(i)];
    found[i] = test(e) || std::ranges::any_of(
                              e.operands, [&](ExprId x) { return bool(found[std::size_t(x)]); });
  }
  return found;
}

std::vector<bool> BodyFacts::changed_by(const Changes& changes) const {
  return having([&](const Expr& e) { return changes.include(e); });
}

std::set<ExprId> BodyFacts::certain_in(const Block& stmts) const {
  std::set<ExprId> certain;
  for (const Stmt& s : stmts)
    for (const ExprId e : roots_of(s)) collect_certain(pool_, e, certain);
  // A register may have changed until then.
  std::erase_if(certain, [&](ExprId e) { return has_register_[std::size_t(e)]; });
  return certain;
}

bool EarlyEvaluation::is_lazy(ExprId e) const {
  std::set<ExprId> seen;
  const std::function<bool(ExprId)> visit = [&](ExprId id) {
    if (values_.are_known(id) || !seen.insert(id).second) return false;
    const Expr& x = pool_[id];
    return is_read(x.kind) || x.kind == ExprKind::choose || std::ranges::any_of(x.operands, visit);
  };
  return visit(e);
}

void EarlyEvaluation::before_branches(ExprId a, ExprId b, const std::set<ExprId>& certain) const {
  std::set<ExprId> in_a, in_b, visited;
  collect_certain(pool_, a, in_a);
  collect_certain(pool_, b, in_b);
  const std::function<void(ExprId)> visit = [&](ExprId id) {
    if (values_.are_known(id) || !visited.insert(id).second) return;
    const Expr& e = pool_[id];
    if (is_leaf(e.kind)) return;
    if (values_.are_worthwhile(e) &&
        ((in_a.contains(id) && in_b.contains(id)) || certain.contains(id)))
      return values_.evaluate(id);
    for (const ExprId x : e.operands) visit(x);
  };
  visit(a);
  visit(b);
}

void EarlyEvaluation::before_loop(std::span<const ExprId> roots,
                                  const std::vector<bool>& is_variant) const {
  std::set<ExprId> seen;
  const std::function<void(ExprId)> visit = [&](ExprId id) {
    if (values_.are_known(id) || !seen.insert(id).second) return;
    const Expr& e = pool_[id];
    if (is_leaf(e.kind)) return;
    if (values_.are_worthwhile(e) && !is_variant[std::size_t(id)]) return values_.evaluate(id);
    for (const ExprId x : certain_operands(e)) visit(x);
  };
  for (const ExprId root : roots) visit(root);
}

}  // namespace partita::kernel
