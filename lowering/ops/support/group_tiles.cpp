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

// What follows was fitted to times of 540 kernels on an H200: 23 shapes by tiles and parts (docs/gpus.md).

/// From asking memory to having the answer.
constexpr double answer_seconds = 0.35e-6;
/// Registers of a multiprocessor, its items and groups at most.
constexpr double unit_registers = 65536, unit_items = 2048, unit_groups = 32;
/// Lanes that multiply f32 in a cycle.
constexpr double unit_lanes = 128;
/// Cycles of a multiply-add beyond those of its lanes' share, and of what a term's have in common.
constexpr double multiply_add_cycles = 1.39, term_cycles = 3.2;
/// Cycles in which local memory gives a sub-group 16 bytes for each item, and takes an element of each that is copied.
constexpr double load_cycles = 3.9, copy_cycles = 8.3;
/// Cycles that a term takes at least where items do not read ahead.
constexpr double unhidden_cycles = 270;

constexpr GroupTile tiles[] = {
    {128, 128, 8, 8, 8}, {128, 64, 8, 8, 8},  {64, 128, 8, 8, 8},  {64, 64, 16, 8, 8},
    {64, 64, 16, 8, 4},  {128, 32, 16, 8, 4}, {32, 128, 16, 4, 8}, {64, 32, 16, 8, 4},
    {32, 64, 16, 4, 8},  {64, 64, 16, 4, 4},  {64, 32, 16, 4, 4},  {32, 64, 16, 4, 4},
    {32, 32, 16, 4, 4},  {128, 16, 16, 4, 4}, {16, 128, 16, 4, 4}, {64, 16, 16, 4, 4},
    {16, 64, 16, 4, 4},
};

class Model {
 public:
  Model(const ProductShape& s, DType d, const ProductCopies& copies, const TargetInfo& target)
      : s_(s), bytes_(std::int64_t(byte_size(d))), copies_(copies), target_(target) {
    units_ = double(target.compute_units > 0 ? target.compute_units : 64);
    // Products of integers take registers of their own.
    most_words_ = is_float(d) || is_complex(d) ? most_words : most_words / 2;
    // Complex products are four of their parts.
    const double terms = is_complex(d) ? 4 : 1;
    unit_rate_ = target.flop_rate(is_complex(d) ? part_dtype(d) : d) / 2 / units_ / terms;
    cycle_ = unit_lanes * units_ * 2 / target.flop_rate(DType::f32);
  }

  [[nodiscard]] bool suits(const GroupTile& t) const {
    const std::int64_t local = 2 * t.depth * (t.rows + t.columns + 2 * padding) * bytes_;
    const std::int64_t words = t.item_rows * t.item_columns * bytes_ / 4;
    return words <= most_words_ && local <= local_bytes() && t.items() <= target_.most_group;
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
  [[nodiscard]] double seconds(const GroupTile& t, std::int64_t parts, bool copies) const {
    const double groups = tiles(t) * double(parts), at_a_time = groups_at_a_time(t, copies),
                 depth = double(ceil_divide(ceil_divide(s_.terms, parts), t.depth) * t.depth);
    const double rounds = std::floor(groups / (units_ * at_a_time)),
                 left = groups - rounds * units_ * at_a_time;
    const double work = depth / double(t.depth) *
                        (rounds * turn_seconds(t, at_a_time, copies) +
                         (left > 0 ? turn_seconds(t, std::ceil(left / units_), copies) : 0));
    // Tiles are read from a cache that all share; it gives about three times what memory does.
    const double read = groups * double(t.rows + t.columns) * depth * double(bytes_) /
                        (3 * target_.bytes_per_second);
    constexpr double beside = 0.1;  // what is read disturbs a little what is multiplied
    double total = std::max(work, read) + beside * std::min(work, read);
    if (parts > 1)
      total += target_.launch_seconds + 2 * double(parts) * double(s_.batch) * double(s_.rows) *
                                            double(s_.columns) * double(bytes_) /
                                            target_.bytes_per_second;
    return total;
  }

 private:
  static constexpr std::int64_t padding = 4;
  /// Groups that a multiprocessor has at a time.
  [[nodiscard]] double groups_at_a_time(const GroupTile& t, bool copies) const {
    const double words = double(bytes_) / 4, read = double(t.item_rows + t.item_columns) * words,
                 sums = double(t.item_rows * t.item_columns) * words;
    const double registers = 1.25 * sums + (copies ? 2 * read + 28 : read + 32);
    return std::max(1.0, std::floor(std::min({unit_registers / (double(t.items()) * registers),
                                              unit_items / double(t.items()), unit_groups})));
  }
  /// Of a turn of all groups that a multiprocessor has at a time.
  [[nodiscard]] double turn_seconds(const GroupTile& t, double groups, bool copies) const {
    const double depth = double(t.depth),
                 subgroups = groups * double(t.items()) / double(target_.subgroup_width),
                 of_term = double(t.item_rows * t.item_columns);
    const double multiply_adds = groups * double(t.rows * t.columns) * depth / unit_rate_ *
                                 (multiply_add_cycles + term_cycles / of_term);
    const auto copied = [&](const OperandCopies& operand, std::int64_t extent) {
      return operand.are_possible && !operand.are_wide ? double(extent) * depth / double(t.items())
                                                       : 0;
    };
    const double elements =
        copies ? copied(copies_.rows, t.rows) + copied(copies_.columns, t.columns) : 0;
    const double local =
        subgroups * cycle_ *
        (depth * double(t.item_rows + t.item_columns) / 4 * double(bytes_) / 4 * load_cycles +
         elements * copy_cycles);
    const double wait =
        copies ? answer_seconds + depth * of_term * cycle_ : depth * unhidden_cycles * cycle_;
    return std::max({multiply_adds, local, wait});
  }
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
  ProductCopies copies_;
  const TargetInfo& target_;
  double units_, unit_rate_, cycle_;
};

}  // namespace

GroupPlan choose_group_plan(const ProductShape& s, DType d, const ProductCopies& copies,
                            const TargetInfo& target) {
  const Model model(s, d, copies, target);
  constexpr double few_products = 1 << 20;
  // Larger tiles and fewer parts come first, and read less.
  constexpr double worth = 0.99;
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
      for (const bool is_copied : {false, true}) {
        const double seconds = model.seconds(t, parts, is_copied);
        if ((is_copied && !copies.are_possible()) || seconds > best.seconds * worth) continue;
        best = {
            .tile = t, .parts = parts, .turns = of_part, .copies = is_copied, .seconds = seconds};
      }
    }
  }
  return best;
}

}  // namespace partita::lowering
