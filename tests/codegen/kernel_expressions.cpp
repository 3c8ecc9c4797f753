// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What is read off the expressions of kernels made by hand.
#include "kernel/ast/expressions.hpp"

#include <gtest/gtest.h>

#include "kernel/ast/statements.hpp"

namespace partita::kernel {
namespace {

using scalar::ExprId;
using scalar::ExprKind;

TEST(KernelExpressions, strides_of_indices) {
  scalar::ExprPool pool;
  pool.set_extent(1, 100);
  pool.set_extent(2, 100);
  const ExprId i = pool.variable(1), j = pool.variable(2), s = pool.scalar(0);
  const ExprId sum = pool.add(pool.mul(i, 4), pool.sub(s, pool.mul(j, 3)));
  EXPECT_EQ(index_stride(pool, sum, 1), 4);
  EXPECT_EQ(index_stride(pool, sum, 2), -3);
  EXPECT_EQ(index_stride(pool, sum, 3), 0);
  EXPECT_EQ(index_stride(pool, pool.div(i, 3), 1), std::nullopt);
  EXPECT_EQ(index_stride(pool, pool.div(i, 3), 2), 0);
  EXPECT_EQ(index_stride(pool, pool.mul(i, s), 1), std::nullopt);
  const ExprId loaded = pool.to_index(pool.load(0, DType::i32, i));
  EXPECT_EQ(index_stride(pool, pool.add(loaded, j), 1), std::nullopt);
  EXPECT_EQ(index_stride(pool, pool.add(loaded, j), 2), 1);
  EXPECT_TRUE(depends_on(pool, loaded, ExprKind::index_variable, 1));
  EXPECT_FALSE(depends_on(pool, loaded, ExprKind::index_variable, 2));
  EXPECT_TRUE(depends_on(pool, loaded, ExprKind::load));
  EXPECT_FALSE(depends_on(pool, loaded, ExprKind::reg));
}

TEST(KernelExpressions, roots_and_vectors_of_statements) {
  scalar::ExprPool pool;
  const ExprId at = pool.variable(0), one = pool.constant_of(DType::f32, 1);
  Stmt plain = store(0, DType::f32, at, one), wide = plain;
  wide.width = 4;
  EXPECT_EQ(roots_of(plain), (std::vector{one, at}));
  EXPECT_EQ(roots_of(loop(1, pool.index(8), {plain})), std::vector{pool.index(8)});
  EXPECT_FALSE(has_vectors({loop(1, pool.index(8), {plain})}));
  EXPECT_TRUE(has_vectors({loop(1, pool.index(8), {plain, wide})}));
}

}  // namespace
}  // namespace partita::kernel
