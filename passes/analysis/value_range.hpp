// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ranges of integer values, as far as constants, iota, counters of loops and simple arithmetic tell:
// enough to see that an index is in bounds.
#pragma once

#include <cstdint>
#include <optional>

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// All elements of a value lie in [low, high].
struct Interval {
  std::int64_t low, high;
  bool operator==(const Interval&) const = default;
};

class ValueRanges {
 public:
  explicit ValueRanges(const ir::Module& module) : module_(module) {}
  /// Nothing where it is not known, or the value is no integer.
  [[nodiscard]] std::optional<Interval> of(ir::Value v);

 private:
  std::optional<Interval> compute(ir::Value v);
  std::optional<Interval> of_argument(ir::Value v);
  std::optional<Interval> of_loop_carry(const ir::Node& loop, ir::Value carry, bool in_body);
  std::optional<Interval> of_arithmetic(const ir::Node& node);
  [[nodiscard]] std::optional<Interval> of_shard_index(const ir::Node& node) const;

  const ir::Module& module_;
  ir::ValueMap<std::optional<Interval>> known_;
};

}  // namespace partita::passes
