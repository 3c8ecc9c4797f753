// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/scalar/expr.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace partita::scalar {
namespace {

/// Value of an index expression, given those of the variables.
std::int64_t evaluate(const ExprPool& pool, ExprId id,
                      const std::map<int, std::int64_t>& variables) {
  const Expr& e = pool[id];
  const auto at = [&](std::size_t k) { return evaluate(pool, e.operands[k], variables); };
  switch (e.kind) {
    case ExprKind::constant:
      return std::int64_t(e.bits);
    case ExprKind::index_constant:
      return std::int64_t(e.bits);
    case ExprKind::index_variable:
      return variables.at(e.slot);
    case ExprKind::index_add:
      return at(0) + at(1);
    case ExprKind::index_sub:
      return at(0) - at(1);
    case ExprKind::index_mul:
      return at(0) * at(1);
    case ExprKind::index_div:
      return at(0) / at(1);
    case ExprKind::index_mod:
      return at(0) % at(1);
    case ExprKind::index_min:
      return std::min(at(0), at(1));
    case ExprKind::index_max:
      return std::max(at(0), at(1));
    case ExprKind::index_less:
      return at(0) < at(1);
    case ExprKind::index_less_equal:
      return at(0) <= at(1);
    case ExprKind::index_equal:
      return at(0) == at(1);
    default:
      ADD_FAILURE() << "unexpected expression";
      return 0;
  }
}

struct KernelExpr : testing::Test {
  ExprPool pool;
  ExprId x, y, z;
  KernelExpr() {
    pool.set_extent(0, 6);
    pool.set_extent(1, 8);
    pool.set_extent(2, 1);
    x = pool.variable(0), y = pool.variable(1), z = pool.variable(2);
  }
};

TEST_F(KernelExpr, EqualExpressionsAreOneNode) {
  EXPECT_EQ(pool.add(x, y), pool.add(y, x));
  EXPECT_EQ(pool.mul(pool.add(x, 2), 3), pool.add(pool.mul(x, 3), 6));
  EXPECT_EQ(pool.constant_of(DType::f32, 1), pool.constant_of(DType::f32, 1));
  EXPECT_NE(pool.constant_of(DType::f32, 1), pool.constant_of(DType::f64, 1));
  EXPECT_EQ(pool.load(0, DType::f32, x), pool.load(0, DType::f32, x));
  EXPECT_NE(pool.load(0, DType::f32, x), pool.load(1, DType::f32, x));
}

TEST_F(KernelExpr, IdentitiesFold) {
  EXPECT_EQ(pool.add(x, 0), x);
  EXPECT_EQ(pool.mul(x, 1), x);
  EXPECT_EQ(pool.mul(x, 0), pool.index(0));
  EXPECT_EQ(pool.sub(x, x), pool.index(0));
  EXPECT_EQ(pool.sub(pool.add(x, y), y), x);
  EXPECT_EQ(pool.add(pool.index(3), pool.index(4)), pool.index(7));
  EXPECT_EQ(z, pool.index(0)) << "a variable of extent 1";
}

TEST_F(KernelExpr, QuotientsAndRemaindersFoldByBounds) {
  const ExprId linear = pool.add(pool.mul(x, 8), y);
  EXPECT_EQ(pool.div(linear, 8), x);
  EXPECT_EQ(pool.mod(linear, 8), y);
  EXPECT_EQ(pool.mod(x, 6), x);
  EXPECT_EQ(pool.div(x, 6), pool.index(0));
  EXPECT_EQ(pool.mod(x, 1), pool.index(0));
  EXPECT_EQ(pool.div(x, 1), x);
  EXPECT_EQ(pool.div(linear, 4), pool.add(pool.mul(x, 2), pool.div(y, 4)));
  EXPECT_EQ(pool.div(linear, 16), pool.div(x, 2)) << "a common factor";
  EXPECT_EQ(pool.mod(linear, 16), pool.add(pool.mul(pool.mod(x, 2), 8), y));
  EXPECT_EQ(pool.add(pool.mul(pool.div(y, 3), 3), pool.mod(y, 3)), y);
  EXPECT_EQ(pool.div(pool.div(y, 2), 3), pool.div(y, 6));
  EXPECT_EQ(pool.mod(pool.mod(y, 6), 3), pool.mod(y, 3));
}

TEST_F(KernelExpr, NothingFoldsWhereBoundsAreUnknown) {
  const ExprId s = pool.scalar(0);
  const ExprId sum = pool.add(pool.mul(x, 8), s);
  EXPECT_EQ(pool[pool.mod(sum, 8)].kind, ExprKind::index_mod);
  EXPECT_EQ(pool[pool.less(s, x)].kind, ExprKind::index_less);
  pool.set_scalar_bounds(1, 0, 7);
  EXPECT_EQ(pool.mod(pool.add(pool.mul(x, 8), pool.scalar(1)), 8), pool.scalar(1));
}

TEST_F(KernelExpr, ComparisonsMinimaAndChoicesAreDecidedByBounds) {
  EXPECT_EQ(pool.less(x, pool.index(6)), pool.boolean(true));
  EXPECT_EQ(pool.less(x, pool.index(0)), pool.boolean(false));
  EXPECT_EQ(pool.less_equal(pool.index(0), x), pool.boolean(true));
  EXPECT_EQ(pool.less_equal(x, pool.add(x, y)), pool.boolean(true));
  EXPECT_EQ(pool.less(pool.add(x, 2), pool.add(x, 3)), pool.boolean(true));
  EXPECT_EQ(pool.equal(x, x), pool.boolean(true));
  EXPECT_EQ(pool.equal(x, pool.index(7)), pool.boolean(false));
  EXPECT_EQ(pool.min(x, pool.index(5)), x);
  EXPECT_EQ(pool.max(x, pool.index(0)), x);
  EXPECT_EQ(pool.clamp(x, 0, 5), x);
  EXPECT_EQ(pool[pool.clamp(x, 0, 4)].kind, ExprKind::index_min);
  const ExprId a = pool.constant_of(DType::f32, 1), b = pool.constant_of(DType::f32, 2);
  EXPECT_EQ(pool.choose(pool.less(x, pool.index(6)), a, b), a);
  EXPECT_EQ(pool.choose(pool.less(x, pool.index(0)), a, b), b);
  EXPECT_EQ(pool.choose(pool.less(x, y), a, a), a);
  EXPECT_EQ(pool.logical_and(pool.boolean(true), pool.less(x, y)), pool.less(x, y));
  EXPECT_EQ(pool.logical_and(pool.boolean(false), pool.less(x, y)), pool.boolean(false));
}

TEST_F(KernelExpr, ElementsAndIndicesConvertIntoEachOther) {
  EXPECT_EQ(pool.to_index(pool.from_index(x, DType::i32)), x);
  EXPECT_EQ(pool.to_index(pool.constant_of(DType::i8, -3)), pool.index(-3));
  EXPECT_EQ(pool.from_index(pool.index(3), DType::f32), pool.constant_of(DType::f32, 3));
  EXPECT_EQ(pool.convert(pool.constant_of(DType::f32, 2.75), DType::i32),
            pool.constant_of(DType::i32, 2));
  const ExprId load = pool.load(0, DType::ui8, x);
  EXPECT_EQ(pool.convert(load, DType::ui8), load);
  EXPECT_EQ(pool.bounds(pool.to_index(load)).high, 255);
  // Wraps: must not be taken for x + 300.
  const ExprId wrapped = pool.to_index(pool.from_index(pool.add(x, 300), DType::ui8));
  EXPECT_EQ(pool[wrapped].kind, ExprKind::to_index);
}

TEST_F(KernelExpr, LinearIndexAndDelinearizeAreInverse) {
  const Dims dims{6, 1, 8};
  const std::vector<ExprId> index{x, pool.index(0), y};
  const ExprId linear = linear_index(pool, index, dims);
  EXPECT_EQ(delinearize(pool, linear, dims), index);
  // [48] read as [6, 8]: the linear index of its parts is the variable itself.
  pool.set_extent(5, 48);
  const ExprId flat = pool.variable(5);
  EXPECT_EQ(linear_index(pool, delinearize(pool, flat, dims), dims), flat);
  // [6, 8] as [3, 16] and back.
  const std::vector<ExprId> other = delinearize(pool, linear, {3, 16});
  EXPECT_EQ(linear_index(pool, other, {3, 16}), linear);
  EXPECT_EQ(linear_index(pool, {}, {}), pool.index(0));
  EXPECT_TRUE(delinearize(pool, pool.index(0), {}).empty());
}

TEST(KernelExprProperty, FoldedExpressionsKeepTheirValueAndBounds) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    ExprPool pool;
    struct Sample {
      ExprId id;
      std::vector<std::int64_t> values;
    };
    constexpr int points = 16;
    std::vector<Sample> made;
    std::vector<std::map<int, std::int64_t>> variables(points);
    for (int v = 0; v < 4; ++v) {
      const int extent = draw(1, 9);
      pool.set_extent(v, extent);
      Sample s{pool.variable(v), {}};
      for (auto& point : variables) s.values.push_back(point[v] = draw(0, extent - 1));
      made.push_back(s);
    }
    for (int step = 0; step < 30; ++step) {
      const Sample a = made[std::size_t(draw(0, int(made.size()) - 1))],
                   b = made[std::size_t(draw(0, int(made.size()) - 1))];
      const int constant = draw(1, 12), kind = draw(0, 8);
      if (pool.bounds(a.id).high > 100000 || pool.bounds(b.id).high > 100000) continue;
      const bool natural = pool.bounds(a.id).low >= 0;
      if ((kind == 4 || kind == 5) && !natural) continue;
      const ExprId id = kind == 0   ? pool.add(a.id, b.id)
                        : kind == 1 ? pool.sub(a.id, b.id)
                        : kind == 2 ? pool.mul(a.id, constant)
                        : kind == 3 ? pool.add(a.id, constant - 6)
                        : kind == 4 ? pool.div(a.id, constant)
                        : kind == 5 ? pool.mod(a.id, constant)
                        : kind == 6 ? pool.min(a.id, b.id)
                        : kind == 7 ? pool.max(a.id, b.id)
                                    : pool.mul(a.id, b.id);
      Sample s{id, {}};
      for (std::size_t p = 0; p < points; ++p) {
        const std::int64_t x = a.values[p], y = b.values[p];
        const std::int64_t value = kind == 0   ? x + y
                                   : kind == 1 ? x - y
                                   : kind == 2 ? x * constant
                                   : kind == 3 ? x + constant - 6
                                   : kind == 4 ? x / constant
                                   : kind == 5 ? x % constant
                                   : kind == 6 ? std::min(x, y)
                                   : kind == 7 ? std::max(x, y)
                                               : x * y;
        s.values.push_back(value);
        ASSERT_EQ(evaluate(pool, id, variables[p]), value)
            << "operation " << kind << " by " << constant;
        ASSERT_LE(pool.bounds(id).low, value);
        ASSERT_GE(pool.bounds(id).high, value);
        ASSERT_EQ(evaluate(pool, pool.less(a.id, b.id), variables[p]), x < y);
        ASSERT_EQ(evaluate(pool, pool.less_equal(a.id, b.id), variables[p]), x <= y);
        ASSERT_EQ(evaluate(pool, pool.equal(a.id, b.id), variables[p]), x == y);
      }
      made.push_back(s);
    }
  }
}

}  // namespace
}  // namespace partita::scalar
