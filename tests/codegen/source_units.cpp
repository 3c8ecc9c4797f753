// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How a program's C text is divided into units of the compiler, and for which of them it makes little effort.
#include "backend-cpu/codegen/source_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kernel/ast/statements.hpp"
#include "partita/base/error.hpp"

namespace partita::testing {
namespace {

using cpu::codegen::Effort;
using cpu::codegen::ObjectUnit;
using cpu::codegen::SourceUnits;
using cpu::codegen::StepFunction;
using ::testing::HasSubstr;

/// Kernels k0, k1, … of so many characters and operations.
struct Program {
  std::vector<kernel::PrintedKernel> kernels;
  kernel::PlanWork work;

  void add(std::size_t length, double operations, const kernel::Kernel* of = nullptr) {
    std::string text = "(i64 begin, i64 end) {\n";
    text.append(length - text.size() - 2, ' ');
    kernels.push_back({cat("k", kernels.size()), text + "}\n", "", of});
    work.kernel_operations.push_back(operations);
    work.launch_operations.push_back(operations);
    work.operations += operations;
  }
  [[nodiscard]] SourceUnits divided(std::vector<StepFunction> functions = {}) const {
    std::set<int> launched;
    for (int k = 0; k < int(kernels.size()); ++k) {
      bool is_called = false;
      for (const StepFunction& f : functions) is_called = is_called || f.kernels.contains(k);
      if (!is_called) launched.insert(k);
    }
    return {"// before\n", std::move(functions), launched, {kernels, work}};
  }
};

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

/// The one unit that defines a kernel.
const ObjectUnit& unit_of(const std::vector<ObjectUnit>& units, const std::string& definition) {
  const ObjectUnit* found = nullptr;
  for (const ObjectUnit& u : units) {
    if (occurrences(u.source, definition) == 0) continue;
    EXPECT_EQ(found, nullptr) << definition;
    EXPECT_EQ(occurrences(u.source, definition), 1U);
    found = &u;
  }
  EXPECT_NE(found, nullptr) << definition;
  return found == nullptr ? units.front() : *found;
}

TEST(SourceUnits, short_programs_are_one_unit_at_full_effort) {
  Program p;
  p.add(1000, 1e6);
  p.add(1000, 10);
  const std::vector<ObjectUnit> units = p.divided().units();
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].effort, Effort::full);
  EXPECT_THAT(units[0].source, HasSubstr("void partita_k0(i64"));
  EXPECT_THAT(units[0].source, HasSubstr("void partita_k1(i64"));
}

TEST(SourceUnits, kernels_that_take_little_are_compiled_with_little_effort) {
  Program p;
  p.add(9000, 1e9);
  p.add(9000, 2e9);
  for (int k = 0; k < 8; ++k) p.add(1500, 1e6);
  const std::vector<ObjectUnit> units = p.divided().units();
  EXPECT_GE(units.size(), 3U);
  for (std::size_t k = 0; k < p.kernels.size(); ++k)
    EXPECT_EQ(unit_of(units, cat("void partita_k", k, "(i64")).effort,
              k < 2 ? Effort::full : Effort::little);
  // Of as much in products of a library all kernels take little.
  p.work.multiply_adds = 1e12;
  for (const ObjectUnit& u : p.divided().units()) EXPECT_EQ(u.effort, Effort::little);
}

/// b0[i] = 1, only of the first 100 items where `is_guarded`, if `in_branch` where something holds.
kernel::Kernel kernel_of_items(bool is_guarded, bool in_branch) {
  kernel::Kernel k;
  k.buffers.push_back({.dtype = DType::f32, .is_written = true});
  k.pool.set_extent(0, 100);
  const scalar::ExprId item = k.pool.variable(0);
  kernel::Block body{kernel::store(0, DType::f32, item, k.pool.constant_of(DType::f32, 1))};
  if (in_branch)
    body = {kernel::when(k.pool.equal(k.pool.mod(item, 2), k.pool.index(0)), std::move(body))};
  if (is_guarded)
    body = {kernel::when(k.pool.less(k.pool.variable(kernel::unbounded_item), k.pool.index(100)),
                         std::move(body))};
  k.body = std::move(body);
  return k;
}

