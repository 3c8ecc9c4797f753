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

/// Windows up to `head` begin before the array, those from `tail` on end behind it.
struct Groups {
  std::int64_t head = 0, tail = 0;
};
std::optional<Groups> groups_of(const WindowDim& w) {
  const std::int64_t count = w.count();
  const std::int64_t head = std::clamp(ceil_div(w.low, w.stride), std::int64_t(0), count),
                     tail = floor_div(w.extent - w.size + w.low, w.stride) + 1;
  if (tail < head) return std::nullopt;
  return Groups{head, std::min(tail, count)};
}

/// Parts into which a dimension, its array and its windows are divided.
struct Parts {
  std::int64_t n = 1, result = 0, elements = 0, windows = 0;
};

/// A run of `count` places from `begin` on, all of it for the shards from `first` to `last`.
std::optional<Halo> same_run(std::int64_t extent, std::int64_t begin, std::int64_t count,
                             std::int64_t n, std::int64_t part, std::int64_t first,
                             std::int64_t last) {
  PartRuns runs{.extent = extent, .n = n, .elements = part, .length = count, .end = extent};
  for (std::int64_t i = 0; i <= last; ++i) {
    // Those before need none, and look as far into their pieces.
    runs.first.push_back(begin + std::min(i - first, std::int64_t(0)) * part);
    runs.last.push_back(i < first ? runs.first.back() - 1 : begin + count - 1);
  }
  return find_halo(runs);
}

bool add_edge(SelectionHalos& to, const WindowDim& w, const Parts& parts, std::int64_t first_window,
              std::int64_t windows, SelectionEdge edge) {
  if (windows == 0 || edge.elements <= 0) return true;
  edge.first_shard = edge.begin / parts.result;
  edge.last_shard = (edge.begin + edge.elements - 1) / parts.result;
  auto elements = same_run(w.extent, edge.begin, edge.elements, parts.n, parts.elements,
                           edge.first_shard, edge.last_shard);
  auto values = same_run(w.count(), first_window, windows, parts.n, parts.windows, edge.first_shard,
                         edge.last_shard);
  if (!elements || !values) return false;
  edge.run = {std::move(*elements), std::move(*values)};
  to.edges.push_back(std::move(edge));
  return true;
}

bool add_edges(SelectionHalos& to, const WindowDim& w, const Groups& groups, const Parts& parts) {
  const std::int64_t last_of_head = w.position(groups.head - 1, w.size - 1);
  if (!add_edge(to, w, parts, 0, groups.head,
                {.begin = 0, .elements = last_of_head + 1, .low = w.low}))
    return false;
  const std::int64_t windows = w.count() - groups.tail, begin = w.position(groups.tail, 0),
                     elements = w.extent - begin;
  return add_edge(
      to, w, parts, groups.tail, windows,
      {.begin = begin, .elements = elements, .high = (windows - 1) * w.stride + w.size - elements});
}

/// The node on other operands, with this padding along the dimension.
Value selected(const Node& node, int dim, std::int64_t low, std::int64_t high,
               const std::vector<Value>& operands, ir::Graph& into) {
  const auto d = std::size_t(dim);
  I64s padding = ir::padding_pairs(node.attrs, node.operand(0).type().dims.size());
  padding[2 * d] = low;
  padding[2 * d + 1] = high;
  ir::Dict attrs = node.attrs;
  attrs.set("padding", ir::padding_attribute(padding));
  std::vector<std::unique_ptr<ir::Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(ir::clone_graph(*region));
  return ir::create(into, node.name(), operands, attrs, std::move(regions), {}, nullptr,
                    node.location())
      ->result();
}

