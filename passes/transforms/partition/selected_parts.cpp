// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/selected_parts.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {

using ir::I64s;
using ir::Node;
using ir::Value;
using ir::WindowDim;

namespace {

WindowDim windows_of(const Node& node, int dim) {
  return ir::window_dims(node.operand(0).type(), node.attrs)[std::size_t(dim)];
}

}  // namespace

bool selects_in_parts(const Node& node, int dim) {
  if (!node.is("stablehlo.select_and_scatter")) return false;
  const WindowDim w = windows_of(node, dim);
  const bool is_sum = ir::simple_combiner(node.region(1)) == Combiner::sum &&
                      node.operand(0).type().dtype != DType::i1;
  return is_sum && !w.is_identity() && w.count() > 0 && w.low <= 0 &&
         w.position(w.count() - 1, w.size - 1) < w.extent;
}

std::optional<SelectionHalos> selection_halos(const Node& node, int dim, std::int64_t n,
                                              std::int64_t part, std::int64_t elements,
                                              std::int64_t windows) {
  const WindowDim w = windows_of(node, dim);
  PartRuns of_windows{.extent = w.count(), .n = n, .elements = windows, .first = {}, .last = {}},
      of_elements{.extent = w.extent, .n = n, .elements = elements, .first = {}, .last = {}};
  I64s own;
  for (std::int64_t i = 0; i < n && i * part < w.extent; ++i) {
    const std::int64_t begin = i * part + w.low;
    // The first window that reaches into the part, or the one that begins before it where there are gaps.
    const std::int64_t first =
        std::min(ceil_div(begin - (w.size - 1), w.stride), floor_div(begin, w.stride));
    of_windows.first.push_back(first);
    of_windows.last.push_back(floor_div(begin + part - 1, w.stride));
    of_windows.length = std::max(of_windows.length, of_windows.last.back() - first + 1);
    of_elements.first.push_back(first * w.stride - w.low);
    of_elements.last.push_back(
        w.position(std::min(of_windows.last.back(), w.count() - 1), w.size - 1));
    own.push_back(i * part - of_elements.first.back());
  }
  of_elements.length =
      std::max((of_windows.length - 1) * w.stride + w.size, std::ranges::max(own) + part);
  auto a = find_halo(of_elements), b = find_halo(of_windows);
  if (!a || !b) return std::nullopt;
  return SelectionHalos{std::move(*a), std::move(*b), std::move(own)};
}

Value selected_part(const Node& node, int dim, const SelectionHalos& halos, std::int64_t part,
                    const std::vector<Value>& operands, const MeshCut& cut, ir::Graph& into) {
  const WindowDim w = windows_of(node, dim);
  const auto d = std::size_t(dim);
  I64s padding = ir::padding_pairs(node.attrs, node.operand(0).type().dims.size());
  padding[2 * d] = 0;
  padding[2 * d + 1] = (halos.windows.length - 1) * w.stride + w.size - halos.elements.length;
  ir::Dict attrs = node.attrs;
  attrs.set("padding", ir::padding_attribute(padding));
  std::vector<std::unique_ptr<ir::Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(ir::clone_graph(*region));
  const Node* made = ir::create(into, node.name(), operands, attrs, std::move(regions), {}, nullptr,
                                node.location());
  return sliced_by_shard(Value{const_cast<Node*>(made), 0}, dim, halos.own, part, cut, into);
}

}  // namespace partita::passes
