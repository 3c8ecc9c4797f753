// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How sums of products are cut for groups of items: tiles of results, and parts of the sum where the
// results alone give a device too few groups.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// Sums of `terms` products each.
struct ProductShape {
  std::int64_t batch = 1, rows = 1, columns = 1, terms = 1;
  [[nodiscard]] std::int64_t results() const { return batch * rows * columns; }
};

/// Of a group: `rows` × `columns` results, `depth` terms of the sum at a time.  Of an item:
/// `item_rows` × `item_columns` of them.
struct GroupTile {
  std::int64_t rows, columns, depth, item_rows, item_columns;
  [[nodiscard]] std::int64_t items() const { return rows / item_rows * (columns / item_columns); }
  friend bool operator==(const GroupTile&, const GroupTile&) = default;
};

struct GroupPlan {
  GroupTile tile;          ///< of no rows: no groups, an item for each result
  std::int64_t parts = 1;  ///< of the sum, whose results are added up by another launch
  std::int64_t turns =
      1;  ///< of a part, the last of which may have fewer: whole depths of the tile
  /// Terms that the turns of all parts take, where they are fewer than whole depths of the sum.
  std::optional<std::int64_t> in_turns = std::nullopt;
  double seconds = 0;  ///< that it is expected to take
};

/// The fastest by a model of time: multiply-adds by the share that a tile's form leaves them, groups
/// that multiprocessors have at a time, what is read, and the second launch.  `d` is what is accumulated.
[[nodiscard]] GroupPlan choose_group_plan(const ProductShape& s, DType d, const TargetInfo& target);

}  // namespace partita::lowering
