// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums of f32 whose terms travel rounded to fewer bits. A term and the result are rounded once each, whatever the number
// of ranks: terms go to the rank that sums their block, and the block's sum from there to all.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/collective/algorithms.hpp"

namespace partita::collective {

/// Elements of int8 that share a scale.
inline constexpr std::size_t wire_block = 256;

/// Bytes of so many elements as they travel.
[[nodiscard]] std::size_t wire_bytes(WireFormat format, std::size_t count);

/// Rounds to nearest, ties to even. Beyond the range of f16 is infinity. A scale of int8 is the block's largest magnitude
/// over 127; where that is no finite number, all of the block becomes NaN.
void encode(WireFormat format, std::span<const float> from, std::byte* to);
void decode(WireFormat format, const std::byte* from, std::span<float> to);

/// In place; the same bits on every rank. With u = 2^-8 for bf16, 2^-11 for f16 (where 6.2e-5 <= |x| <= 65504) and for
/// int8 half a step of the block's scale: off by at most u of each other rank's term plus u of the sum, and by rounding in f32.
/// `rest`, if not null, has what earlier calls rounded away (as many elements, or none yet), which is added and replaced.
void all_reduce_rounded(Ranks ranks, std::span<std::byte> data, WireFormat format,
                        std::vector<float>* rest);

}  // namespace partita::collective