/// What the windows of an edge add to the shard's part.
Value edge_part(const Node& node, int dim, const SelectionEdge& edge, std::int64_t part,
                const std::vector<Value>& operands, const MeshCut& cut, ir::Graph& into) {
  const ir::Maker make{into, nullptr, node.location()};
  const Reshard reshard(into, cut);
  const Value zero = make.splat(Type::scalar(node.operand(0).type().dtype), 0);
  const Value sums =
      selected(node, dim, edge.low, edge.high, {operands[0], operands[1], zero}, into);
  const std::int64_t front = edge.begin - edge.first_shard * part,
                     reach = (edge.last_shard - edge.first_shard + 1) * part;
  I64s starts;
  for (std::int64_t i = 0; i <= edge.last_shard; ++i)
    starts.push_back(std::max(i - edge.first_shard, std::int64_t(0)) * part);
  const Value own = sliced_by_shard(reshard.padded(sums, dim, front, reach - front - edge.elements),
                                    dim, starts, part, cut, into);
  // On shards that have none of the elements it is of nothing.
  const Value place = reshard.places(own.type(), {.dim = dim, .outer = 1, .inner = part});
  const auto limit = [&](std::int64_t x) { return make.splat(place.type(), double(x)); };
  const Value is_reached =
      make.op("stablehlo.and", {make.compare("GE", place, limit(edge.begin)),
                                make.compare("LT", place, limit(edge.begin + edge.elements))});
  return make.op("stablehlo.select", {is_reached, own, make.splat(own.type(), 0)});
}

}  // namespace

std::vector<const SelectionRun*> SelectionHalos::runs() const {
  std::vector<const SelectionRun*> all{&run};
  for (const SelectionEdge& edge : edges) all.push_back(&edge.run);
  return all;
}

bool selects_in_parts(const Node& node, int dim) {
  if (!node.is("stablehlo.select_and_scatter")) return false;
  const WindowDim w = windows_of(node, dim);
  const bool is_sum = ir::simple_combiner(node.region(1)) == Combiner::sum &&
                      node.operand(0).type().dtype != DType::i1;
  return is_sum && !w.is_identity() && w.count() > 0 && groups_of(w);
}

std::optional<SelectionHalos> selection_halos(const Node& node, int dim, std::int64_t n,
                                              std::int64_t part, std::int64_t elements,
                                              std::int64_t windows) {
  const WindowDim w = windows_of(node, dim);
  const Groups groups = *groups_of(w);
  PartRuns of_windows{
      .extent = w.count(), .n = n, .elements = windows, .begin = groups.head, .end = groups.tail},
      of_elements{.extent = w.extent, .n = n, .elements = elements, .end = w.extent};
  SelectionHalos halos;
  for (std::int64_t i = 0; i < n && i * part < w.extent; ++i) {
    const std::int64_t begin = i * part + w.low;
    // The first window that reaches into the part, or the one that begins before it where there are gaps.
    const std::int64_t first =
        std::min(ceil_div(begin - (w.size - 1), w.stride), floor_div(begin, w.stride));
    of_windows.first.push_back(first);
    of_windows.last.push_back(floor_div(begin + part - 1, w.stride));
    of_windows.length = std::max(of_windows.length, of_windows.last.back() - first + 1);
    of_elements.first.push_back(w.position(first, 0));
    of_elements.last.push_back(
        w.position(std::min(of_windows.last.back(), groups.tail - 1), w.size - 1));
    halos.own.push_back(i * part - of_elements.first.back());
  }
  of_elements.length =
      std::max((of_windows.length - 1) * w.stride + w.size, std::ranges::max(halos.own) + part);
  auto a = find_halo(of_elements), b = find_halo(of_windows);
  if (!a || !b) return std::nullopt;
  halos.run = {std::move(*a), std::move(*b)};
  const Parts parts{.n = n, .result = part, .elements = elements, .windows = windows};
  return add_edges(halos, w, groups, parts) ? std::optional(std::move(halos)) : std::nullopt;
}

Value selected_part(const Node& node, int dim, const SelectionHalos& halos, std::int64_t part,
                    const std::vector<Value>& operands, const MeshCut& cut, ir::Graph& into) {
  const WindowDim w = windows_of(node, dim);
  const std::int64_t high =
      (halos.run.windows.length - 1) * w.stride + w.size - halos.run.elements.length;
  const Value sums =
      selected(node, dim, 0, high, {operands[0], operands[1], operands.back()}, into);
  Value own = sliced_by_shard(sums, dim, halos.own, part, cut, into);
  for (std::size_t e = 0; e < halos.edges.size(); ++e)
    own = ir::Maker{into}.op(
        "stablehlo.add", {own, edge_part(node, dim, halos.edges[e], part,
                                         {operands[2 * e + 2], operands[2 * e + 3]}, cut, into)});
  return own;
}

}  // namespace partita::passes
