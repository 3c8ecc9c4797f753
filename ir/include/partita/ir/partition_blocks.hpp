// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which values of a function lie on a shard as the block of its partitions of a placement, and which as a whole.
#pragma once

#include <set>
#include <string>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// Arguments of the function, stacked results of its outermost loops over a placement, what its `while` loops carry and what
/// its branches give lie as blocks of the partitions where every use takes such a block: as a sliced operand of an
/// outermost loop over the same placement, as a carry or a branch's result that lies so, as a result of the function, or by
/// a gather. A carry and a branch's result lie so where their uses do, whatever they are made of: a block is a part of the
/// whole.
class PartitionBlocks {
 public:
  /// Of a function with loops over placements (`mr.foreach`).
  explicit PartitionBlocks(const Function& function);

  /// The placement whose blocks `v` lies in, stacked results always; null where every shard holds all of it.
  [[nodiscard]] const std::string* placement(Value v) const;
  /// Whether `v` is a stacked result of an outermost loop, or what a loop gives in blocks, that somebody needs as a whole.
  [[nodiscard]] bool needs_gather(Value v) const { return gathered_.contains(v); }
  /// Whether there is such a result.
  [[nodiscard]] bool needs_gathers() const { return !gathered_.empty(); }

 private:
  ValueMap<std::string> placements_;
  std::set<Value> gathered_;
};

/// Whether `node` of a function is in no loop over a placement.
[[nodiscard]] bool is_outside_of_partitions(const Node& node);

}  // namespace partita::ir
