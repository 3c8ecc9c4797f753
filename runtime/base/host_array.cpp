// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/host_array.hpp"

#include <cmath>

#include "partita/base/element_functions.hpp"
#include "partita/base/error.hpp"

namespace partita {

namespace {

// Float to integer: towards zero, saturating, NaN to 0.
template <DType to, class From>
ValueType<to> to_integer(From x) {
  if (std::isnan(x)) return 0;
  // The lowest value and one more than the highest are powers of two (or 0), exact in any float.
  const From low = From(lowest_integer<to>);
  const From high = std::ldexp(From(1), info(to).bits - (info(to).kind == Kinds::signed_ ? 1 : 0));
  if (x < low) return lowest_integer<to>;
  if (x >= high) return highest_integer<to>;
  return ValueType<to>(x);
}

// Exact where a double holds it, else rounded to odd, after which rounding to a small float is as if done once.
template <class From>
double widened(From x) {
  if constexpr (std::integral<From> && sizeof(From) == 8) {
    constexpr From low_bits = 0x7ff;
    const bool is_exact = std::abs(double(x)) < 0x1p53 || (x & low_bits) == 0;
    return double(is_exact ? x : From((x & ~low_bits) | (low_bits + 1)));
  } else {
    return double(x);
  }
}

template <DType to, DType from>
ValueType<to> convert_value(ValueType<from> x) {
  using To = ValueType<to>;
  constexpr Kinds to_kind = info(to).kind, from_kind = info(from).kind;
  if constexpr (from_kind == Kinds::complex) {
    if constexpr (to_kind == Kinds::complex)
      return To(x);
    else
      return convert_value<to, part_dtype(from)>(x.real());
  } else if constexpr (to_kind == Kinds::boolean) {
    return x != ValueType<from>(0);
  } else if constexpr (to_kind == Kinds::complex) {
    return To(typename To::value_type(x));
  } else if constexpr (from_kind == Kinds::floating && to_kind != Kinds::floating) {
    return to_integer<to>(x);
  } else if constexpr (is_small_float(to)) {
    return round_to<to>(widened(x));
  } else {
    return To(x);
  }
}

template <DType from, DType to>
void convert_elements(const void* in, void* out, std::size_t n) {
  const auto* x = static_cast<const StorageType<from>*>(in);
  auto* y = static_cast<StorageType<to>*>(out);
  for (std::size_t i = 0; i < n; ++i) store<to>(convert_value<to, from>(load<from>(x, i)), y, i);
}

}  // namespace

ConversionFn conversion_function(DType from, DType to) {
  return visit(from, [&](auto from_constant) {
    return visit(to, [&](auto to_constant) -> ConversionFn {
      return &convert_elements<from_constant, to_constant>;
    });
  });
}

HostArray reinterpreted(HostArray array, DType to) {
  PARTITA_ASSERT(byte_size(to) == byte_size(array.type.dtype));
  array.type.dtype = to;
  if (is_narrow_integer(to))
    for (std::byte& b : array.bytes) b = std::byte(stored_bits(to, std::uint64_t(b)));
  return array;
}

HostArray convert(const HostArray& array, DType to) {
  if (to == array.type.dtype) return array;
  HostArray result(Type{.dtype = to, .dims = array.type.dims});
  conversion_function(array.type.dtype, to)(array.bytes.data(), result.bytes.data(),
                                            std::size_t(array.type.count()));
  return result;
}

}  // namespace partita
