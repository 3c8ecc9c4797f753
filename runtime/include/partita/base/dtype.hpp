// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Element types, their kinds, and the conversion between memory and scalar values.  Everything in
// partita that depends on an element type expands or visits the table in dtype.def.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "partita/base/small_float.hpp"

namespace partita {

/// Sets of element kinds; one bit each.
enum class Kinds : unsigned {
  none = 0,
  floating = 1,
  signed_ = 2,
  unsigned_ = 4,
  boolean = 8,
  complex = 16,
  integer = signed_ | unsigned_,
  number = floating | integer,
  bits = integer | boolean,
  any = number | boolean | complex,
};
constexpr Kinds operator|(Kinds a, Kinds b) { return Kinds(unsigned(a) | unsigned(b)); }
constexpr Kinds operator&(Kinds a, Kinds b) { return Kinds(unsigned(a) & unsigned(b)); }
constexpr bool intersects(Kinds a, Kinds b) { return (a & b) != Kinds::none; }

enum class DType : std::uint8_t {
#define PARTITA_DTYPE(name, ...) name,
#include "partita/base/dtype.def"
};

/// How NumPy writes the type in .npy files.
struct NumpyCode {
  std::string_view text;  ///< kind and bytes, without the byte order
  bool is_numpys;         ///< NumPy knows it without the package ml_dtypes
};

struct DTypeInfo {
  std::string_view name;  ///< enumerator, also the C spelling in kernel text
  std::string_view text;  ///< StableHLO spelling
  Kinds kind;
  int bits;            ///< width of one element
  DType value;         ///< dtype whose C type is ValueType: what a kernel's local variable has
  DType stored;        ///< dtype whose C type is StorageType: what a kernel's pointer points to
  DType part;          ///< of complex numbers that of their parts; others: itself
  std::size_t bytes;   ///< bytes of one element in memory
  FloatFormat format;  ///< of floats
  NumpyCode numpy;
  int c_number;  ///< value of the C ABI's enumerator
};

template <class T>
inline constexpr bool is_std_complex = false;
template <class T>
inline constexpr bool is_std_complex<std::complex<T>> = true;

template <class T>
inline constexpr Kinds kind_of = std::same_as<T, bool>         ? Kinds::boolean
                                 : is_std_complex<T>           ? Kinds::complex
                                 : std::is_floating_point_v<T> ? Kinds::floating
                                 : std::is_signed_v<T>         ? Kinds::signed_
                                                               : Kinds::unsigned_;

namespace detail {
// What the columns of the table call.
struct Format {
  FloatFormat floating = {};
  int integer_bits = 0;  ///< of integers of fewer bits than their C++ type
};
inline constexpr Format none{};
constexpr Format ieee(int exponent_bits, int mantissa_bits) {
  return {{exponent_bits, mantissa_bits, Specials::ieee}};
}
constexpr Format finite(int exponent_bits, int mantissa_bits) {
  return {{exponent_bits, mantissa_bits, Specials::last_nan}};
}
constexpr Format fnuz(int exponent_bits, int mantissa_bits, int bias) {
  const FloatFormat usual{exponent_bits, mantissa_bits, Specials::zero_nan};
  return {{exponent_bits, mantissa_bits, Specials::zero_nan, bias - usual.bias()}};
}
constexpr Format numbers(int exponent_bits, int mantissa_bits) {
  return {{exponent_bits, mantissa_bits, Specials::none}};
}
constexpr Format powers(int exponent_bits) {
  return {{exponent_bits, 0, Specials::last_nan, 0, false}};
}
constexpr Format integer(int bits) { return {.integer_bits = bits}; }
constexpr NumpyCode numpy(std::string_view text) { return {text, true}; }
constexpr NumpyCode ml_dtypes(std::string_view text) { return {text, false}; }

/// The dtype whose elements are values of T as they are (bool: i1).
template <class T>
constexpr DType dtype_of() {
#define PARTITA_DTYPE(name, text, Storage, Value, format, ...)                           \
  if (std::same_as<T, Value> &&                                                          \
      (std::same_as<Value, Storage> || std::same_as<T, bool>)&&format.integer_bits == 0) \
    return DType::name;
#include "partita/base/dtype.def"
  __builtin_unreachable();
}

template <class T>
struct PartOf {
  using Type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using Type = T;
};

template <DType>
struct TypesOf;
#define PARTITA_DTYPE(name, text, Storage_, Value_, ...) \
  template <>                                            \
  struct TypesOf<DType::name> {                          \
    using Storage = Storage_;                            \
    using Value = Value_;                                \
  };
#include "partita/base/dtype.def"

template <DType d, class Storage, class Value>
constexpr DTypeInfo row(std::string_view name, std::string_view text, Format format,
                        NumpyCode numpy, int c_number) {
  const bool is_float = kind_of<Value> == Kinds::floating;
  return {.name = name,
          .text = text,
          .kind = kind_of<Value>,
          .bits = std::same_as<Value, bool>  ? 1
                  : is_float                 ? format.floating.bits()
                  : format.integer_bits != 0 ? format.integer_bits
                                             : 8 * int(sizeof(Storage)),
          .value = dtype_of<Value>(),
          .stored = dtype_of<Storage>(),
          .part = is_std_complex<Value> ? dtype_of<typename PartOf<Value>::Type>() : d,
          .bytes = sizeof(Storage),
          .format = format.floating,
          .numpy = numpy,
          .c_number = c_number};
}

inline constexpr std::array table{
#define PARTITA_DTYPE(name, text, Storage, Value, format, numpy, c_name, c_number) \
  row<DType::name, Storage, Value>(#name, text, format, numpy, c_number),
#include "partita/base/dtype.def"
};
}  // namespace detail

template <DType d>
using StorageType = typename detail::TypesOf<d>::Storage;
template <DType d>
using ValueType = typename detail::TypesOf<d>::Value;

inline constexpr const auto& dtype_infos = detail::table;

inline constexpr std::array all_dtypes{
#define PARTITA_DTYPE(name, ...) DType::name,
#include "partita/base/dtype.def"
};

[[nodiscard]] constexpr const DTypeInfo& info(DType d) { return dtype_infos[std::size_t(d)]; }
/// StableHLO spelling, such as "f32" or "complex<f32>".
[[nodiscard]] constexpr std::string_view to_string(DType d) { return info(d).text; }
[[nodiscard]] constexpr std::size_t byte_size(DType d) { return info(d).bytes; }
[[nodiscard]] constexpr bool is_float(DType d) { return info(d).kind == Kinds::floating; }
[[nodiscard]] constexpr bool is_integer(DType d) {
  return intersects(info(d).kind, Kinds::integer);
}
[[nodiscard]] constexpr bool is_complex(DType d) { return info(d).kind == Kinds::complex; }
/// Type of the parts of a complex dtype; other dtypes are their own.
[[nodiscard]] constexpr DType part_dtype(DType d) { return info(d).part; }
/// A float that scalar code computes in a wider dtype, and rounds after each operation.
[[nodiscard]] constexpr bool is_small_float(DType d) { return is_float(d) && info(d).value != d; }

/// An integer that scalar code computes in a wider dtype, and of which it keeps the low bits.
[[nodiscard]] constexpr bool is_narrow_integer(DType d) {
  return is_integer(d) && info(d).value != d;
}

/// What sums of elements of d are kept in, and rounded to d once: the dtype that scalar code computes in.
[[nodiscard]] constexpr DType accumulator_dtype(DType d) { return info(d).value; }
/// Sums of so few terms are rounded after each step, as regions and products say; longer ones are
/// accumulated in accumulator_dtype().
inline constexpr std::int64_t few_terms = 16;
/// What collectives send and combine in place of d: sums are rounded to d when all have been added.
[[nodiscard]] constexpr DType travel_dtype(DType d) { return accumulator_dtype(d); }

/// The narrowest dtype of a kind, signed_ or unsigned_, of at least so many bits; else the widest.
[[nodiscard]] constexpr DType integer_dtype(Kinds kind, int bits) {
  DType found{};
  for (const DType d : all_dtypes) {
    if (info(d).kind != kind) continue;
    found = d;
    if (info(d).bits >= bits) break;
  }
  return found;
}
/// The unsigned dtype that holds the bits of an element of d, which is not complex.
[[nodiscard]] constexpr DType bits_dtype(DType d) {
  return integer_dtype(Kinds::unsigned_, info(d).bits);
}

/// The dtype that StableHLO spells `text` (also accepts the enumerator), or nothing.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text);
/// Whether an array of `from` that was read from a .npy file may be one of `to` as it is: they share a code
/// that says no more than the number of bytes.
[[nodiscard]] constexpr bool in_place_of(DType to, DType from) {
  return to == from || (!info(to).numpy.is_numpys && info(to).numpy.text == info(from).numpy.text);
}
/// The bits of the element of a float dtype that is nearest to x, and what such bits stand for.
[[nodiscard]] std::uint64_t encode_float(DType d, double x);
[[nodiscard]] double decode_float(DType d, std::uint64_t bits);

/// Encoding and decoding of a small float.
template <DType d>
using SmallFloatOf = SmallFloat<info(d).format>;

/// What memory holds of an element of d, whose own bits are the low ones of `bits`: narrow integers are
/// extended, all other bits zero.  Complex numbers are none of them.
[[nodiscard]] constexpr std::uint64_t stored_bits(DType d, std::uint64_t bits) {
  const int own = info(d).bits, all = 8 * int(info(d).bytes);
  const auto low = [](int n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; };
  bits &= low(own);
  const bool extends = is_narrow_integer(d) && info(d).kind == Kinds::signed_;
  return extends && (bits >> (own - 1) & 1) != 0 ? bits | (low(all) & ~low(own)) : bits;
}

/// The least and the greatest number of an integer dtype, or of i1.
template <DType d>
inline constexpr auto lowest_integer = ValueType<d>(info(d).kind == Kinds::signed_
                                                        ? ValueType<d>(~std::uint64_t{0}
                                                                       << (info(d).bits - 1))
                                                        : ValueType<d>(0));
template <DType d>
inline constexpr auto highest_integer = ValueType<d>(~std::uint64_t{0} >>
                                                     (64 - info(d).bits +
                                                      (info(d).kind == Kinds::signed_ ? 1 : 0)));

/// Rounds a value to what `d` can hold: only small floats and narrow integers compute in a wider type.
template <DType d, class T>
[[nodiscard]] constexpr ValueType<d> round_to(T x) {
  if constexpr (is_small_float(d)) {
    return SmallFloatOf<d>::decode(SmallFloatOf<d>::encode(double(x)));
  } else if constexpr (is_narrow_integer(d)) {
    constexpr int unused = 8 * int(sizeof(ValueType<d>)) - info(d).bits;
    return ValueType<d>(ValueType<d>(unsigned(ValueType<d>(x)) << unused) >> unused);
  } else {
    return ValueType<d>(x);
  }
}

/// Element i of an array in memory, as the value scalar code computes with.
template <DType d>
[[nodiscard]] ValueType<d> load(const StorageType<d>* data, std::size_t i) {
  if constexpr (info(d).kind == Kinds::boolean)
    return data[i] != 0;
  else if constexpr (is_small_float(d))
    return SmallFloatOf<d>::decode(data[i]);
  else
    return data[i];
}

template <DType d>
void store(ValueType<d> x, StorageType<d>* data, std::size_t i) {
  if constexpr (is_small_float(d))
    data[i] = SmallFloatOf<d>::encode(double(x));
  else
    data[i] = StorageType<d>(round_to<d>(x));
}

/// Calls f(integral_constant<DType, d>) for the run-time `d`.
template <class F>
decltype(auto) visit(DType d, F&& f) {
  switch (d) {
#define PARTITA_DTYPE(name, ...) \
  case DType::name:              \
    return f(std::integral_constant<DType, DType::name>{});
#include "partita/base/dtype.def"
  }
  __builtin_unreachable();
}

}  // namespace partita
