// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/node_windows.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"
#include "passes/transforms/partition/halo.hpp"
#include "passes/transforms/partition/selected_parts.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Convolution;
using ir::I64s;
using ir::Node;
using ir::Value;
using ir::WindowDim;

using At = std::optional<AxisPosition>;

std::optional<std::size_t> index_in(const I64s& list, std::int64_t x) {
  const auto found = std::ranges::find(list, x);
  return found == list.end() ? std::nullopt : std::optional(std::size_t(found - list.begin()));
}

namespace {

Convolution convolution(const Node& node) {
  return {node.operand(0).type(), node.operand(1).type(), node.attrs};
}

/// Numbers of a constant.
std::optional<I64s> constants(Value v) {
  if (!v.node->is("stablehlo.constant")) return std::nullopt;
  const auto* dense = v.node->attrs.find("value")->get_if<ir::DenseRef>();
  if (!dense) return std::nullopt;
  const HostArray array = convert((*dense)->to_array(), DType::i64);
  const auto* data = array.data<DType::i64>();
  return I64s(data, data + array.type.count());
}

/// The dimension of a scatter's updates for that of the operand within a window; nothing where a window has one
/// place along it.
std::optional<int> update_dim(const Node& scatter, int dim) {
  const I64s &inserted = scatter.attrs.i64s_or_empty("inserted_window_dims"),
             &batching = scatter.attrs.i64s_or_empty("input_batching_dims"),
             &window = scatter.attrs.i64s_or_empty("update_window_dims");
  std::size_t in_window = 0;
  for (int d = 0; d <= dim; ++d) {
    const bool is_single = index_in(inserted, d) || index_in(batching, d);
    if (d == dim) return is_single ? std::nullopt : std::optional(int(window.at(in_window)));
    in_window += is_single ? 0 : 1;
  }
  return std::nullopt;
}

/// Where all of a scatter's windows begin along the dimension.
std::optional<std::int64_t> scatter_start(const Node& node, int dim, WrittenBox& box) {
  const auto component = index_in(node.attrs.i64s_or_empty("scatter_dims_to_operand_dims"), dim);
  if (!component) return 0;
  const auto indices = constants(node.operand(1));
  const Type& type = node.operand(1).type();
  const std::int64_t vector = node.attrs.i64("index_vector_dim");
  if (!indices || indices->empty()) return std::nullopt;
  box.indices = int(*component);
  std::int64_t inner = 1, extent = 1;
  if (vector < type.rank()) {
    extent = type.dims[std::size_t(vector)];
    for (std::int64_t d = vector + 1; d < type.rank(); ++d) inner *= type.dims[std::size_t(d)];
  }
  std::optional<std::int64_t> start;
  for (std::int64_t i = 0; i < std::ssize(*indices); ++i) {
    if (i / inner % extent != std::int64_t(*component)) continue;
    const std::int64_t x = (*indices)[std::size_t(i)];
    if (start && *start != x) return std::nullopt;
    start = x;
  }
  return start;
}

bool writes_box(const Node& node) {
  return node.is("stablehlo.dynamic_update_slice") ||
         (node.is("stablehlo.scatter") && node.operands().size() == 3);
}

std::size_t update_of(const Node& node) { return node.is("stablehlo.scatter") ? 2 : 1; }

}  // namespace

std::optional<WrittenBox> written_box(const Node& node, int dim) {
  if (!writes_box(node)) return std::nullopt;
  WrittenBox box{.update = update_of(node)};
  std::optional<std::int64_t> start;
  const std::int64_t extent = extent_of(node.operand(0), dim);
  if (node.is("stablehlo.scatter")) {
    const auto of_update = update_dim(node, dim);
    if (!of_update) return std::nullopt;
    box.dim = *of_update;
    start = scatter_start(node, dim, box);
  } else {
    box.dim = dim;
    const auto given = constants(node.operand(2 + std::size_t(dim)));
    if (given)
      start = std::clamp(given->at(0), std::int64_t(0), extent - extent_of(node.operand(1), dim));
  }
  const std::int64_t size = extent_of(node.operand(box.update), box.dim);
  // What a scatter does not write because it lies outside is not said by windows.
  if (!start || *start < 0 || *start + size > extent || size == extent || size == 0)
    return std::nullopt;
  box.start = *start;
  return box;
}

std::pair<std::size_t, std::size_t> windowed_operands(const Node& node) {
  if (node.is("stablehlo.slice") || node.is("stablehlo.pad") || node.is("stablehlo.convolution"))
    return {0, 1};
  if (node.is("stablehlo.concatenate")) return {0, node.operands().size()};
  if (node.is("stablehlo.reduce_window")) return {0, node.operands().size() / 2};
  return writes_box(node) ? std::pair(update_of(node), update_of(node) + 1)
                          : std::pair(std::size_t(0), std::size_t(0));
}