TEST(SourceUnits, kernels_without_branches_are_plain_whatever_they_do) {
  Program p;
  const kernel::Kernel plain[] = {kernel_of_items(false, false), kernel_of_items(true, false)},
                       branching = kernel_of_items(true, true);
  // Of choices between truth values the compiler makes branches.
  kernel::Kernel choosing;
  for (int b = 0; b < 4; ++b)
    choosing.buffers.push_back({.dtype = DType::i1, .is_written = b == 0});
  choosing.pool.set_extent(0, 100);
  const scalar::ExprId item = choosing.pool.variable(0);
  const auto read = [&](int b) { return choosing.pool.load(b, DType::i1, item); };
  choosing.body = {kernel::store(
      0, DType::i1, item, choosing.pool.apply("select", DType::i1, {read(1), read(2), read(3)}))};
  p.add(9000, 1e9, &plain[0]);
  p.add(9000, 1e9, &plain[1]);
  p.add(9000, 1e9, &branching);
  p.add(9000, 1e9, &choosing);
  const std::vector<ObjectUnit> units = p.divided().units();
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(unit_of(units, cat("void partita_k", k, "(i64")).effort,
              k < 2 ? Effort::plain : Effort::full);
  // What step functions have within is compiled as they are: as plain text where all of it is.
  p = {};
  p.add(4000, 1e9, &plain[0]);
  p.add(4000, 1e9, &plain[1]);
  p.add(4000, 1e9, &branching);
  const auto effort_of_steps = [&](const std::set<int>& kernels) {
    const SourceUnits calling = p.divided({{"steps_0", kernels, "void partita_steps_0() {}\n"}});
    return unit_of(calling.units(), "void partita_steps_0()").effort;
  };
  EXPECT_EQ(effort_of_steps({0, 1}), Effort::plain);
  EXPECT_EQ(effort_of_steps({1, 2}), Effort::full);
  // Too little for a unit of its own.
  p = {};
  p.add(800, 1e9, &plain[0]);
  p.add(9000, 1e9, &branching);
  for (const ObjectUnit& u : p.divided().units()) EXPECT_EQ(u.effort, Effort::full);
}

TEST(SourceUnits, of_loops_without_known_ends_all_is_full_effort) {
  Program p;
  for (int k = 0; k < 8; ++k) p.add(3000, std::numeric_limits<double>::infinity());
  for (const ObjectUnit& u : p.divided().units()) EXPECT_EQ(u.effort, Effort::full);
}

TEST(SourceUnits, long_step_functions_leave_long_kernels_to_other_units) {
  Program p;
  for (int k = 0; k < 4; ++k) p.add(6000, 1e5);
  for (int k = 0; k < 4; ++k) p.add(700, 1e5);
  p.add(6000, 100);  // called for next to nothing
  const SourceUnits divided =
      p.divided({{"steps_0", {0, 1, 2, 3, 4, 5, 6, 7, 8}, "void partita_steps_0() {}\n"}});
  const std::vector<ObjectUnit> units = divided.units();
  EXPECT_GE(units.size(), 2U);
  const ObjectUnit& caller = unit_of(units, "void partita_steps_0()");
  for (int k = 0; k < 4; ++k) {
    const std::string name = cat("void local_k", k, "(i64 begin, i64 end)");
    unit_of(units, name + " {");
    EXPECT_THAT(caller.source, HasSubstr(name + ";"));
    EXPECT_EQ(occurrences(divided.whole(), name + " {"), 1U);
  }
  for (int k = 4; k < 9; ++k)
    EXPECT_THAT(caller.source, HasSubstr(cat("static inline void local_k", k, "(i64")));
}

TEST(SourceUnits, the_same_program_is_divided_the_same_way) {
  Program p;
  for (int k = 0; k < 40; ++k) p.add(std::size_t(700 + 97 * (k % 7)), 1e3 * (k % 5));
  const std::vector<ObjectUnit> one = p.divided().units(), other = p.divided().units();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t u = 0; u < one.size(); ++u) {
    EXPECT_EQ(one[u].source, other[u].source);
    EXPECT_EQ(one[u].effort, other[u].effort);
  }
}

}  // namespace
}  // namespace partita::testing
