// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Scalar code that exists compiled: rows of the elementwise table and conversions as loops over
// dense arrays, elements as dtype.def stores them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "partita/base/dtype.hpp"

namespace partita {

/// Applies a row to n elements.  The result may be one of the operands, else overlaps none.
using ElementwiseFn = void (*)(const void* const* operands, void* result, std::size_t n);
/// Of the row with this name over elements of type d; null where there is none.
[[nodiscard]] ElementwiseFn row_function(std::string_view row, DType d);
/// How many operands the row of that name takes; 0: there is none.
[[nodiscard]] int row_arity(std::string_view row);
/// Bytes of one element of each operand and of the result.
struct RowBytes {
  std::array<std::size_t, 3> operands{};
  std::size_t result = 0;
};
[[nodiscard]] RowBytes row_bytes(std::string_view row, DType d);
/// Of row `row`, counted from 0 in the order of the table.
[[nodiscard]] ElementwiseFn row_function(std::size_t row, DType d);

/// StableHLO's convert of n elements; the result overlaps the operand nowhere.
using ConversionFn = void (*)(const void* from, void* to, std::size_t n);
[[nodiscard]] ConversionFn conversion_function(DType from, DType to);

}  // namespace partita
