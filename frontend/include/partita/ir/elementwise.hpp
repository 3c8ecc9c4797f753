// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The table of elementwise operations as data: what frontend/ops/elementwise.def declares.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "partita/base/dtype.hpp"

namespace partita::ir {

enum class Signature : std::uint8_t {
  unary,       ///< T(T)
  binary,      ///< T(T, T)
  ternary,     ///< T(T, T, T)
  test,        ///< i1(T)
  compare,     ///< i1(T, T)
  choice,      ///< T(i1, T, T)
  part,        ///< real part type of complex T (T)
  compose,     ///< complex of float T (T, T)
};

[[nodiscard]] constexpr int arity(Signature s) {
  using enum Signature;
  return s == unary || s == test || s == part ? 1 : s == ternary || s == choice ? 3 : 2;
}

/// An expression for the kinds of dtype it is for; C++ and OpenCL C at once.
struct RowCase {
  Kinds kinds = Kinds::none;
  std::string_view text;
};

struct SampleRange {
  double low, high;
};

struct ElementwiseRow {
  std::string_view name;      ///< row name: "add", "and_", "compare_lt"
  std::string_view op;        ///< op it serves: "stablehlo.add"; comparisons share stablehlo.compare
  Signature signature;
  std::array<RowCase, 5> cases;
  std::array<SampleRange, 3> samples;
  int ulp;  ///< how far another implementation's result may be from the interpreter's
  std::string_view doc;
  std::string_view gradient;  ///< text of the GRAD column (used by autodiff)

  [[nodiscard]] constexpr Kinds kinds() const {
    Kinds all = Kinds::none;
    for (const RowCase& c : cases) all = all | c.kinds;
    return all;
  }
  [[nodiscard]] constexpr bool accepts(DType d) const { return intersects(kinds(), info(d).kind); }
};

[[nodiscard]] std::span<const ElementwiseRow> elementwise_rows();
/// By row name; an internal error when there is none.
[[nodiscard]] const ElementwiseRow& elementwise_row(std::string_view name);
/// What operand k and the result hold in a row over elements of type d.
[[nodiscard]] DType operand_dtype(Signature s, DType d, int k);
[[nodiscard]] DType result_dtype(Signature s, DType d);

/// Applies a row to n elements; null where the row does not accept the dtype.
using ElementwiseFn = void (*)(const void* const* operands, void* result, std::size_t n);
[[nodiscard]] ElementwiseFn elementwise_function(const ElementwiseRow& row, DType d);

}  // namespace partita::ir
