// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/scan_form.hpp"

#include <algorithm>
#include <bit>

#include "lowering/values/tile_sizes.hpp"
#include "partita/base/dtype.hpp"

namespace partita::lowering {
namespace {

constexpr std::int64_t most_items = 256, columns_at_once = 32;
/// Bytes of an operand that an item has in registers, and of all operands that a group has in local memory.
constexpr std::int64_t bytes_of_item = 32, bytes_of_group = std::int64_t(16) << 10;
/// Tiles of a line from which it is worth two further launches to scan them side by side.
constexpr std::int64_t enough_turns = 8;

std::int64_t floor_power(std::int64_t x) {
  return std::int64_t(std::bit_floor(std::uint64_t(std::max<std::int64_t>(x, 1))));
}

}  // namespace

ScanForm choose_scan_form(const ScanSpace& space, bool may_split, const TargetInfo& target) {
  const std::int64_t wanted = target.busy_items();
  const std::int64_t bytes = space.bytes * space.operands;
  ScanForm form;
  form.elements = std::clamp<std::int64_t>(bytes_of_item / space.bytes, 2, 8);
  if (space.extent <= few_terms && !space.has_columns) form.elements = space.extent;
  form.elements = std::min(form.elements, space.extent);
  const std::int64_t most = std::clamp(floor_power(bytes_of_group / (bytes * form.elements)),
                                       std::int64_t(32), std::min(most_items, target.most_group));
  const std::int64_t pieces = ceil_divide(space.extent, form.elements);
  if (space.has_columns) {
    form.lines = std::min(columns_at_once, std::int64_t(std::bit_ceil(std::uint64_t(space.lines))));
    // One item goes along a line by itself where lines are many.
    form.items = std::clamp(floor_power(ceil_divide(wanted, space.lines)), std::int64_t(1),
                            std::min(most / form.lines, pieces));
    if (space.extent <= few_terms) form.items = 1;
  } else {
    form.items = std::min(pieces, most);
    form.lines = std::clamp(floor_power(most / form.items), std::int64_t(1),
                            std::int64_t(std::bit_ceil(std::uint64_t(space.lines))));
  }
  const std::int64_t turns = ceil_divide(pieces, form.items);
  form.turns = turns;
  if (!may_split || turns < enough_turns || form.items == 1) return form;
  const std::int64_t groups = ceil_divide(space.lines, form.lines);
  const std::int64_t parts =
      std::min(ceil_divide(wanted, groups * form.lines * form.items), turns / 2);
  form.turns = ceil_divide(turns, std::max<std::int64_t>(parts, 1));
  form.parts = ceil_divide(turns, form.turns);
  return form;
}

}  // namespace partita::lowering
