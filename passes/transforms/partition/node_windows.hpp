// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which nodes look at neighbours along a dimension, and at which: slice, pad, concatenate, reduce_window, convolution,
// and boxes that dynamic_update_slice and scatter write at constant places.
#pragma once

#include <utility>

#include "partita/ir/window.hpp"
#include "passes/transforms/partition/axis_plan.hpp"

namespace partita::passes {

/// The windows of a node over a dimension of one of its operands.  What a slice, a pad, a concatenation or a box takes
/// from an operand are windows of one element.
struct NodeWindows {
  ir::WindowDim window;
  int result_dim = 0;
};
/// Of operand k along a dimension; nothing where the node has none, the dimension passes as it is by its factors, or
/// the windows are those of a scan.
[[nodiscard]] std::optional<NodeWindows> node_windows(const ir::Node& node, std::size_t k, int dim);
/// The same, also where an operand of a concatenation is the result.
[[nodiscard]] std::optional<NodeWindows> any_node_windows(const ir::Node& node, std::size_t k,
                                                          int dim);
/// The operands over which the node has windows: from the first up to, without, the second.
[[nodiscard]] std::pair<std::size_t, std::size_t> windowed_operands(const ir::Node& node);
/// The dimension of these operands whose windows are along a dimension of the result.
[[nodiscard]] std::optional<int> element_dim(const ir::Node& node, int result_dim);
/// The number of windows along a dimension of the result.
[[nodiscard]] std::int64_t window_count(const ir::Node& node, int result_dim);

/// Whether windows are over most of the dimension, as in the gradient of a kernel, rather than at a place of it.
[[nodiscard]] bool is_of_the_whole(const ir::WindowDim& window);

/// Where a result lies whose windows are over operand k, and the other way round; nothing where the node does not
/// look along the dimension, or further than to the neighbours.  The array into which a box is written,
/// or over which a gradient of a pooling selects, lies as the result.
[[nodiscard]] std::optional<ir::AxisPosition> place_of_windows(const ir::Node& node, std::int64_t n,
                                                               std::size_t k,
                                                               const ir::AxisPosition& operand);
[[nodiscard]] std::optional<ir::AxisPosition> place_of_elements(const ir::Node& node,
                                                                std::int64_t n, std::size_t k,
                                                                const ir::AxisPosition& result);

/// A box within an array, which a node writes.
struct WrittenBox {
  std::size_t update = 0;      ///< the operand that is written
  int dim = 0;                 ///< its dimension
  std::int64_t start = 0;      ///< where that begins in the array
  std::optional<int> indices;  ///< of a scatter: the component of index vectors that is along it
};
/// Along a dimension of the array, where the box is shorter and begins at a constant place.
[[nodiscard]] std::optional<WrittenBox> written_box(const ir::Node& node, int dim);

[[nodiscard]] inline std::int64_t extent_of(ir::Value v, int dim) {
  return v.type().dims[std::size_t(dim)];
}
/// ceil(extent / n)
[[nodiscard]] inline std::int64_t extent_of_part(std::int64_t extent, std::int64_t n) {
  return (extent + n - 1) / n;
}
/// Where a number is in a list.
[[nodiscard]] std::optional<std::size_t> index_in(const ir::I64s& list, std::int64_t x);

}  // namespace partita::passes
