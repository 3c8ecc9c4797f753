// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What values an expression may have: what the pool's simplification of indices asks.
#pragma once

#include "partita/scalar/expr.hpp"

namespace partita::scalar {

/// Of expressions that address.
[[nodiscard]] bool is_index(ExprKind kind);
/// What an integer element can hold.
[[nodiscard]] ExprPool::Bounds dtype_bounds(DType d);
/// Value of an integer or boolean element constant.
[[nodiscard]] std::int64_t integer_value(const Expr& e);

}  // namespace partita::scalar
