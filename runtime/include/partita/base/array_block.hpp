// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One of the blocks of equal extents that a whole array is cut into, as the shards of a mesh hold it: along a
// dimension of extent G in P pieces a block has ceil(G / P) elements, of which the last blocks may hold fewer,
// or none, of the whole.  What is left of a block is padding, at the end of each dimension.  Not for placements,
// whose blocks differ in size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partita/base/type.hpp"

namespace partita {

/// Index along each axis of shard `shard` of a grid of these extents, the last varying fastest.
[[nodiscard]] Dims grid_coordinates(std::span<const std::int64_t> extents, std::int64_t shard);

/// The index that coordinates make along some axes of the grid, the first major; 0 along none.
[[nodiscard]] std::int64_t index_along(std::span<const std::int64_t> extents,
                                       std::span<const std::int64_t> coordinates,
                                       std::span<const int> axes);

/// Extent of a block of a dimension: ceil(extent / pieces).
[[nodiscard]] constexpr std::int64_t block_extent(std::int64_t extent, std::int64_t pieces) {
  return (extent + pieces - 1) / pieces;
}

struct ArrayBlock {
  Dims whole;    ///< extents of the whole array
  Dims extents;  ///< of the block
  Dims begin;    ///< where the block's part of the whole begins; at most the whole's extents
  Dims inside;   ///< extents of that part

  /// Block `index[d]` of `pieces[d]` along each dimension.
  ArrayBlock(Dims whole_extents, std::span<const std::int64_t> pieces,
             std::span<const std::int64_t> index);

  /// Whether the block is one run of bytes of the whole, without padding.
  [[nodiscard]] bool is_contiguous() const;
  /// Elements of the whole before the block's first.
  [[nodiscard]] std::int64_t first_element() const;
  /// Copies the block's part of the whole; padding stays as it is.  Both arrays are dense, of elements of
  /// `width` bytes.
  void take(std::size_t width, std::span<const std::byte> from_whole,
            std::span<std::byte> to_block) const;
  void put(std::size_t width, std::span<const std::byte> from_block,
           std::span<std::byte> to_whole) const;
};

/// What shard `shard` of a mesh, whose axes have these sizes, holds of a whole array, dimension d of which the
/// axes axes[d] cut, the major first; dimensions beyond the list are whole.
[[nodiscard]] ArrayBlock mesh_block(const Dims& whole, const std::vector<std::vector<int>>& axes,
                                    const Dims& axis_sizes, std::int64_t shard);

}  // namespace partita
