// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where the elements of a contraction's operands and of its result are, and how they lie there.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/core/contraction.hpp"
#include "lowering/values/values.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::lowering {

/// Index of a contraction's operand from linear indices of batch, free and contracted dimensions.
struct OperandIndex {
  const Dims& dims;
  const ir::I64s &batch, &free, &contracting;
  [[nodiscard]] std::vector<scalar::ExprId> at(scalar::ExprPool& pool, scalar::ExprId b,
                                               scalar::ExprId f, scalar::ExprId c) const;
};
/// Index of an epilogue's root where the contraction's result is at (batch, row, column).
[[nodiscard]] std::vector<scalar::ExprId> root_index(scalar::ExprPool& pool,
                                                     const Epilogue& epilogue, scalar::ExprId b,
                                                     scalar::ExprId row, scalar::ExprId column);

/// How elements of an expression lie along an index variable.
enum class Along : std::uint8_t { constant, contiguous, scattered };
[[nodiscard]] Along along(const scalar::ExprPool& pool, scalar::ExprId id, std::int32_t variable);

}  // namespace partita::lowering
