// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The counter-based generators Threefry-2x32 (20 rounds) and Philox-4x32 (10 rounds) of Salmon et
// al., "Parallel random numbers: as easy as 1, 2, 3", over any type of 32-bit words: numbers for
// evaluation, expressions for kernels.  How counters and keys are made is rng_bit_generator's.
#pragma once

#include <array>
#include <cstdint>

#include "partita/scalar/expr.hpp"

namespace partita::ir::ops {

/// A 32-bit word of an expression pool, with the arithmetic of std::uint32_t.
struct ExprWord {
  scalar::ExprPool* pool = nullptr;
  scalar::ExprId id = scalar::no_expr;

  [[nodiscard]] ExprWord with(std::string_view row, scalar::ExprId other) const {
    return {pool, pool->apply(row, DType::ui32, {id, other})};
  }
  [[nodiscard]] ExprWord with(std::string_view row, std::uint32_t other) const {
    return with(row, pool->constant(DType::ui32, other));
  }
  ExprWord operator+(ExprWord o) const { return with("add", o.id); }
  ExprWord operator+(std::uint32_t o) const { return with("add", o); }
  ExprWord operator^(ExprWord o) const { return with("xor_", o.id); }
  ExprWord operator^(std::uint32_t o) const { return with("xor_", o); }
};

inline std::uint32_t rotated(std::uint32_t x, std::uint32_t by) { return x << by | x >> (32 - by); }
inline ExprWord rotated(ExprWord x, std::uint32_t by) {
  return x.with("shift_left", by).with("or_", x.with("shift_right_logical", 32 - by).id);
}

/// The halves of a 64-bit product.
template <class W>
struct Product {
  W high, low;
};
inline Product<std::uint32_t> product(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t p = std::uint64_t(x) * y;
  return {std::uint32_t(p >> 32), std::uint32_t(p)};
}
inline Product<ExprWord> product(ExprWord x, std::uint32_t y) {
  scalar::ExprPool& pool = *x.pool;
  const scalar::ExprId p = pool.apply(
      "multiply", DType::ui64, {pool.convert(x.id, DType::ui64), pool.constant(DType::ui64, y)});
  const scalar::ExprId high =
      pool.apply("shift_right_logical", DType::ui64, {p, pool.constant(DType::ui64, 32)});
  return {{&pool, pool.convert(high, DType::ui32)}, {&pool, pool.convert(p, DType::ui32)}};
}

template <class W>
std::array<W, 2> threefry2x32(const std::array<W, 2>& key, std::array<W, 2> x) {
  constexpr std::array<std::uint32_t, 8> rotations{13, 15, 26, 6, 17, 29, 16, 24};
  const std::array<W, 3> keys{key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAU};
  x[0] = x[0] + keys[0];
  x[1] = x[1] + keys[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (std::uint32_t r = 0; r < 4; ++r) {
      x[0] = x[0] + x[1];
      x[1] = rotated(x[1], rotations[group % 2 * 4 + r]) ^ x[0];
    }
    x[0] = x[0] + keys[(group + 1) % 3];
    x[1] = x[1] + keys[(group + 2) % 3] + (group + 1);
  }
  return x;
}

template <class W>
std::array<W, 4> philox4x32(std::array<W, 2> key, std::array<W, 4> x) {
  for (int round = 0; round < 10; ++round) {
    const Product<W> a = product(x[0], 0xD2511F53U), b = product(x[2], 0xCD9E8D57U);
    x = {b.high ^ x[1] ^ key[0], b.low, a.high ^ x[3] ^ key[1], a.low};
    key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
  }
  return x;
}

}  // namespace partita::ir::ops
