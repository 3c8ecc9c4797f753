// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Stacks of matrices in kernels: the last two dimensions are a matrix, those before count them.
#pragma once

#include <span>
#include <vector>

#include "lowering/context/context.hpp"
#include "partita/ir/matrix_calls.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::lowering {

/// Matrices of at most so many columns are factorised by one work-item.
inline constexpr std::int64_t small_matrix = 32;

/// Triangular systems of at most so many rows are solved by kernels: right sides are independent.
inline constexpr std::int64_t small_system = 256;

struct MatrixStack {
  Dims stack;
  std::int64_t count = 1, rows = 0, columns = 0;

  explicit MatrixStack(const Type& type)
      : stack(type.dims.begin(), type.dims.end() - 2),
        rows(type.dims[type.dims.size() - 2]),
        columns(type.dims.back()) {
    for (const std::int64_t extent : stack) count *= extent;
  }
  /// Element (i, j) of a matrix in memory.
  [[nodiscard]] scalar::ExprId linear(scalar::ExprPool& pool, scalar::ExprId matrix,
                                      scalar::ExprId i, scalar::ExprId j) const {
    return pool.add(pool.mul(pool.add(pool.mul(matrix, rows), i), columns), j);
  }
  /// The same as an index of the array.
  [[nodiscard]] std::vector<scalar::ExprId> index(scalar::ExprPool& pool, scalar::ExprId matrix,
                                                  scalar::ExprId i, scalar::ExprId j) const {
    std::vector<scalar::ExprId> full = scalar::delinearize(pool, matrix, stack);
    full.push_back(i);
    full.push_back(j);
    return full;
  }
  /// Number of the matrix that an index of the array is in.
  [[nodiscard]] scalar::ExprId matrix(scalar::ExprPool& pool,
                                      std::span<const scalar::ExprId> full) const {
    return scalar::linear_index(pool, full.first(stack.size()), stack);
  }
};

/// An array in memory as one of another dtype.
[[nodiscard]] Location narrowed(Context& context, Location from, const Type& wide, const Type& type,
                                const ir::Node& node);
/// A step of the host with the node's operands; where its results lie.
[[nodiscard]] std::vector<Location> emit_host_call(Context& context, const ir::Node& node,
                                                   const ir::StackedCall& stacked);
void lower_routine(Context& context, ir::Node& node);
/// Makes a factorisation or solution that has kernels a step of the host, by a call whose operands are the node's,
/// where that is faster: matrices of more than `small` columns on processors.  False: nothing was done.
[[nodiscard]] bool lower_on_host(Context& context, ir::Node& node, MatrixCall call,
                                 std::int64_t small = small_matrix);
void lower_qr(Context& context, ir::Node& node);
void lower_reflector_product(Context& context, ir::Node& node);

}  // namespace partita::lowering