namespace {

/// Along one of the dimensions that a convolution's windows have.
std::optional<NodeWindows> convolution_windows(const Node& node, int dim) {
  const Convolution conv = convolution(node);
  const auto spatial = index_in(conv.dims.input_spatial, dim);
  if (!spatial) return std::nullopt;
  return NodeWindows{conv.window[*spatial], int(conv.dims.output_spatial[*spatial])};
}

NodeWindows concatenated_windows(const Node& node, std::size_t k, int dim) {
  WindowDim w{.extent = extent_of(node.operand(k), dim)};
  for (std::size_t before = 0; before < k; ++before) w.low += extent_of(node.operand(before), dim);
  w.high = window_count(node, dim) - w.low - w.extent;
  return {w, dim};
}

/// Along a dimension of what is written.
std::optional<NodeWindows> box_windows(const Node& node, int dim) {
  for (int d = 0; d < node.operand(0).type().rank(); ++d)
    if (const auto box = written_box(node, d); box && box->dim == dim) {
      WindowDim w{.extent = extent_of(node.operand(box->update), dim), .low = box->start};
      w.high = window_count(node, d) - w.low - w.extent;
      return NodeWindows{w, d};
    }
  return std::nullopt;
}

}  // namespace

std::optional<NodeWindows> any_node_windows(const Node& node, std::size_t k, int dim) {
  const auto [first, end] = windowed_operands(node);
  if (k < first || k >= end) return std::nullopt;
  const auto d = std::size_t(dim);
  const std::int64_t extent = extent_of(node.operand(k), dim);
  if (node.is("stablehlo.convolution")) return convolution_windows(node, dim);
  if (writes_box(node)) return box_windows(node, dim);
  if (node.is("stablehlo.slice"))
    return NodeWindows{{.extent = extent,
                        .stride = node.attrs.i64s("strides")[d],
                        .low = -node.attrs.i64s("start_indices")[d],
                        .high = node.attrs.i64s("limit_indices")[d] - extent},
                       dim};
  if (node.is("stablehlo.pad"))
    return NodeWindows{{.extent = extent,
                        .low = node.attrs.i64s("edge_padding_low")[d],
                        .high = node.attrs.i64s("edge_padding_high")[d],
                        .base_dilation = node.attrs.i64s("interior_padding")[d] + 1},
                       dim};
  if (node.is("stablehlo.concatenate")) {
    if (node.attrs.i64("dimension") != dim) return std::nullopt;
    return concatenated_windows(node, k, dim);
  }
  const std::vector<WindowDim> window = ir::window_dims(node.operand(k).type(), node.attrs);
  const auto scan = ir::scan_shape(window);
  if (scan && scan->dimension == dim) return std::nullopt;
  return NodeWindows{window[d], dim};
}

std::optional<NodeWindows> node_windows(const Node& node, std::size_t k, int dim) {
  const auto found = any_node_windows(node, k, dim);
  return found && !found->window.is_identity() ? found : std::nullopt;
}

std::optional<int> element_dim(const Node& node, int result_dim) {
  if (const auto box = written_box(node, result_dim)) return box->dim;
  if (writes_box(node)) return std::nullopt;
  if (!node.is("stablehlo.convolution")) return result_dim;
  const ir::ConvolutionDims dims = convolution(node).dims;
  const auto spatial = index_in(dims.output_spatial, result_dim);
  if (!spatial) return std::nullopt;
  return int(dims.input_spatial[*spatial]);
}

bool is_of_the_whole(const WindowDim& w) {
  return w.size > 1 && 2 * ((w.size - 1) * w.window_dilation + 1) > w.spread();
}

std::int64_t window_count(const Node& node, int result_dim) {
  return node.result_types()[0].dims[std::size_t(result_dim)];
}

namespace {

bool is_near(const NodeWindows& w, std::int64_t n, std::int64_t elements, std::int64_t windows,
             std::int64_t count) {
  if (is_of_the_whole(w.window)) return false;
  const auto halo = find_halo(
      {.window = w.window, .count = count, .n = n, .elements = elements, .windows = windows});
  return halo && halo->is_near();
}

}  // namespace

At place_of_windows(const Node& node, std::int64_t n, std::size_t k, const AxisPosition& operand) {
  if (operand.outer != 1) return std::nullopt;
  if (k == 0 && (written_box(node, operand.dim) || selects_in_parts(node, operand.dim)))
    return operand;
  const auto w = node_windows(node, k, operand.dim);
  if (!w) return std::nullopt;
  const std::int64_t count = window_count(node, w->result_dim);
  const std::int64_t windows = count == w->window.extent ? operand.inner : extent_of_part(count, n);
  if (!is_near(*w, n, operand.inner, windows, count)) return std::nullopt;
  return AxisPosition{.dim = w->result_dim, .outer = 1, .inner = windows};
}

At place_of_elements(const Node& node, std::int64_t n, std::size_t k, const AxisPosition& result) {
  if (result.outer != 1) return std::nullopt;
  const bool selects = k < 2 && selects_in_parts(node, result.dim);
  if (k == 0 && (selects || written_box(node, result.dim))) return result;
  if (selects)
    return AxisPosition{.dim = result.dim,
                        .outer = 1,
                        .inner = extent_of_part(extent_of(node.operand(1), result.dim), n)};
  const auto dim = element_dim(node, result.dim);
  const auto w = dim ? node_windows(node, k, *dim) : std::nullopt;
  if (!w) return std::nullopt;
  const std::int64_t count = window_count(node, result.dim), extent = w->window.extent;
  const std::int64_t elements = count == extent ? result.inner : extent_of_part(extent, n);
  if (!is_near(*w, n, elements, result.inner, count)) return std::nullopt;
  return AxisPosition{.dim = *dim, .outer = 1, .inner = elements};
}

}  // namespace partita::passes
