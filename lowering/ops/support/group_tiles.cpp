// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/support/group_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lowering/values/tile_sizes.hpp"

namespace partita::lowering {
namespace {

/// Items' tiles hold 64 words or fewer in registers, so that neither items nor groups want for them.
constexpr std::int64_t most_words = 64;

/// Of all groups that a multiprocessor has at a time where each has so many registers.
constexpr double most_items = 512;

/// From asking memory to having the answer.
constexpr double answer_seconds = 0.35e-6;

constexpr GroupTile tiles[] = {
    {128, 128, 8, 8, 8}, {128, 64, 8, 8, 8},  {64, 128, 8, 8, 8},  {64, 64, 16, 8, 8},
    {64, 64, 16, 8, 4},  {128, 32, 16, 8, 4}, {32, 128, 16, 4, 8}, {64, 32, 16, 8, 4},
    {32, 64, 16, 4, 8},  {64, 64, 16, 4, 4},  {64, 32, 16, 4, 4},  {32, 64, 16, 4, 4},
    {32, 32, 16, 4, 4},  {128, 16, 16, 4, 4}, {16, 128, 16, 4, 4}, {64, 16, 16, 4, 4},
    {16, 64, 16, 4, 4},
};

/// What a multiprocessor has of multiply-adds where so many sub-groups run on it: their latency is
/// hidden by others, of other sub-groups or of the same item.
double share_of_rate(double subgroups, const GroupTile& t) {
  constexpr double half = 24;
  const double at_once = subgroups * double(t.item_rows * t.item_columns);
  return at_once / (at_once + half);
}

/// Multiply-adds among all instructions of the inner loop: what an item loads of local memory, and what it brings
/// there, as compilers' code for sm_90 has it.
double share_of_multiply_adds(const GroupTile& t) {
  constexpr double of_load = 0.35, of_fetch = 2;
  const double useful = double(t.item_rows * t.item_columns);
  return useful / (useful + of_load * double(t.item_rows + t.item_columns) +
                   of_fetch * double(t.rows + t.columns) / double(t.items()));
}

class Model {
 public:
  Model(const ProductShape& s, DType d, const TargetInfo& target)
      : s_(s), bytes_(std::int64_t(byte_size(d))), target_(target) {
    units_ = double(target.compute_units > 0 ? target.compute_units : 64);
    // Products of integers take registers of their own.
    most_words_ = is_float(d) || is_complex(d) ? most_words : most_words / 2;
    // Complex products are four of their parts.
    const double terms = is_complex(d) ? 4 : 1;
    unit_rate_ = target.flop_rate(is_complex(d) ? part_dtype(d) : d) / 2 / units_ / terms;
  }

  [[nodiscard]] bool suits(const GroupTile& t) const {
    const std::int64_t local = 2 * t.depth * (t.rows + t.columns + 2 * padding) * bytes_;
    const std::int64_t words = t.item_rows * t.item_columns * bytes_ / 4;
    // From some size on multiply-adds are what takes time, and items that do more have less beside them.
    constexpr std::int64_t large = 128;
    const bool is_large = std::min({s_.rows, s_.columns, s_.terms}) >= large;
    return words <= most_words_ && (!is_large || words == most_words_) && local <= local_bytes() &&
           t.items() <= target_.most_group;
  }
  /// Where an item adds up each result: two loads for a multiply-add, and nobody else's of use.
  [[nodiscard]] double seconds_of_items() const {
    constexpr double multiply_adds_of_loads = 10, term_seconds = 5e-9;
    const double results = double(s_.batch) * double(s_.rows) * double(s_.columns);
    return double(s_.terms) * std::max(term_seconds, std::ceil(results / units_ / 32) * 32 *
                                                         multiply_adds_of_loads / unit_rate_);
  }
  /// In how many parts the sum may be taken: in one, or so that groups fill the device once or a few times.
  [[nodiscard]] std::vector<std::int64_t> parts(const GroupTile& t) const {
    constexpr std::int64_t most_parts = 64;
    std::vector<std::int64_t> counts{1};
    for (const double times : {1, 2, 3, 4}) {
      const auto count = std::int64_t(times * units_ / tiles(t));
      if (count > counts.back() && count <= most_parts) counts.push_back(count);
    }
    return counts;
  }
  [[nodiscard]] double seconds(const GroupTile& t, std::int64_t parts) const {
    const double groups = tiles(t) * double(parts);
    const double depth = double(ceil_divide(ceil_divide(s_.terms, parts), t.depth) * t.depth);
    const double of_unit = std::ceil(groups / units_);
    // A turn takes at least what memory takes to answer, whatever groups run meanwhile.
    const double at_a_time =
        std::min(of_unit, std::max(1.0, std::floor(most_items / double(t.items()))));
    const double subgroups = at_a_time * double(t.items()) / double(target_.subgroup_width);
    const double turn = at_a_time * double(t.rows * t.columns * t.depth) /
                        (share_of_multiply_adds(t) * share_of_rate(subgroups, t) * unit_rate_);
    const double work =
        std::ceil(of_unit / at_a_time) * depth / double(t.depth) * std::max(turn, answer_seconds);
    // Tiles are read from a cache that all share; it gives about three times what memory does.
    const double read = groups * double(t.rows + t.columns) * depth * double(bytes_) /
                        (3 * target_.bytes_per_second);
    double total = std::max(work, read);
    if (parts > 1)
      total += target_.launch_seconds + 2 * double(parts) * double(s_.batch) * double(s_.rows) *
                                            double(s_.columns) * double(bytes_) /
                                            target_.bytes_per_second;
    return total;
  }

 private:
  static constexpr std::int64_t padding = 4;
  [[nodiscard]] double tiles(const GroupTile& t) const {
    return double(s_.batch) * double(ceil_divide(s_.rows, t.rows)) *
           double(ceil_divide(s_.columns, t.columns));
  }
  [[nodiscard]] std::int64_t local_bytes() const {
    constexpr std::int64_t least = std::int64_t(16) << 10;
    return std::max(target_.local_bytes, least);
  }

  const ProductShape& s_;
  std::int64_t bytes_, most_words_;
  const TargetInfo& target_;
  double units_, unit_rate_;
};

}  // namespace

GroupPlan choose_group_plan(const ProductShape& s, DType d, const TargetInfo& target) {
  const Model model(s, d, target);
  constexpr double few_products = 1 << 20;
  const bool is_small = double(s.rows) * double(s.columns) * double(s.terms) < few_products;
  GroupPlan best{
      .tile = {},
      .seconds = is_small ? model.seconds_of_items() : std::numeric_limits<double>::infinity()};
  for (const GroupTile& t : tiles) {
    if (!model.suits(t)) continue;
    const std::int64_t turns = std::max<std::int64_t>(s.terms / t.depth, 1);
    for (const std::int64_t wanted : model.parts(t)) {
      constexpr std::int64_t least_turns = 4;
      if (wanted > 1 && turns < wanted * least_turns) continue;
      // Each part has turns of its own.
      const std::int64_t of_part = ceil_divide(turns, wanted), parts = ceil_divide(turns, of_part);
      if (const double seconds = model.seconds(t, parts); seconds < best.seconds)
        best = {.tile = t, .parts = parts, .turns = of_part, .seconds = seconds};
    }
  }
  return best;
}

}  // namespace partita::lowering
