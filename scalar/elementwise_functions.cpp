// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The values of elementwise.def as loops over arrays, one function per row and dtype.  Part of
// libpartita, where code without a compiler runs them.
#include "partita/base/element_functions.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "partita/base/dtype.hpp"
#include "partita/base/error.hpp"
#include "partita/scalar/elementwise.hpp"
#include "scalar/scalar.hpp"

namespace partita::scalar {

// Within this namespace `sqrt` and its like are the scalar functions.
namespace helpers {

enum class RowId : std::uint8_t {
#define PARTITA_ROW(name, ...) name,
#include "scalar/elementwise.def"
};

constexpr Signature signature_of(RowId id) {
  constexpr Signature signatures[] = {
#define PARTITA_ROW(name, op, signature, ...) Signature::signature,
#include "scalar/elementwise.def"
  };
  return signatures[std::size_t(id)];
}

/// Type of the result of a row over Ts.
template <Signature s, class T>
struct ResultOf {
  using Type = T;
};
template <class T>
struct ResultOf<Signature::test, T> {
  using Type = bool;
};
template <class T>
struct ResultOf<Signature::compare, T> {
  using Type = bool;
};
template <class T>
struct ResultOf<Signature::part, T> {
  using Type = Part<T>;
};
template <class T>
struct ResultOf<Signature::compose, T> {
  using Type = std::complex<T>;
};

/// Converts an expression's result to R, modulo 2^n if an integer.  An expression over floats must
/// not leave their type: it does if a constant lacks its K, or if a function is not in scalar.hpp
/// and the one found instead computes in double.
template <class T, class R, class E>
constexpr R finish(E e) {
  static_assert(!std::floating_point<E> || std::same_as<E, Part<T>>,
                "the value's type differs from the operands': a constant without K(c), or a "
                "function that scalar.hpp does not declare");
  return static_cast<R>(e);
}

template <RowId>
struct Scalar;

using enum Kinds;
constexpr Kinds wide = Kinds::floating | no_small_floats;

#define ON(kinds, ...)                           \
  if constexpr (intersects((kinds), kind_of<T>)) \
    return finish<T, R>(__VA_ARGS__);            \
  else
#define PARTITA_ROW(name, op, signature, value, ...)                        \
  template <>                                                               \
  struct Scalar<RowId::name> {                                              \
    template <class T, DType D>                                             \
    static auto eval(PARTITA_PARAMS_##signature(bool, T)) {                 \
      using R = typename ResultOf<Signature::signature, T>::Type;           \
      [[maybe_unused]] constexpr Literal<T> K;                              \
      [[maybe_unused]] constexpr unsigned BITS = info(D).bits;              \
      [[maybe_unused]] constexpr UnsignedBits<D> U;                         \
      [[maybe_unused]] constexpr SignedBits<D> S;                           \
      [[maybe_unused]] constexpr Popcount<D> popcount;                      \
      [[maybe_unused]] constexpr LeadingZeros<D> clz;                       \
      [[maybe_unused]] constexpr UpperHalf<D> mul_hi;                       \
      [[maybe_unused]] constexpr int MANTISSA = mantissa_bits(D);           \
      [[maybe_unused]] constexpr int EMIN = smallest_exponent(D);           \
      value static_assert(!sizeof(T), "the row does not accept this kind"); \
    }                                                                       \
  };
#include "scalar/elementwise.def"

}  // namespace helpers

namespace {

using helpers::RowId;

constexpr DType operand_of(Signature s, DType d, int k) {
  return s == Signature::choice && k == 0 ? DType::i1 : d;
}

constexpr DType result_of(Signature s, DType d) {
  if (s == Signature::test || s == Signature::compare) return DType::i1;
  if (s == Signature::part) return part_dtype(d);
  if (s == Signature::compose) return d == DType::f64 ? DType::c128 : DType::c64;
  return d;
}

template <RowId id, DType d>
void apply_row(const void* const* operands, void* result, std::size_t n) {
  constexpr Signature s = helpers::signature_of(id);
  constexpr DType r = result_of(s, d);
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    const auto in =
        std::tuple(static_cast<const StorageType<operand_of(s, d, int(k))>*>(operands[k])...);
    auto* const out = static_cast<StorageType<r>*>(result);
    for (std::size_t i = 0; i < n; ++i)
      store<r>(helpers::Scalar<id>::template eval<ValueType<d>, d>(
                   load<operand_of(s, d, int(k))>(std::get<k>(in), i)...),
               out, i);
  }
  (std::make_index_sequence<std::size_t(arity(s))>());
}

/// Whether some case of a row is for d.
template <RowId id>
constexpr bool accepts(DType d) {
  using enum Kinds;
  [[maybe_unused]] constexpr Kinds wide = Kinds::floating | no_small_floats;
  constexpr Kinds kinds_of_rows[] = {
#define ON(kinds, ...) | (kinds)
#define PARTITA_ROW(name, op, signature, value, ...) Kinds::none value,
#include "scalar/elementwise.def"
  };
  constexpr Kinds kinds = kinds_of_rows[std::size_t(id)];
  return intersects(kinds, info(d).kind) &&
         !(is_small_float(d) && intersects(kinds, no_small_floats));
}

template <RowId id, DType d>
constexpr ElementwiseFn function_for() {
  if constexpr (accepts<id>(d))
    return &apply_row<id, d>;
  else
    return nullptr;
}

using FunctionsOfRow = std::array<ElementwiseFn, all_dtypes.size()>;

template <RowId id>
constexpr FunctionsOfRow functions_of() {
  return []<std::size_t... d>(std::index_sequence<d...>) {
    return FunctionsOfRow{function_for<id, DType(d)>()...};
  }
  (std::make_index_sequence<all_dtypes.size()>());
}

constexpr FunctionsOfRow functions[] = {
#define PARTITA_ROW(name, ...) functions_of<RowId::name>(),
#include "scalar/elementwise.def"
};

constexpr std::string_view names[] = {
#define PARTITA_ROW(name, ...) #name,
#include "scalar/elementwise.def"
};

}  // namespace

}  // namespace partita::scalar

namespace partita {

ElementwiseFn row_function(std::size_t row, DType d) {
  return scalar::functions[row][std::size_t(d)];
}

ElementwiseFn row_function(std::string_view row, DType d) {
  const auto* const found = std::ranges::find(scalar::names, row);
  if (found == std::end(scalar::names)) return nullptr;
  return row_function(std::size_t(found - std::begin(scalar::names)), d);
}

int row_arity(std::string_view row) {
  const auto* const found = std::ranges::find(scalar::names, row);
  if (found == std::end(scalar::names)) return 0;
  return scalar::arity(
      scalar::helpers::signature_of(scalar::RowId(found - std::begin(scalar::names))));
}

RowBytes row_bytes(std::string_view row, DType d) {
  const auto* const found = std::ranges::find(scalar::names, row);
  PARTITA_ASSERT(found != std::end(scalar::names));
  const scalar::Signature s =
      scalar::helpers::signature_of(scalar::RowId(found - std::begin(scalar::names)));
  RowBytes bytes;
  for (int k = 0; k < scalar::arity(s); ++k)
    bytes.operands[std::size_t(k)] = byte_size(scalar::operand_of(s, d, k));
  bytes.result = byte_size(scalar::result_of(s, d));
  return bytes;
}

}  // namespace partita
