// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The kernels of groups that a sort has: sorting tiles of slices, and merging tiles of what pairs of runs give.
#pragma once

#include <functional>
#include <vector>

#include "lowering/ops/sort/sort_kernel.hpp"
#include "lowering/ops/sort/sorter.hpp"
#include "lowering/ops/sort/tile_merge.hpp"
#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// How groups share what is sorted.
struct TileForm {
  std::int64_t items;  ///< of a group that has one slice
  bool is_order;       ///< the comparator is known to be one
  [[nodiscard]] std::int64_t tile() const;
};
/// For slices whose elements have so many bytes that the comparator reads.
[[nodiscard]] TileForm choose_tile_form(std::int64_t key_bytes, bool is_order,
                                        const TargetInfo& target);

/// Slices that are sorted in tiles: where elements come from and go.
struct TiledSlices {
  std::int64_t length;  ///< of a slice
  std::int64_t kept;    ///< first elements of each sorted tile that are stored, side by side
  std::int64_t stored;  ///< length of a slice of what is stored
  /// Element `position` of an operand's slice, by the slice's index.
  std::function<scalar::ExprId(KernelBody&, std::size_t operand, std::vector<scalar::ExprId> index,
                               scalar::ExprId position)>
      element;
  std::vector<Location> to;
};

/// Writes the kernel that sorts tiles; gives the number of groups.
[[nodiscard]] std::int64_t sort_tiles(KernelBody& body, const ir::Node& node,
                                      const SortShape& shape, const TileForm& form,
                                      const TiledSlices& slices);
/// Writes the kernel of a pass that merges pairs of runs, each group a tile of what a pair gives, from where Sorter::cut()
/// has cut the runs; gives the number of groups.
[[nodiscard]] std::int64_t merge_tiles(KernelBody& body, const ir::Node& node,
                                       const SortShape& shape, const TileForm& form,
                                       const Pass& pass);

}  // namespace partita::lowering
