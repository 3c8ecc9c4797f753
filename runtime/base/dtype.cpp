// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/dtype.hpp"

#include <algorithm>
#include <bit>

#include "partita/base/error.hpp"

namespace partita {

namespace {

/// What the table cannot say by itself: each row's columns fit each other.
constexpr bool is_consistent() {
  for (const DTypeInfo& row : dtype_infos) {
    const bool has_format = row.format.exponent_bits > 0;
    if (has_format != (row.kind == Kinds::floating)) return false;
    if (row.bits < 1 || row.bits > 8 * int(row.bytes)) return false;
    // Such integers are looked for by their number of bits.
    if (is_integer(DType(&row - dtype_infos.data())) && row.kind == (&row)[-1].kind &&
        row.bits <= (&row)[-1].bits)
      return false;
    // The other sign of an integer has as many.
    const auto has_as_many = [&](const DTypeInfo& other) {
      return other.bits == row.bits && intersects(other.kind, Kinds::integer) &&
             other.kind != row.kind;
    };
    if (intersects(row.kind, Kinds::integer) && std::ranges::none_of(dtype_infos, has_as_many))
      return false;
    // Each of its own.
    for (const DTypeInfo& other : dtype_infos)
      if (&other != &row && (other.text == row.text || other.c_number == row.c_number))
        return false;
  }
  return true;
}
static_assert(is_consistent(),
              "dtype.def: formats of floats are theirs alone and fit into memory; wider integers "
              "follow, and have both signs; spellings and numbers of C are each of one row");

}  // namespace

std::optional<DType> parse_dtype(std::string_view text) {
  for (DType d : all_dtypes)
    if (info(d).text == text || info(d).name == text) return d;
  return std::nullopt;
}

std::uint64_t encode_float(DType d, double x) {
  return visit(d, [&](auto dtype) -> std::uint64_t {
    if constexpr (is_small_float(dtype))
      return SmallFloatOf<dtype>::encode(x);
    else if constexpr (is_float(dtype))
      return std::bit_cast<StorageType<bits_dtype(dtype)>>(ValueType<dtype>(x));
    else
      throw_internal_error(cat("the bits of a float of ", to_string(d)));
  });
}

double decode_float(DType d, std::uint64_t bits) {
  return visit(d, [&](auto dtype) -> double {
    if constexpr (is_small_float(dtype))
      return SmallFloatOf<dtype>::decode(StorageType<dtype>(bits));
    else if constexpr (is_float(dtype))
      return std::bit_cast<ValueType<dtype>>(StorageType<bits_dtype(dtype)>(bits));
    else
      throw_internal_error(cat("a float of the bits of ", to_string(d)));
  });
}

}  // namespace partita
