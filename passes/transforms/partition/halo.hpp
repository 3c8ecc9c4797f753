// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Windows along a dimension that an axis of a mesh cuts: which elements of the others' parts a shard needs for its
// windows, and the array that it makes of them.  Not for what an op does with its windows (windowed_parts).
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "partita/ir/window.hpp"
#include "passes/transforms/partition/held_values.hpp"

namespace partita::passes {

/// Windows over a dimension whose elements, and whose windows, are divided over n shards in order.
struct PartWindows {
  ir::WindowDim window;    ///< of the whole dimension
  std::int64_t count = 0;  ///< windows whose values matter, from the first on
  std::int64_t n = 1;
  std::int64_t elements = 0;  ///< of a shard's part of the dimension; 0: every shard has all
  std::int64_t windows = 0;   ///< of a shard
};

/// The same where shard i is to have elements first[i] up to first[i] + length, of which those up to last[i] matter.
struct PartRuns {
  std::int64_t extent = 0;  ///< of the dimension
  std::int64_t n = 1, elements = 0;
  ir::I64s first, last;
  std::int64_t length = 0;
  std::int64_t begin = 0,
               end = 0;  ///< elements before and behind count as such out of the dimension
};

/// The same elements of the parts of all senders, for shards that are equally far from theirs.
struct HaloPiece {
  std::int64_t hop = 0;               ///< shard i has it from shard i + hop
  std::int64_t begin = 0, end = 0;    ///< within the part
  std::vector<std::int64_t> targets;  ///< shards that need some of it
  auto operator<=>(const HaloPiece&) const = default;
};

/// What a shard's windows see: `length` elements from index first[i] of the dimension on.  They are found from
/// offset[i] on in an array of the pieces, of `extent` elements, with gaps where nobody needs what lies between.
struct Halo {
  PartWindows of;
  std::vector<HaloPiece> pieces;  ///< by hop; one of hop 0 is the shard's own
  /// Of the array; its begin is counted from the first element of the shard's own part.
  std::int64_t begin = 0, extent = 0;
  std::int64_t length = 0;
  std::int64_t reach = 0;  ///< from a shard's first place in windows to its last
  ir::I64s first, offset;  ///< by shard that has windows that matter
  ir::I64s lead;           ///< places in windows before element first[i], below the base dilation
  /// What stands before and behind is padding; of the dimension, or a run of it.
  std::int64_t inside_begin = 0, inside_end = 0;
  /// Whether windows that matter reach into it.
  bool sees_before = false, sees_behind = false;

  /// Elements that a shard receives.
  [[nodiscard]] std::int64_t received() const;
  /// Whether they come from the shards next to it, no more of them than it has.
  [[nodiscard]] bool is_near() const;
  /// Whether element first[i] is as far behind the first place on each shard.
  [[nodiscard]] bool has_one_lead() const;
};

/// Nothing where no window sees an element, or where so many messages bring so much that the whole is better moved.
[[nodiscard]] std::optional<Halo> find_halo(const PartWindows& windows);
[[nodiscard]] std::optional<Halo> find_halo(const PartRuns& runs);

/// `count` places along a dimension, on shard i from starts[i] on, which may end before the last shards.
[[nodiscard]] ir::Value sliced_by_shard(ir::Value v, int dim, const ir::I64s& starts,
                                        std::int64_t count, const MeshCut& cut, ir::Graph& into);

/// Quotients rounded down and up; b is positive.
[[nodiscard]] inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
[[nodiscard]] inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return -floor_div(-a, b);
}

class NeededPieces;

/// Makes such arrays; what several of them need of the same shards is sent once.
class Halos {
 public:
  Halos(const MeshCut& cut, HeldValues& held, NeededPieces& needed)
      : cut_(cut), held_(held), needed_(needed) {}

  /// What the shard's windows along `dim` see, in `into`: where the halo has one lead, its `length` elements; else
  /// those with their base dilation, reach + 1 places.  `at`: how `v` is taken, nothing: whole.  `filler`, a
  /// scalar: what stands out of the dimension and in its dilation; absent: nothing that matters lies there.
  [[nodiscard]] ir::Value local(ir::Value v, const std::optional<ir::AxisPosition>& at, int dim,
                                const Halo& halo, std::optional<ir::Value> filler, ir::Graph& into);

 private:
  [[nodiscard]] ir::Value pieces(ir::Value v, const ir::AxisPosition& at, const Halo& halo);
  [[nodiscard]] ir::Value piece(ir::Value v, const ir::AxisPosition& at, const HaloPiece& piece);

  MeshCut cut_;
  HeldValues& held_;
  NeededPieces& needed_;
  /// By the dimension and the extent of the parts.
  using Sent = std::map<std::tuple<int, std::int64_t, HaloPiece>, ir::Value>;
  ir::ValueMap<Sent> sent_;
};

}  // namespace partita::passes
