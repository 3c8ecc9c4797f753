// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A plan's arena as several allocations, for devices whose largest one is smaller than the arena: on
// many GPUs a quarter of memory.  No value crosses from one piece into another, so kernels see no
// difference; plans are made without knowing the device, so this is decided when they are loaded.
#pragma once

#include <cstdint>
#include <vector>

#include "partita/artifact/plan.hpp"

namespace partita {

struct ArenaPieces {
  struct Place {
    int piece = -1;           ///< -1: not in the arena
    std::int64_t offset = 0;  ///< bytes within the piece; a multiple of place_alignment
  };
  std::vector<std::int64_t> bytes;  ///< of each piece
  std::vector<Place> places;        ///< per buffer of the plan
  [[nodiscard]] std::int64_t total_bytes() const;
};

/// Cuts the arena of a valid plan into pieces of at most `most` bytes, or leaves it whole where that
/// suffices or `most` is 0.  What would cross a cut gets a place elsewhere, one for each cut: values that
/// have a byte in common are not alive together, and those that cross a cut have the byte there.
/// A value of more than `most` bytes has a piece that is as large.
[[nodiscard]] ArenaPieces cut_arena(const Plan& plan, std::int64_t most);

}  // namespace partita
