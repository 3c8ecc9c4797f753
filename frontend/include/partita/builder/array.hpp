// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs built in C++: an Array stands for a value of the function that is being built, and
// functions of Arrays append ops to it.  Operands of elementwise functions are broadcast to a common
// shape as NumPy does (trailing dimensions aligned, extent 1 stretched); element types must agree,
// except that a literal takes the type of what it stands beside.
//
// What is built is the body that runs on this thread: of Program::function, of a map, of a loop.
// Arrays of enclosing bodies may be used; those of a body that has ended, or of another function,
// are refused.  Errors are user errors that name the op, what is expected and what was found.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::build {

/// A number as it was written: an integer keeps its 64 bits.
class Literal {
 public:
  template <class T>
  requires std::floating_point<T> Literal(T number)  // NOLINT(google-explicit-constructor)
      : real_(double(number)) {}
  template <class T>
  requires std::integral<T> Literal(T number)  // NOLINT(google-explicit-constructor)
      : integer_(std::uint64_t(number)),
        kind_(std::is_signed_v<T> && std::int64_t(number) < 0 ? Kind::negative : Kind::positive) {}
  /// As one element of a type; a user error for an integer that an integer type cannot hold.
  [[nodiscard]] HostArray as(DType dtype) const;

 private:
  enum class Kind : std::uint8_t { real, positive, negative };
  double real_ = 0;
  std::uint64_t integer_ = 0;  ///< two's complement
  Kind kind_ = Kind::real;
};

class Array {
 public:
  Array() = default;
  /// A literal: a scalar that takes the type of the other operand, f32 where there is none.
  template <class T>
  requires std::floating_point<T> || std::integral<T> Array(T literal)
      : literal_(literal) {}  // NOLINT(google-explicit-constructor)
  /// Of the body with this number.
  Array(ir::Value value, std::uint64_t body) : value_(value), body_(body) {}

  [[nodiscard]] bool is_literal() const { return body_ == 0; }
  [[nodiscard]] const Literal& literal() const { return literal_; }
  [[nodiscard]] const Type& type() const;  ///< a user error for a literal
  [[nodiscard]] DType dtype() const { return type().dtype; }
  [[nodiscard]] const Dims& dims() const { return type().dims; }
  [[nodiscard]] std::int64_t rank() const { return type().rank(); }
  /// Extent of dimension d; d < 0 counts from the last.
  [[nodiscard]] std::int64_t dim(std::int64_t d) const;
  /// The value as the body that is being built sees it.
  [[nodiscard]] ir::Value value() const;

 private:
  ir::Value value_;
  std::uint64_t body_ = 0;  ///< 0: a literal
  Literal literal_ = 0;
};
using Arrays = std::vector<Array>;

/// From arrays to arrays: the body of a function, of a map, of a loop.
using Body = std::function<Arrays(const Arrays&)>;

// --- Any op -------------------------------------------------------------------------------------

/// Results of an op by its name, for what has no function here.  `results` where the op's result
/// types do not follow from its operands.
Arrays op(std::string_view name, const Arrays& operands, ir::Dict attrs = {},
          std::span<const Type> results = {});
/// The row of the elementwise table by its name, operands broadcast: "add", "compare_lt".
Array elementwise(std::string_view row, const Arrays& operands);

// --- Constants ----------------------------------------------------------------------------------

Array constant(const HostArray& array);
Array full(const Type& type, const Literal& value);
Array full_like(const Array& array, const Literal& value);
inline Array zeros(const Type& type) { return full(type, 0); }
inline Array zeros_like(const Array& array) { return full_like(array, 0); }
/// Element i along `dimension` is i.
Array iota(const Type& type, std::int64_t dimension = 0);

// --- Operators ----------------------------------------------------------------------------------

Array operator+(const Array& a, const Array& b);
Array operator-(const Array& a, const Array& b);
Array operator*(const Array& a, const Array& b);
Array operator/(const Array& a, const Array& b);
Array operator-(const Array& a);
Array operator<(const Array& a, const Array& b);
Array operator<=(const Array& a, const Array& b);
Array operator>(const Array& a, const Array& b);
Array operator>=(const Array& a, const Array& b);
Array equal(const Array& a, const Array& b);
Array not_equal(const Array& a, const Array& b);
/// `a` where the condition holds, else `b`.
Array where(const Array& condition, const Array& a, const Array& b);

}  // namespace partita::build
