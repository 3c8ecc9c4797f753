// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernel text of scalar code: rows of the elementwise table, conversions, literals, loads and
// stores, as expressions of a C-like language.  A Dialect holds what differs between languages, as
// data.  ScalarText remembers which helper functions its expressions call; prelude_and_helpers()
// gives their definitions, to be put before the kernels.  Loops and statements are not its business.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {

/// A piece of a dialect's prelude; printed when `name` is used, after the pieces it needs.
struct Snippet {
  std::string_view name;
  std::string_view text;
  std::vector<std::string_view> needs = {};
};

/// Text around a value in parentheses.
struct Around {
  std::string_view prefix, suffix;
  [[nodiscard]] std::string of(const std::string& value) const {
    return cat(prefix, value, suffix);
  }
};

/// What differs between C-like languages.
struct Dialect {
  std::string_view name;
  std::string_view always;    ///< first lines of every source: pragmas, type names
  std::string_view with_f64;  ///< follows when f64 occurs
  /// saturate_i8 (saturate_i8_f32 where that is another), …; also exp_f32, clz_i8, …: functions that rows call, where
  /// the language does not have them for all types under one name; and f16_value, f16_bits, round_f16,
  /// … where there is something faster than small_float_text.hpp has for any format.
  std::vector<Snippet> snippets;
  std::string_view function;     ///< put before a helper's result type: "static inline "
  std::string_view long_suffix;  ///< of 64-bit literals
  /// Bits of a float as an integer of the same width, and back: prefixes of "(x)"; by dtype name.
  std::map<std::string_view, std::string_view> reinterpret;
  std::string_view make_c64, make_c128;  ///< prefixes of "(re, im)"
  Around real, imag;                     ///< select the parts of a complex value
  /// Names of types of several elements without their number, by the stored element's; empty where
  /// neighbours are not read and written as one.  Their elements are .s0, .s1, … .sf.
  std::map<std::string_view, std::string_view> wide;

  [[nodiscard]] bool has_snippet(std::string_view snippet) const;
};

class ScalarText {
 public:
  explicit ScalarText(const Dialect& dialect) : dialect_(dialect) {}

  /// Value of row `row` (its name in elementwise.def) over elements of dtype d.  Operands are C
  /// expressions of value_type(operand dtype); the result is one of value_type(result dtype), already
  /// rounded to the result dtype.  An operand may be repeated in the text, so pass names of variables.
  /// Operands are put in parentheses where needed; the result is not: it may hold operators as weak
  /// as ?:, so assign it to a variable or put it in parentheses.
  [[nodiscard]] std::string apply(std::string_view row, DType d,
                                  std::span<const std::string> operands);
  /// StableHLO's convert; floats saturate to integers.  Result as apply's.
  [[nodiscard]] std::string convert(const std::string& x, DType from, DType to);
  /// The bits of x as another dtype of the same width.
  [[nodiscard]] std::string bitcast(const std::string& x, DType from, DType to);
  /// The element whose stored bits are the low bits of `bits` (c64: real part in the low half).  A
  /// primary expression of value_type(d).  c128 is refused.
  [[nodiscard]] std::string literal(DType d, std::uint64_t bits);

  /// Type of a local variable: what d is computed in, f32 of small floats, i8 of i4.
  [[nodiscard]] std::string value_type(DType d);
  /// What a pointer to elements in memory points to: unsigned bits of small floats, ui8 of i1, i8 of i4.
  [[nodiscard]] std::string stored_type(DType d);
  /// Element `index` of `pointer`, an expression of stored_type(d)*, in any address space.
  [[nodiscard]] std::string load(DType d, const std::string& pointer, const std::string& index);
  /// An assignment without semicolon.
  [[nodiscard]] std::string store(DType d, const std::string& pointer, const std::string& index,
                                  const std::string& value);
  /// The type of `width` neighbours in memory, read and written as one.
  [[nodiscard]] std::string wide_type(DType d, int width);
  /// These, from element `index` of a buffer on, as a value of their type.
  [[nodiscard]] std::string wide_load(DType d, int width, const std::string& pointer,
                                      const std::string& index);
  /// One of such a variable, as load() gives it.
  [[nodiscard]] std::string wide_element(DType d, const std::string& variable, int lane);
  /// An assignment without semicolon.
  [[nodiscard]] std::string wide_store(DType d, const std::string& pointer,
                                       const std::string& index,
                                       std::span<const std::string> values, bool is_local);
  /// Type of `width` (2, 4, 8 or 16) elements of one of vector_dtypes as one value.
  [[nodiscard]] std::string vector_type(DType d, int width);
  /// Call of a vector operation of the dialect (load, store, splat, fma, sum; of floats maximum and choose).
  [[nodiscard]] std::string vector_call(std::string_view operation, DType d, int width,
                                        std::string_view arguments);
  /// x * y + z, rounded once; of floats.
  [[nodiscard]] std::string multiply_add(DType d, const std::string& x, const std::string& y,
                                         const std::string& z);
  /// Rounds an f32 value to a small float, wraps one to a narrow integer (others: unchanged): for results
  /// computed otherwise than by apply, such as accumulators kept in f32.
  [[nodiscard]] std::string round(DType d, const std::string& x);

  /// The name of a snippet of the dialect, which is defined from now on.
  [[nodiscard]] std::string snippet(std::string_view name) {
    use(name);
    return std::string(name);
  }

  /// Whether anything of f64 or c128 was asked for, so that the device must have it.
  [[nodiscard]] bool uses_f64() const { return uses_f64_; }
  /// Type names and every helper function used so far, in an order that C accepts.  The same calls
  /// in another order may give another order of helpers.
  [[nodiscard]] std::string prelude_and_helpers() const;

 private:
  std::string substitute(std::string_view text, DType d, std::span<const std::string> operands);
  std::string substitute_name(std::string_view name, std::string_view& rest, DType d,
                              std::span<const std::string> operands);
  std::string number(DType d, double value);
  std::string from_stored(DType d, const std::string& element);
  std::string to_stored(DType d, const std::string& value);
  std::string make_complex(DType d, const std::string& real, const std::string& imag);
  std::string from_complex(const std::string& x, DType from, DType to);
  std::string reinterpret(const std::string& x, DType to);
  std::string define_helper(std::string_view helper, DType d);
  std::string call(std::string_view snippet, const std::string& argument);
  void use(std::string_view snippet);
  void note(DType d) { uses_f64_ = uses_f64_ || d == DType::f64 || d == DType::c128; }

  const Dialect& dialect_;
  bool uses_f64_ = false;
  std::set<std::string, std::less<>> defined_;
  std::string snippets_, helpers_;
};

}  // namespace partita::kernel
