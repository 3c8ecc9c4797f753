// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a kernel's statements tell of its expressions, on kernels made by hand.
#include "kernel/ast/body_facts.hpp"
#include "backend-opencl/codegen/opencl_dialect.hpp"

#include <gtest/gtest.h>

#include "kernel/ast/scoped_map.hpp"
#include "kernel/ast/statements.hpp"
#include "kernel/print/printer.hpp"

namespace partita::kernel {
namespace {

using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using Ids = std::set<ExprId>;

constexpr DType f32 = DType::f32;

/// r = 0; for (k1 < 8) { r = r + b0[k1] * exp(b1[k0]) }; b2[k0] = r
struct SumKernel {
  Kernel kernel;
  Register sum{kernel, f32};
  std::int32_t i = kernel.new_variable(8);
  scalar::ExprPool& pool = kernel.pool;
  ExprId item = pool.variable(0);
  ExprId in_loop = pool.load(0, f32, pool.variable(i));
  ExprId fixed = pool.apply("exponential", f32, {pool.load(1, f32, item)});
  ExprId product = pool.apply("multiply", f32, {in_loop, fixed});
  ExprId next = pool.apply("add", f32, {sum.value(pool), product});
  ExprId unused = pool.apply("negate", f32, {fixed});

  SumKernel() {
    kernel.buffers = {{f32, false}, {f32, false}, {f32, true}};
    kernel.body = {sum.declare(pool.constant(f32, 0)), loop(i, pool.index(8), {sum.assign(next)}),
                   store(2, f32, item, sum.value(pool))};
  }
};

/// Facts of a kernel, and an evaluation that notes what it is asked for.
struct Notes {
  explicit Notes(const Kernel& kernel) : facts(kernel) {}

