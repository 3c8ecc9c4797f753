// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over lanes for what is no row of the elementwise table: memory, masks, indices.  A mask has
// a byte of 0 or 1 for each lane, null stands for all lanes.
#pragma once

#include <cstdint>

#include "backend-cpu/format/lane_code.hpp"

namespace partita::cpu {

void splat_lanes(const void* from, void* to, int bytes, std::int64_t n);
void ramp_lanes(std::int64_t first, std::int64_t step, std::int64_t* to, std::int64_t n);
void move_lanes(const void* from, void* to, int bytes, std::int64_t n, const std::uint8_t* mask);
void select_lanes(const std::uint8_t* condition, const void* a, const void* b, void* to, int bytes,
                  std::int64_t n);
/// to += a · b, of floats.
void multiply_add_lanes(DType dtype, void* to, const void* a, const void* b, std::int64_t n,
                        const std::uint8_t* mask);
/// Lane i: element index[i].
void gather_lanes(const void* from, const std::int64_t* index, void* to, int bytes, std::int64_t n,
                  const std::uint8_t* mask);
void scatter_lanes(void* to, const std::int64_t* index, const void* from, int bytes, std::int64_t n,
                   const std::uint8_t* mask);
/// Lane i: element i · stride.
void read_row(const void* from, std::int64_t stride, void* to, int bytes, std::int64_t n,
              const std::uint8_t* mask);
void write_row(void* to, std::int64_t stride, const void* from, int bytes, std::int64_t n,
               const std::uint8_t* mask);
/// An operation on indices; comparisons give bytes.
void index_lanes(LaneInstruction::Op op, const std::int64_t* a, const std::int64_t* b, void* to,
                 std::int64_t n);
/// to[i]: whether lane i is in the mask and its condition is `wanted`; how many there are.
std::int64_t and_lanes(const std::uint8_t* condition, const std::uint8_t* mask, std::uint8_t wanted,
                       std::uint8_t* to, std::int64_t n);
[[nodiscard]] std::int64_t sum_lanes(const std::uint8_t* mask, std::int64_t n);

}  // namespace partita::cpu
