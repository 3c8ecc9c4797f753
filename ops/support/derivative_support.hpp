// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What derivative rules of several ops emit: regions on arrays, products of stacks of matrices,
// gathers and scatters along one dimension, and a vjp that follows from a jvp.
#pragma once

#include <functional>

#include "ops/support/support.hpp"
#include "partita/ir/derivative.hpp"

namespace partita::ir::ops {

/// A region of scalars, for each index of arrays of one shape.
[[nodiscard]] Values apply_region(const DerivativeContext& c, const Graph& region,
                                  const Values& arrays);
/// Whether a region gives initial values again when it combines them: padding with them, however
/// much, changes nothing.  False where the values are not constants.
[[nodiscard]] bool absorbs_constants(const Graph& region, std::span<const Value> inits);
/// Slices along one dimension, [from, to) by `step`, of arrays of one shape.
[[nodiscard]] Values slices(const DerivativeContext& c, const Values& arrays, std::size_t d,
                            std::int64_t from, std::int64_t to, std::int64_t step = 1);
/// The arrays' elements along the last dimension, at least one, combined in order by a tree; that
/// dimension is dropped.
[[nodiscard]] Values combine_last(const DerivativeContext& c, const Graph& region, Values arrays);
/// The cotangents of a node's operands by writing it as other ops: `primal` emits them and returns
/// what stands for the results.
[[nodiscard]] Values vjp_of(DerivativeContext& c, const Values& cotangents,
                            const std::function<Values()>& primal);
/// The cotangent of operand 0 by transposing what `jvp` emits for its tangent.
[[nodiscard]] Value transposed_vjp(DerivativeContext& c, Value cotangent,
                                   const std::function<Value(Value)>& jvp);

/// The elements of `v` along dimension d that an array of positions names: result[…, i, …] =
/// v[…, at[…, i, …], …].
[[nodiscard]] Value take_along(const DerivativeContext& c, Value v, Value at, std::int64_t d);
/// Its transpose: an array of that type, of sums of the updates at their positions.
[[nodiscard]] Value put_along(const DerivativeContext& c, const Type& type, Value at, Value updates,
                              std::int64_t d);

/// One number for each component of index vectors, in the type of the indices, whose dimension
/// `vector_dim` holds the components (one alone where there is no such dimension).
[[nodiscard]] Value by_component(const DerivativeContext& c, const I64s& numbers,
                                 const Type& indices, std::int64_t vector_dim);

/// op(a)·op(b) for stacks of matrices; the flags transpose.
[[nodiscard]] Value matrix_product(const DerivativeContext& c, Value a, Value b,
                                   bool transposes_a = false, bool transposes_b = false);
/// The last two dimensions exchanged.
[[nodiscard]] Value matrix_transpose(const DerivativeContext& c, Value v);
/// `v`, conjugated where it is complex.
[[nodiscard]] Value conjugate(const DerivativeContext& c, Value v);
/// One triangle of matrices, with or without the diagonal; zero elsewhere.
[[nodiscard]] Value triangle(const DerivativeContext& c, Value v, bool lower, bool with_diagonal);

}  // namespace partita::ir::ops
