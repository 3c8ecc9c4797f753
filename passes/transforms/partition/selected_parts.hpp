// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Select_and_scatter, the gradient of a pooling, along a dimension that an axis of a mesh cuts: each shard does all windows
// that reach into its part, and keeps the part.
#pragma once

#include "passes/transforms/partition/halo.hpp"

namespace partita::passes {

/// Whether it can be so: sums, in windows of which none reaches out of the array along the dimension, because what stands
/// for padding there could be selected.
[[nodiscard]] bool selects_in_parts(const ir::Node& node, int dim);

/// What a shard needs of the array and of the values of windows.
struct SelectionHalos {
  Halo elements, windows;
  ir::I64s own;  ///< by shard: where its part begins in its elements
};
/// For parts of `part` elements of the result; `elements` and `windows` are extents of parts of the operands, 0: whole.
[[nodiscard]] std::optional<SelectionHalos> selection_halos(const ir::Node& node, int dim,
                                                            std::int64_t n, std::int64_t part,
                                                            std::int64_t elements,
                                                            std::int64_t windows);

/// The shard's part.  `operands`: what the halos make of the first two, and the initial value.
[[nodiscard]] ir::Value selected_part(const ir::Node& node, int dim, const SelectionHalos& halos,
                                      std::int64_t part, const std::vector<ir::Value>& operands,
                                      const MeshCut& cut, ir::Graph& into);

}  // namespace partita::passes
