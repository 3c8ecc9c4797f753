// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Select_and_scatter, the gradient of a pooling, along a dimension that an axis of a mesh cuts: each shard does all windows
// that reach into its part, and keeps the part.  Padding is never selected, and nothing that stands for it could say so:
// the windows that reach out of the array are done apart, with their padding, by the shards whose parts they reach.
#pragma once

#include "passes/transforms/partition/halo.hpp"

namespace partita::passes {

/// Whether it can be so: sums, in windows of which none reaches out of the array on both sides of the dimension.
[[nodiscard]] bool selects_in_parts(const ir::Node& node, int dim);

/// What a shard needs of the array and of the values of windows.
struct SelectionRun {
  Halo elements, windows;
};
/// Windows that reach out of the array on one side, and the elements that they reach.
struct SelectionEdge {
  std::int64_t begin = 0, elements = 0;
  std::int64_t low = 0, high = 0;                ///< padding
  std::int64_t first_shard = 0, last_shard = 0;  ///< whose parts have some of the elements
  SelectionRun run;
};
struct SelectionHalos {
  SelectionRun run;  ///< of the windows within the array
  ir::I64s own;      ///< by shard: where its part begins in its elements
  std::vector<SelectionEdge> edges;

  [[nodiscard]] std::vector<const SelectionRun*> runs() const;
};
/// For parts of `part` elements of the result; `elements` and `windows` are extents of parts of the operands, 0: whole.
[[nodiscard]] std::optional<SelectionHalos> selection_halos(const ir::Node& node, int dim,
                                                            std::int64_t n, std::int64_t part,
                                                            std::int64_t elements,
                                                            std::int64_t windows);

/// The shard's part.  `operands`: what the halos make of the array and of the values, of each run after the other, and the
/// initial value.
[[nodiscard]] ir::Value selected_part(const ir::Node& node, int dim, const SelectionHalos& halos,
                                      std::int64_t part, const std::vector<ir::Value>& operands,
                                      const MeshCut& cut, ir::Graph& into);

}  // namespace partita::passes
