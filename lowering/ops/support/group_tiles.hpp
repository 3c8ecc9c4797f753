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

/// How local memory can have an operand while another tile is multiplied, without registers between.
struct OperandCopies {
  bool are_possible = false;  ///< memory has its elements as they are multiplied
  /// Neighbouring rows or columns are copied as one; else elements are, one by one.
  bool are_wide = false;
};
struct ProductCopies {
  OperandCopies rows = {}, columns = {};
  [[nodiscard]] bool are_possible() const { return rows.are_possible || columns.are_possible; }
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
  std::int64_t stages = 2;  ///< tiles that are in local memory or on their way there
  /// Operands are copied to local memory, and items read ahead from there; else both go through few registers.
  bool copies = false;
  double seconds = 0;  ///< that it is expected to take
};

/// The fastest by a model of time (docs/gpus.md): what the groups that a multiprocessor has at a time multiply and read from
/// local memory, what they wait for, what memory gives, and the second launch.  `d` is what is accumulated.
[[nodiscard]] GroupPlan choose_group_plan(const ProductShape& s, DType d,
                                          const ProductCopies& copies, const TargetInfo& target);

}  // namespace partita::lowering
