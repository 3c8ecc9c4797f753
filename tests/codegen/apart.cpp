// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether two work-items can name one element: forms of indices that kernels have, and random ones
// against all items and turns of their loops.
#include "kernel/analysis/apart.hpp"

#include <gtest/gtest.h>

#include <random>

#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

struct Items {
  ExprPool pool;
  IndexFacts facts = {};

  explicit Items(std::int64_t items, std::initializer_list<std::int64_t> loops = {}) {
    pool.set_extent(0, items);
    std::int32_t slot = 1;
    for (const std::int64_t turns : loops) pool.set_extent(slot++, turns);
  }
  [[nodiscard]] bool are_apart(ExprId a, ExprId b) const {
    return ItemIndices(pool, {0}).are_apart({a, &facts}, {b, &facts});
  }
  [[nodiscard]] bool is_own(ExprId a) const { return are_apart(a, a); }
};

TEST(Apart, items_that_store_at_their_number) {
  Items t(100);
  EXPECT_TRUE(t.is_own(t.pool.variable(0)));
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.mul(t.pool.variable(0), 3), 7)));
  EXPECT_FALSE(t.is_own(t.pool.index(5)));
  EXPECT_FALSE(t.is_own(t.pool.div(t.pool.variable(0), 2)));
  EXPECT_FALSE(t.are_apart(t.pool.variable(0), t.pool.add(t.pool.variable(0), 1)));
  EXPECT_TRUE(t.are_apart(t.pool.mul(t.pool.variable(0), 2),
                          t.pool.add(t.pool.mul(t.pool.variable(0), 2), 1)));
}

TEST(Apart, a_single_item_is_alone) {
  Items t(1);
  EXPECT_TRUE(t.is_own(t.pool.index(5)));
}

TEST(Apart, loops_within_rows_and_along_columns) {
  Items t(10, {8});
  const ExprId item = t.pool.variable(0), turn = t.pool.variable(1);
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.mul(item, 8), turn)));
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.mul(turn, 10), item)));
  EXPECT_FALSE(t.is_own(t.pool.add(t.pool.mul(item, 7), turn)));
  EXPECT_FALSE(t.is_own(t.pool.add(t.pool.mul(turn, 9), item)));
}

TEST(Apart, digits_of_items) {
  Items t(24, {4});
  const ExprId item = t.pool.variable(0), turn = t.pool.variable(1);
  const ExprId row = t.pool.div(item, 6), column = t.pool.mod(item, 6);
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.mul(column, 4), row)));  // transposed
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.add(t.pool.mul(row, 100), t.pool.mul(column, 4)), turn)));
  EXPECT_FALSE(t.is_own(t.pool.mul(row, 100)));
  EXPECT_FALSE(t.is_own(t.pool.add(t.pool.mul(column, 3), row)));
}

TEST(Apart, an_index_from_memory_in_a_dimension_of_its_own) {
  Items t(10, {8});
  const ExprId item = t.pool.variable(0);
  const ExprId loaded = t.pool.to_index(t.pool.load(0, DType::i32, t.pool.variable(1)));
  EXPECT_TRUE(t.is_own(t.pool.add(t.pool.mul(loaded, 10), item)));
  EXPECT_FALSE(t.is_own(loaded));
  const ExprId inner = t.pool.add(t.pool.mul(item, 16), loaded);
  EXPECT_FALSE(t.is_own(inner));
  add_facts(t.pool,
            t.pool.logical_and(t.pool.less_equal(t.pool.index(0), loaded),
                               t.pool.less(loaded, t.pool.index(16))),
            t.facts);
  EXPECT_TRUE(t.is_own(inner));
}

TEST(Apart, conditions_on_items) {
  Items t(10);
  EXPECT_FALSE(t.is_own(t.pool.index(0)));
  add_facts(t.pool, t.pool.less(t.pool.variable(0), t.pool.index(1)), t.facts);
  EXPECT_TRUE(t.is_own(t.pool.index(0)));
}

/// A random index of items and a loop, and what it is for given ones.
struct RandomIndex {
  struct Part {
    std::int64_t coefficient;
    bool is_item;
    std::int64_t divisor, extent;  ///< extent 0: no modulus
  };
  std::vector<Part> parts;
  std::int64_t constant;

  template <class Random>
  RandomIndex(Random& random, std::int64_t items) {
    const auto pick = [&](int n) { return int(random() % unsigned(n)); };
    constant = pick(3) == 0 ? pick(20) : 0;
    for (int k = 1 + pick(3); k-- > 0;)
      parts.push_back({1 + pick(13), pick(3) > 0, pick(2) ? 1 + pick(int(items)) : 1,
                       pick(2) ? 1 + pick(6) : 0});
  }
  [[nodiscard]] ExprId in(ExprPool& pool) const {
    ExprId sum = pool.index(constant);
    for (const Part& p : parts) {
      ExprId x = pool.variable(p.is_item ? 0 : 1);
      if (p.is_item && p.divisor > 1) x = pool.div(x, p.divisor);
      if (p.is_item && p.extent > 0) x = pool.mod(x, p.extent);
      sum = pool.add(sum, pool.mul(x, p.coefficient));
    }
    return sum;
  }
  [[nodiscard]] std::string text() const {
    std::string sum = std::to_string(constant);
    for (const Part& p : parts)
      sum += cat(" + ", p.coefficient, " * ", p.is_item ? cat("item / ", p.divisor) : "turn",
                 p.is_item && p.extent > 0 ? cat(" % ", p.extent) : "");
    return sum;
  }
  [[nodiscard]] std::int64_t at(std::int64_t item, std::int64_t turn) const {
    std::int64_t sum = constant;
    for (const Part& p : parts) {
      std::int64_t x = p.is_item ? item / p.divisor : turn;
      if (p.is_item && p.extent > 0) x %= p.extent;
      sum += p.coefficient * x;
    }
    return sum;
  }
};

TEST(Apart, never_says_so_of_items_that_meet) {
  std::mt19937 random(7);
  int apart = 0, proven = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::int64_t items = 1 + std::int64_t(random() % 12),
                       turns = 1 + std::int64_t(random() % 5);
    Items t(items, {turns});
    const RandomIndex a(random, items), other(random, items);
    const RandomIndex& b = random() % 2 == 0 ? a : other;
    bool meet = false;
    for (std::int64_t i = 0; i < items; ++i)
      for (std::int64_t j = 0; j < items; ++j)
        for (std::int64_t k = 0; i != j && k < turns; ++k)
          for (std::int64_t l = 0; l < turns; ++l) meet = meet || a.at(i, k) == b.at(j, l);
    const bool says = t.are_apart(a.in(t.pool), b.in(t.pool));
    ASSERT_FALSE(says && meet) << "round " << round << ": " << a.text() << " and " << b.text()
                               << " of " << items << " items in " << turns << " turns";
    apart += !meet;
    proven += says;
  }
  // Some are apart by luck; most are apart by form.
  EXPECT_GT(proven, apart / 2);
}

}  // namespace
}  // namespace partita::kernel
