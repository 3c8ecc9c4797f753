// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Movement along slices: each slice takes values, or parts of them, from slices that a table names.  What
// comes out the same in every slice stays unbatched.
#pragma once

#include "ir/axes/dim_edit.hpp"
#include "partita/ir/factor_transform.hpp"

namespace partita::ir {

/// One row per slice.
using SliceTable = std::vector<I64s>;

struct BatchMoves {
  const BatchContext& context;

  [[nodiscard]] Maker maker() const { return {context.into, context.before}; }

  /// [k, value…]: slice p gets the values of the slices of row p; rows are of one length.
  [[nodiscard]] BatchedValue take(const BatchedValue& v, const SliceTable& slices) const;
  /// The same from the leading dimension of an array that all slices see.
  [[nodiscard]] BatchedValue take_from(Value all, const SliceTable& rows) const;
  /// Slice p gets the value of one slice, or zeros where that is -1.
  [[nodiscard]] BatchedValue take_or_zero(const BatchedValue& v, const I64s& slices) const;
  /// The box of these extents that begins at each slice's start.
  [[nodiscard]] BatchedValue pieces(const BatchedValue& v, const SliceTable& starts,
                                    const Dims& extents) const;
  /// The whole of pieces that the slices of row p hold, in row-major order of the pieces.
  [[nodiscard]] BatchedValue assemble(const BatchedValue& v, const SliceTable& holders,
                                      const Dims& pieces) const;
  /// Values of the slices of row p combined in order; rows may differ in length.
  [[nodiscard]] BatchedValue combine(const BatchedValue& v, const SliceTable& slices,
                                     const Graph& region) const;
  /// Dimension `from` becomes the outer part of dimension `into` (counted without it).
  [[nodiscard]] BatchedValue merge(const BatchedValue& v, std::size_t from, std::size_t into) const;
  /// [slices * count, part…]: every slice's value in `count` parts along d.
  [[nodiscard]] Value split_parts(const BatchedValue& v, std::size_t d, std::int64_t count) const;

 private:
  [[nodiscard]] BatchedValue reduced(const BatchedValue& v, const SliceTable& slices,
                                     const Graph& region, Combiner combiner) const;
  [[nodiscard]] BatchedValue folded(const BatchedValue& v, const SliceTable& slices,
                                    const Graph& region) const;
  [[nodiscard]] Value constant(const SliceTable& rows, const Dims& dims) const;
  [[nodiscard]] Value apply(const Graph& region, Value a, Value b) const;
};

}  // namespace partita::ir
