// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/type.hpp"

namespace partita {

std::int64_t Type::count() const {
  std::int64_t n = 1;
  for (std::int64_t d : dims) n *= d;
  return n;
}

std::optional<std::int64_t> checked_bytes(const Type& type) {
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  std::int64_t bytes = std::int64_t(byte_size(type.dtype));
  bool is_empty = false;
  for (const std::int64_t d : type.dims) {
    if (d < 0) return std::nullopt;
    is_empty = is_empty || d == 0;
    if (d != 0 && (__builtin_mul_overflow(bytes, d, &bytes) || bytes > limit)) return std::nullopt;
  }
  return is_empty ? 0 : bytes;
}

std::string to_string(const Type& type) {
  // Tokens of collectives hold i1, those that order StableHLO's side effects i8.
  if (type.is_token) return type.dtype == DType::i8 ? "!stablehlo.token" : "!mr.token";
  std::string text = "tensor<";
  // An extent that a text leaves open is -1 (ir/open_types.hpp).
  for (std::int64_t d : type.dims) text += (d == -1 ? "?" : std::to_string(d)) + "x";
  return text.append(to_string(type.dtype)).append(">");
}

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t k = dims.size(); k-- > 0; stride *= dims[k]) strides[k] = stride;
  return strides;
}

}  // namespace partita
