// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What all nodes with windows over a value need of other shards' parts of it, so that what several of them need is sent at
// once, and is not sent piece by piece where it is nearly all.
#pragma once

#include "passes/transforms/partition/halo.hpp"

namespace partita::passes {

/// The nodes that have a value as an operand.
using ValueUsers = ir::ValueMap<std::vector<const ir::Node*>>;

class NeededPieces {
 public:
  NeededPieces(const MeshCut& cut, const ValueUsers& users) : cut_(cut), users_(users) {}

  /// The piece with those from the same shards that overlap it or lie beside it.
  [[nodiscard]] HaloPiece joined(ir::Value v, const ir::AxisPosition& at, HaloPiece piece);
  /// Whether the value is better gathered once: some of them come from further than the next shards, and all of them
  /// bring more than half of what that brings.
  [[nodiscard]] bool are_most(ir::Value v, const ir::AxisPosition& at);

 private:
  struct Needed {
    std::vector<HaloPiece> pieces;  ///< of other shards
    bool is_far = false;            ///< a node needs some from further than the next
  };
  const Needed& of(ir::Value v, const ir::AxisPosition& at);

  MeshCut cut_;
  const ValueUsers& users_;
  /// By the dimension and the extent of the parts.
  ir::ValueMap<std::map<std::pair<int, std::int64_t>, Needed>> needed_;
};

}  // namespace partita::passes
