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

struct DTypeInfo {
  std::string_view name;  ///< enumerator, also the C spelling in kernel text
  std::string_view text;  ///< StableHLO spelling
  Kinds kind;
  int bits;
  DType value, stored;
  std::size_t bytes;  ///< bytes of one element in memory
};

inline constexpr std::array dtype_infos{
#define PARTITA_DTYPE(name, text, kind, bits, Storage, Value, value, stored) \
  DTypeInfo{#name, text, kind, bits, DType::value, DType::stored, sizeof(Storage)},
#include "partita/base/dtype.def"
};

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

/// What sums of elements of d are kept in, and rounded to d once: the dtype that scalar code computes in.
[[nodiscard]] constexpr DType accumulator_dtype(DType d) { return info(d).value; }
/// Sums of so few terms are rounded after each step, as regions and products say; longer ones are
/// accumulated in accumulator_dtype().
inline constexpr std::int64_t few_terms = 16;

/// The dtype StableHLO spells `text` (also accepts the enumerator and "u8"-style names), or nothing.
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text);

namespace detail {
template <DType>
struct TypesOf;
#define PARTITA_DTYPE(name, text, kind, bits, Storage_, Value_, ...) \
  template <>                                                        \
  struct TypesOf<DType::name> {                                      \
    using Storage = Storage_;                                        \
    using Value = Value_;                                            \
  };
#include "partita/base/dtype.def"
}  // namespace detail

template <DType d>
using StorageType = typename detail::TypesOf<d>::Storage;
template <DType d>
using ValueType = typename detail::TypesOf<d>::Value;

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

/// Rounds a value to what `d` can hold: only f16 and bf16 compute in a wider type.
template <DType d, class T>
[[nodiscard]] ValueType<d> round_to(T x) {
  if constexpr (d == DType::f16)
    return Float16::decode(Float16::encode(double(x)));
  else if constexpr (d == DType::bf16)
    return BFloat16::decode(BFloat16::encode(double(x)));
  else
    return ValueType<d>(x);
}

/// Element i of an array in memory, as the value scalar code computes with.
template <DType d>
[[nodiscard]] ValueType<d> load(const StorageType<d>* data, std::size_t i) {
  if constexpr (d == DType::i1)
    return data[i] != 0;
  else if constexpr (d == DType::f16)
    return Float16::decode(data[i]);
  else if constexpr (d == DType::bf16)
    return BFloat16::decode(data[i]);
  else
    return data[i];
}

template <DType d>
void store(ValueType<d> x, StorageType<d>* data, std::size_t i) {
  if constexpr (d == DType::f16)
    data[i] = Float16::encode(double(x));
  else if constexpr (d == DType::bf16)
    data[i] = BFloat16::encode(double(x));
  else
    data[i] = StorageType<d>(x);
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
