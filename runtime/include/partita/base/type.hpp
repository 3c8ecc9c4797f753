// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The type of a value: element type and static extents, row-major.  Rank 0 is a scalar; an extent
// may be 0.  A token (the result of an `_start` collective) has no elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partita/base/dtype.hpp"

namespace partita {

using Dims = std::vector<std::int64_t>;

struct Type {
  DType dtype = DType::f32;
  Dims dims;
  bool is_token = false;

  [[nodiscard]] static Type scalar(DType d) { return {.dtype = d, .dims = {}}; }
  [[nodiscard]] static Type token() { return {.dtype = DType::i1, .dims = {0}, .is_token = true}; }
  [[nodiscard]] std::int64_t rank() const { return std::int64_t(dims.size()); }
  /// Number of elements; 1 for a scalar.
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] std::size_t bytes() const { return std::size_t(count()) * byte_size(dtype); }
  bool operator==(const Type&) const = default;
};

/// Bytes of a type that comes from outside; nothing where an extent is negative or the extents other
/// than 0 multiply beyond 2^62 bytes.
[[nodiscard]] std::optional<std::int64_t> checked_bytes(const Type& type);

/// MLIR spelling: "tensor<4x8xf32>", "tensor<f32>", "!mr.token".
[[nodiscard]] std::string to_string(const Type& type);

/// Row-major strides in elements, one per dimension.
[[nodiscard]] Dims row_major_strides(const Dims& dims);

}  // namespace partita
