// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Vectors for tests of collectives, and what a collective makes of them, written down naively.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "partita/base/dtype.hpp"

namespace partita::testing {

using Bytes = std::vector<std::byte>;

[[nodiscard]] inline bool is_combinable(DType dtype, Combiner combiner) {
  if (travel_dtype(dtype) != dtype) return false;
  if (combiner == Combiner::logical_and || combiner == Combiner::logical_or) {
    return dtype == DType::i1 || is_integer(dtype);
  }
  return combiner == Combiner::sum || !is_complex(dtype);
}

/// Element i of rank's vector: small whole numbers of both signs, which every order of summation
/// adds exactly.
template <DType d>
[[nodiscard]] ValueType<d> sample(int rank, std::size_t i) {
  using V = ValueType<d>;
  const int n = int((i * 7 + std::size_t(rank) * 13 + i * std::size_t(rank)) % 23) - 9;
  if constexpr (d == DType::i1)
    return n % 3 == 0;
  else if constexpr (is_std_complex<V>)
    return V(typename V::value_type(n), typename V::value_type(3 - n));
  else
    return V(n);
}

[[nodiscard]] inline Bytes sample_vector(DType dtype, int rank, std::size_t count) {
  Bytes bytes(count * byte_size(dtype));
  visit(dtype, [&](auto d) {
    constexpr DType type = decltype(d)::value;
    auto* data = reinterpret_cast<StorageType<type>*>(bytes.data());
    for (std::size_t i = 0; i < count; ++i) store<type>(sample<type>(rank, i), data, i);
  });
  return bytes;
}

template <class V>
[[nodiscard]] V naive_combine(Combiner combiner, V a, V b) {
  if constexpr (is_std_complex<V>) {
    return a + b;
  } else if constexpr (std::is_same_v<V, bool>) {
    return combiner == Combiner::min || combiner == Combiner::logical_and ? a && b : a || b;
  } else {
    if (combiner == Combiner::sum) return V(a + b);
    if (combiner == Combiner::max) return std::max(a, b);
    if (combiner == Combiner::min) return std::min(a, b);
    if constexpr (std::is_integral_v<V>)
      return combiner == Combiner::logical_and ? V(a & b) : V(a | b);
    return a;
  }
}

/// The all-reduce of sample_vector(dtype, 0 … ranks - 1, count).
[[nodiscard]] inline Bytes naive_all_reduce(DType dtype, Combiner combiner, int ranks,
                                            std::size_t count) {
  Bytes result = sample_vector(dtype, 0, count);
  visit(dtype, [&](auto d) {
    constexpr DType type = decltype(d)::value;
    auto* data = reinterpret_cast<StorageType<type>*>(result.data());
    for (int r = 1; r < ranks; ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        store<type>(
            naive_combine<ValueType<type>>(combiner, load<type>(data, i), sample<type>(r, i)), data,
            i);
      }
    }
  });
  return result;
}

/// Block sizes that differ, some of them 0.
[[nodiscard]] inline std::vector<std::size_t> uneven_sizes(int shards, std::size_t scale) {
  std::vector<std::size_t> sizes;
  for (int s = 0; s < shards; ++s)
    sizes.push_back(s % 3 == 1 ? 0 : std::size_t(s * 5 + 1) * scale % (11 * scale));
  return sizes;
}

/// The block that shard `shard` contributes.
[[nodiscard]] inline Bytes sample_block(int shard, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = std::byte(std::uint8_t(std::size_t(shard) * 31 + i * 3 + 1));
  return bytes;
}

[[nodiscard]] inline Bytes concatenated_blocks(const std::vector<std::size_t>& sizes) {
  Bytes result;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const Bytes block = sample_block(int(s), sizes[s]);
    result.insert(result.end(), block.begin(), block.end());
  }
  return result;
}

/// Floats of very different size, so that every order of summation rounds differently.
[[nodiscard]] inline Bytes rough_floats(int rank, std::size_t count) {
  Bytes bytes(count * sizeof(float));
  for (std::size_t i = 0; i < count; ++i) {
    const float x = std::ldexp(float((i * 2654435761u + std::size_t(rank) * 40503u) % 10007) + 0.1f,
                               int((i + std::size_t(rank) * 5) % 24) - 12);
    std::memcpy(bytes.data() + i * sizeof x, &x, sizeof x);
  }
  return bytes;
}

}  // namespace partita::testing
