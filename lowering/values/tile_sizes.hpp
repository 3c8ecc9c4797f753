// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How extents are cut into tiles of rows and into vectors of columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// How many tiles have room for an extent.
[[nodiscard]] constexpr std::int64_t ceil_divide(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

/// The largest size up to `most` that divides the extent, unless it is small; else tiles of which
/// only the last is smaller.
[[nodiscard]] inline std::int64_t tile_size(std::int64_t extent, std::int64_t most) {
  if (extent <= most) return extent;
  for (std::int64_t size = most; 2 * size > most; --size)
    if (extent % size == 0) return size;
  return ceil_divide(extent, ceil_divide(extent, most));
}

/// Of `vectors` in a row, how many a tile of so many rows takes: what the registers of `most` have room for, up to twice as many
/// as there, or fewer where those divide all of them, so that there is no narrower tile at the end, and still fill half of the
/// registers.
[[nodiscard]] constexpr std::int64_t vectors_of_tile(std::int64_t vectors, std::int64_t rows,
                                                     const TileSize& most) {
  const std::int64_t registers = most.rows * most.vectors;
  const std::int64_t widest =
      std::min(std::clamp(registers / rows, most.vectors, 2 * most.vectors), vectors);
  for (std::int64_t size = widest; size > 1 && 2 * size * rows >= registers; --size)
    if (vectors % size == 0) return size;
  return widest;
}

/// Some columns of a tile: a vector of them, or one.
struct Columns {
  std::int64_t offset;
  int width;
};

[[nodiscard]] inline std::vector<Columns> split_columns(std::int64_t count,
                                                        std::int64_t vector_width) {
  std::vector<Columns> parts;
  for (std::int64_t at = 0; at < count;) {
    std::int64_t width = vector_width;
    while (width > count - at) width /= 2;
    parts.push_back({at, int(width)});
    at += width;
  }
  return parts;
}

}  // namespace partita::lowering
