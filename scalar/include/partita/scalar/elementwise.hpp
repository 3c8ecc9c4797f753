// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The table of elementwise operations as data: what scalar/elementwise.def declares, and the
// helper functions of scalar/helpers/ that its expressions call.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "partita/base/dtype.hpp"
#include "partita/base/element_functions.hpp"

namespace partita::ir {

class Node;
struct FactorRule;

enum class Signature : std::uint8_t {
  unary,    ///< T(T)
  binary,   ///< T(T, T)
  ternary,  ///< T(T, T, T)
  test,     ///< i1(T)
  compare,  ///< i1(T, T)
  choice,   ///< T(i1, T, T)
  part,     ///< R(T), R the part type of complex T, T itself for others
  compose,  ///< complex of float T (T, T)
};

[[nodiscard]] constexpr int arity(Signature s) {
  using enum Signature;
  return s == unary || s == test || s == part ? 1 : s == ternary || s == choice ? 3 : 2;
}

/// Marks a case that is not for f16 and bf16.
inline constexpr Kinds no_16_bit_floats = Kinds(1u << 8);

/// An expression for the kinds of dtype it is for; C++ and OpenCL C at once.
struct RowCase {
  Kinds kinds = Kinds::none;
  std::string_view text;
};

struct SampleRange {
  double low, high;
};

struct ElementwiseRow {
  std::string_view name;  ///< row name: "add", "and_", "compare_lt"
  std::string_view op;    ///< op it serves: "stablehlo.add"; comparisons share stablehlo.compare
  Signature signature;
  std::array<RowCase, 5> cases;
  std::array<SampleRange, 3> samples;
  int ulp;   ///< how far another implementation's result may be from the interpreter's
  int cost;  ///< of an element, in simple operations
  std::string_view doc;
  std::string_view gradient;  ///< text of the GRAD column (used by autodiff)

  [[nodiscard]] constexpr Kinds kinds() const {
    Kinds all = Kinds::none;
    for (const RowCase& c : cases) all = all | c.kinds;
    return all;
  }
  [[nodiscard]] constexpr bool accepts(DType d) const {
    const bool is_16_bit_float = is_float(d) && info(d).bits == 16;
    return intersects(kinds(), info(d).kind) &&
           !(is_16_bit_float && intersects(kinds(), no_16_bit_floats));
  }
};

[[nodiscard]] std::span<const ElementwiseRow> elementwise_rows();
/// By row name; an internal error when there is none.
[[nodiscard]] const ElementwiseRow& elementwise_row(std::string_view name);
/// The row that says what a node of an elementwise op computes (of stablehlo.compare: by its
/// direction; null for a total order of floats, which takes several rows); null for other ops.
[[nodiscard]] const ElementwiseRow* row_of(const Node& node);
/// What operand k and the result hold in a row over elements of type d.
[[nodiscard]] DType operand_dtype(Signature s, DType d, int k);
[[nodiscard]] DType result_dtype(Signature s, DType d);
/// Type of the parts of a complex dtype; other dtypes are their own.
[[nodiscard]] constexpr DType part_dtype(DType d) {
  return d == DType::c64 ? DType::f32 : d == DType::c128 ? DType::f64 : d;
}

/// Bits of a float's mantissa without the implied one (of complex numbers: of their parts); else 0.
[[nodiscard]] constexpr int mantissa_bits(DType d) {
  switch (part_dtype(d)) {
    case DType::f16:
      return 10;
    case DType::bf16:
      return 7;
    case DType::f32:
      return 23;
    case DType::f64:
      return 52;
    default:
      return 0;
  }
}

/// Applies a row to n elements; null where the row does not accept the dtype.
[[nodiscard]] ElementwiseFn elementwise_function(const ElementwiseRow& row, DType d);

/// A function that rows call, as C++ and OpenCL C text; see scalar/helpers/real.h.
struct ScalarHelper {
  enum class Domain : std::uint8_t { real, integer, complex } domain;
  std::string_view result;  ///< "T" or "R"
  std::string_view name;
  std::string_view parameters;  ///< "(T x, T y)"
  std::string_view body;        ///< "{ … }", as the file has it
};
[[nodiscard]] std::span<const ScalarHelper> scalar_helpers();

/// Rule of a node whose results and operands share their dimensions one by one; an operand of rank 0
/// beside a result of another rank has no dimensions to share.
[[nodiscard]] FactorRule pointwise_factors(const Node& node);

}  // namespace partita::ir
