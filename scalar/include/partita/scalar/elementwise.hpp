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

namespace partita::scalar {

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

/// Marks a case that is not for small floats.
inline constexpr Kinds no_small_floats = Kinds(1u << 8);

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
    return intersects(kinds(), info(d).kind) &&
           !(is_small_float(d) && intersects(kinds(), no_small_floats));
  }
};

[[nodiscard]] std::span<const ElementwiseRow> elementwise_rows();
/// By row name; an internal error when there is none.
[[nodiscard]] const ElementwiseRow& elementwise_row(std::string_view name);
/// What operand k and the result hold in a row over elements of type d.
[[nodiscard]] DType operand_dtype(Signature s, DType d, int k);
[[nodiscard]] DType result_dtype(Signature s, DType d);

/// Bits of a float's mantissa without the implied one (of complex numbers: of their parts); else 0.
[[nodiscard]] constexpr int mantissa_bits(DType d) {
  return info(part_dtype(d)).format.mantissa_bits;
}

/// IEEE-754's emin of a float's format; else 0.
[[nodiscard]] constexpr int smallest_exponent(DType d) {
  return is_float(d) ? info(d).format.emin() : 0;
}

/// By how much of its value a result may differ that was computed in another order, as tests and
/// comparisons take it; of numbers that are no floats: nothing.
[[nodiscard]] constexpr double relative_tolerance(DType d) {
  const int bits = mantissa_bits(d);
  if (!is_float(part_dtype(d))) return 0;
  if (bits >= 52) return 1e-10;
  if (bits >= 23) return 1e-4;
  if (bits >= 10) return 1e-3;
  if (bits >= 7) return 1e-2;
  return 1.0 / (1 << bits);  // one unit in the last place
}
/// Whether small results of a float dtype have fewer digits, since its exponents end where those of f32
/// go on: what they may differ by is relative_tolerance() of 1.
[[nodiscard]] constexpr bool has_few_exponents(DType d) {
  return is_small_float(d) &&
         info(d).format.exponent_bits < info(info(d).value).format.exponent_bits;
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

}  // namespace partita::scalar