  BodyFacts facts;
  std::vector<ExprId> evaluated = {};
  Ids known = {};
  bool is_index_worthwhile = false;
  EarlyEvaluation early{
      facts,
      {.are_known = [this](ExprId e) { return known.contains(e); },
       .are_worthwhile =
           [this](const Expr& e) { return is_index_worthwhile || !is_index_arithmetic(e.kind); },
       .evaluate =
           [this](ExprId e) {
             evaluated.push_back(e);
             known.insert(e);
           }}};
};

TEST(BodyFacts, uses_are_counted_once_for_each_that_asks) {
  const SumKernel k;
  const BodyFacts facts(k.kernel);
  EXPECT_EQ(facts.uses(k.item), 2);  // the load's index, the store's
  EXPECT_EQ(facts.uses(k.next), 1);
  EXPECT_EQ(facts.uses(k.fixed), 1);
  EXPECT_EQ(facts.uses(k.unused), 0);
}

TEST(BodyFacts, having_looks_through_operands_of_the_body_alone) {
  const SumKernel k;
  const BodyFacts facts(k.kernel);
  const std::vector<bool> loads =
      facts.having([](const Expr& e) { return e.kind == ExprKind::load && e.slot == 1; });
  EXPECT_TRUE(loads[std::size_t(k.fixed)]);
  EXPECT_TRUE(loads[std::size_t(k.next)]);
  EXPECT_FALSE(loads[std::size_t(k.in_loop)]);
  EXPECT_FALSE(loads[std::size_t(k.unused)]);
}

TEST(BodyFacts, changes_are_those_of_the_whole_body) {
  const SumKernel k;
  const Changes of_loop = changes_of(k.kernel.body[1]), of_store = changes_of(k.kernel.body[2]);
  EXPECT_EQ(of_loop.variables, std::set{k.i});
  EXPECT_EQ(of_loop.registers, std::set{k.sum.slot});
  EXPECT_TRUE(of_loop.buffers.empty());
  EXPECT_EQ(of_store.buffers, std::set<std::int32_t>{2});
  EXPECT_TRUE(of_store.registers.empty());
  const Changes of_when = changes_of(when(k.pool[k.next].operands[0], {k.kernel.body[2]}));
  EXPECT_EQ(of_when.buffers, of_store.buffers);
  EXPECT_TRUE(of_when.registers.empty());

  const BodyFacts facts(k.kernel);
  const std::vector<bool> is_changed = facts.changed_by(of_loop);
  EXPECT_TRUE(is_changed[std::size_t(k.in_loop)]);
  EXPECT_TRUE(is_changed[std::size_t(k.next)]);
  EXPECT_FALSE(is_changed[std::size_t(k.fixed)]);
}

TEST(BodyFacts, certain_leaves_out_branches_and_registers) {
  SumKernel k;
  const ExprId flag = k.pool.load(3, DType::i1, k.item);
  const ExprId chosen = k.pool.choose(flag, k.fixed, k.in_loop);
  k.kernel.body = {store(2, f32, k.item, chosen), store(2, f32, k.item, k.next)};
  const BodyFacts facts(k.kernel);
  const Ids first = facts.certain_in({k.kernel.body[0]});
  EXPECT_TRUE(first.contains(chosen) && first.contains(flag));
  EXPECT_FALSE(first.contains(k.fixed) || first.contains(k.in_loop));
  const Ids both = facts.certain_in(k.kernel.body);
  EXPECT_TRUE(both.contains(k.fixed) && both.contains(k.product));
  EXPECT_FALSE(both.contains(k.next));
}

TEST(EarlyEvaluation, takes_what_does_not_vary_out_of_a_loop) {
  const SumKernel k;
  Notes notes(k.kernel);
  const std::vector<bool> is_variant = notes.facts.changed_by(changes_of(k.kernel.body[1]));
  notes.early.before_loop(std::vector{k.next}, is_variant);
  EXPECT_EQ(notes.evaluated, std::vector{k.fixed});
  notes.early.before_loop(std::vector{k.next}, is_variant);
  EXPECT_EQ(notes.evaluated.size(), 1u);
}

TEST(EarlyEvaluation, leaves_branches_in_a_loop_and_indices_where_they_are_not_worthwhile) {
  SumKernel k;
  const ExprId place = k.pool.mul(k.item, 12), loaded = k.pool.load(1, f32, place);
  const ExprId flag = k.pool.load(3, DType::i1, k.pool.variable(k.i));
  const ExprId chosen = k.pool.choose(flag, loaded, k.sum.value(k.pool));
  const ExprId moved = k.pool.load(0, f32, k.pool.add(place, k.pool.variable(k.i)));
  k.kernel.body = {loop(k.i, k.pool.index(8), {k.sum.assign(chosen), k.sum.assign(moved)})};
  const std::vector<ExprId> roots{chosen, moved};
  for (const bool is_index_worthwhile : {false, true}) {
    Notes notes(k.kernel);
    notes.is_index_worthwhile = is_index_worthwhile;
    notes.early.before_loop(roots, notes.facts.changed_by(changes_of(k.kernel.body[0])));
    EXPECT_EQ(notes.evaluated, is_index_worthwhile ? std::vector{place} : std::vector<ExprId>{});
  }
}

TEST(EarlyEvaluation, takes_what_both_branches_or_later_code_need_before_the_fork) {
  SumKernel k;
  const ExprId a = k.pool.apply("add", f32, {k.fixed, k.in_loop});
  const ExprId b = k.pool.apply("negate", f32, {k.fixed});
  k.kernel.body = {store(2, f32, k.item, k.pool.choose(k.pool.load(3, DType::i1, k.item), a, b))};
  Notes notes(k.kernel);
  EXPECT_TRUE(notes.early.is_lazy(b));
  notes.early.before_branches(a, b, {});
  EXPECT_EQ(notes.evaluated, std::vector{k.fixed});
  EXPECT_FALSE(notes.early.is_lazy(b));
  EXPECT_TRUE(notes.early.is_lazy(a));
  notes.early.before_branches(a, b, {k.in_loop});
  EXPECT_EQ(notes.evaluated, (std::vector{k.fixed, k.in_loop}));
}

TEST(ScopedMap, forgets_with_the_scope) {
  ScopedMap<int, std::string> map;
  map.put(1, "outer");
  map.open_scope();
  map.put(2, "inner");
  map.put(3, "erased");
  map.erase_if([](int key) { return key == 3; });
  EXPECT_FALSE(map.contains(3));
  ASSERT_NE(map.find(2), nullptr);
  EXPECT_EQ(*map.find(2), "inner");
  map.close_scope();
  EXPECT_EQ(map.find(2), nullptr);
  EXPECT_TRUE(map.contains(1));
}

/// A value that was read before a register's sum grew is not the value after it.
TEST(Printer, forgets_what_a_multiply_add_changes) {
  Kernel kernel;
  scalar::ExprPool& pool = kernel.pool;
  const Register sum(kernel, f32);
  kernel.buffers = {{f32, true}};
  const ExprId one = pool.constant_of(f32, 1), root = pool.apply("sqrt", f32, {sum.value(pool)});
  kernel.body = {sum.declare(one), store(0, f32, pool.index(0), root), sum.multiply_add(one, one),
                 store(0, f32, pool.index(1), root)};
  kernel::ScalarText text(opencl::codegen::opencl_dialect());
  const std::string body = print_body(kernel, text, {});
  EXPECT_NE(body.find("b0[0] = v0"), std::string::npos) << body;
  EXPECT_NE(body.find("b0[1] = v1"), std::string::npos) << body;
}

}  // namespace
}  // namespace partita::kernel
