// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How an argument or result is cut over the partitions of an executable: what the program asks for and what the
// compiled one does.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "partita/base/array_block.hpp"
#include "partita/ir/graph.hpp"

namespace partita::pjrt {

struct PortCut {
  Dims pieces;                  ///< of each dimension
  std::vector<Dims> by_device;  ///< which piece along each a partition holds
  bool operator==(const PortCut&) const = default;
};

/// Of an array of this rank that every partition holds whole.
[[nodiscard]] PortCut whole_cut(std::size_t rank, int partitions);
/// What a program asks for: a cut, and which dimensions may be cut further.
struct AskedCut {
  PortCut cut;
  std::vector<bool> is_open;
  /// Whether a cut is what is asked for; with `may_refine`, also where open dimensions are cut otherwise.
  [[nodiscard]] bool fits(const PortCut& planned, bool may_refine) const;
};
/// What the attributes of an argument or result of a module say; nothing where they do not.
[[nodiscard]] std::optional<AskedCut> asked_cut(const ir::Module& module,
                                                const ir::Dict& attributes, const Type& type,
                                                int partitions);
/// What a plan does; nothing where a block is padded.
[[nodiscard]] std::optional<PortCut> planned_cut(const Plan& plan, const PortInfo& port,
                                                 int partitions);
/// The block of a partition.  A user error where the pieces do not divide the array.
[[nodiscard]] ArrayBlock block_of(const PortCut& cut, const Type& type, int partition);

/// XLA's OpSharding message; empty: every partition has all.  `is_sum`: the first dimension counts the terms of a sum.
[[nodiscard]] std::string sharding_message(const PortCut& cut, bool is_sum);
/// The same as XLA writes it: "{devices=[2,1]0,1}", "{replicated}".
[[nodiscard]] std::string sharding_text(const PortCut& cut, bool is_sum);

}  // namespace partita::pjrt
