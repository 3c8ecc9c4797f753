// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/windowed_parts.hpp"

#include <algorithm>

#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "passes/transforms/partition/flow_choice.hpp"
#include "passes/transforms/partition/selected_parts.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Convolution;
using ir::Dict;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;
using ir::WindowDim;

using At = std::optional<AxisPosition>;

namespace {

Convolution convolution(const Node& node) {
  return {node.operand(0).type(), node.operand(1).type(), node.attrs};
}

/// Looks for the cheapest way through one node.
class Choice {
 public:
  Choice(const Node& node, const MeshCut& cut, const AxisPlan& plan, const HeldValues& held,
         NeededPieces& needed)
      : node_(node), cut_(cut), plan_(plan), held_(held), needed_(needed) {}

  WindowedFlow run() {
    std::vector<int> dims;
    const auto add = [&](std::optional<int> dim) {
      if (dim && std::ranges::find(dims, *dim) == dims.end()) dims.push_back(*dim);
    };
    const auto [first, end] = windowed_operands(node_);
    for (std::size_t k = first; k < end; ++k)
      if (const At at = place(node_.operand(k)); at && at->outer == 1) add(at->dim);
    // The array into which a box is written lies as the result.
    for (const At& at :
         {first < end ? result_place() : At{}, first == 0 ? At{} : place(node_.operand(0))})
      if (at && at->outer == 1) add(element_dim(node_, at->dim));
    for (const int dim : dims) consider(dim);
    if (node_.is("stablehlo.convolution")) consider_kernel();
    if (node_.is("stablehlo.select_and_scatter")) consider_selection();
    return std::move(best_);
  }

 private:
  [[nodiscard]] At place(Value v) const {
    const At at = held_.position(v);
    return at ? at : plan_.position(v);
  }
  [[nodiscard]] At result_place() const {
    return plan_.position(Value{const_cast<Node*>(&node_), 0});
  }

  [[nodiscard]] WindowedFlow untouched() const {
    WindowedFlow found;
    found.flow.operands.resize(node_.operands().size());
    found.flow.results.resize(std::size_t(node_.result_count()));
    return found;
  }

  /// How operand k is taken: in parts unless every shard has the whole.
  [[nodiscard]] At taken(std::size_t k, int dim) const {
    const Value v = node_.operand(k);
    if (!held_.position(v) && !held_.partial(v)) return std::nullopt;
    const At at = place(v);
    if (at && at->dim == dim && at->outer == 1) return at;
    return AxisPosition{
        .dim = dim, .outer = 1, .inner = extent_of_part(extent_of(v, dim), cut_.size())};
  }

  /// Where the results lie whose windows are over a dimension of operand k.
  [[nodiscard]] AxisPosition place_of_result(std::size_t k, const NodeWindows& w) const {
    const std::int64_t count = window_count(node_, w.result_dim);
    AxisPosition at{.dim = w.result_dim, .outer = 1, .inner = extent_of_part(count, cut_.size())};
    // An array is not moved for the box that is written into it.
    const At array = k == 0 ? At{} : held_.position(node_.operand(0));
    for (const At& known : {array, result_place()})
      if (known && known->dim == at.dim && known->outer == 1) return *known;
    if (const At operand = taken(k, dim_); operand && count == w.window.extent)
      at.inner = operand->inner;
    return at;
  }

  void consider(int dim) {
    dim_ = dim;
    WindowedFlow found = untouched();
    AxisPosition result;
    const auto [first, end] = windowed_operands(node_);
    for (std::size_t k = first; k < end; ++k) {
      if (extent_of(node_.operand(k), dim) == 0) continue;
      const auto w = node_.is("stablehlo.concatenate") ? any_node_windows(node_, k, dim)
                                                       : node_windows(node_, k, dim);
      if (!w) return;
      if (found.operands.empty()) result = place_of_result(k, *w);
      const At at = found.flow.operands[k] = taken(k, dim);
      if (!add_operand(found, k, dim,
                       {.window = w->window,
                        .count = window_count(node_, w->result_dim),
                        .n = cut_.size(),
                        .elements = at ? at->inner : 0,
                        .windows = result.inner}))
        return;
      if (at && found.operands.back().halo.received() > 0 &&
          needed_.are_most(node_.operand(k), *at))
        return;
    }
    if (found.operands.empty()) return;
    if (first != 0) found.flow.operands[0] = result;
    std::ranges::fill(found.flow.results, At(result));
    keep_cheaper(std::move(found));
  }

  /// Each shard's part of the kernel with the elements that it meets: as windows over the kernel, whose
  /// elements are the results.  What lies out of the kernel is zero, so that all of them matter; zeros in place of the
  /// padding of a ragged part would make no number of an infinite element that nothing else meets.
  void consider_kernel() {
    const Convolution conv = convolution(node_);
    const At kernel = place(node_.operand(1));
    if (!kernel || kernel->outer != 1 ||
        is_ragged(*kernel, cut_.size(), extent_of(node_.operand(1), kernel->dim)))
      return;
    const auto spatial = index_in(conv.dims.kernel_spatial, kernel->dim);
    if (!spatial || conv.window[*spatial].is_reversed) return;
    const DType dtype = node_.result_types()[0].dtype;
    if (dtype == DType::i1 || !ir::is_combined_over_partitions(Combiner::sum, dtype)) return;
    const int dim = int(conv.dims.input_spatial[*spatial]);
    WindowedFlow found = untouched();
    found.flow.kind = ir::FactorKind::reduced;
    found.flow.combiner = Combiner::sum;
    found.flow.operands[0] = taken(0, dim);
    found.flow.operands[1] = kernel;
    WindowDim w = conv.window[*spatial];
    std::swap(w.stride, w.window_dilation);
    w.size = window_count(node_, int(conv.dims.output_spatial[*spatial]));
    const At& at = found.flow.operands[0];
    if (!add_operand(found, 0, dim,
                     {.window = w,
                      .count = cut_.size() * kernel->inner,
                      .n = cut_.size(),
                      .elements = at ? at->inner : 0,
                      .windows = kernel->inner}))
      return;
    keep_cheaper(std::move(found));
  }

  /// The gradient of a pooling, in the parts of the array or of the result.
  void consider_selection() {
    for (const At& known : {place(node_.operand(0)), result_place()}) {
      if (!known || known->outer != 1 || !selects_in_parts(node_, known->dim)) continue;
      WindowedFlow found = untouched();
      const At array = taken(0, known->dim), values = taken(1, known->dim);
      auto halos = selection_halos(node_, known->dim, cut_.size(), known->inner,
                                   array ? array->inner : 0, values ? values->inner : 0);
      if (!halos) continue;
      found.flow.operands = {array, values, At{}};
      found.flow.results = {known};
      for (const SelectionRun* run : halos->runs()) {
        found.operands.push_back({.k = 0, .dim = known->dim, .halo = run->elements});
        found.operands.push_back({.k = 1, .dim = known->dim, .halo = run->windows});
      }
      keep_cheaper(std::move(found));
    }
  }

  static bool add_operand(WindowedFlow& to, std::size_t k, int dim, const PartWindows& windows) {
    auto halo = find_halo(windows);
    if (!halo) return false;
    to.operands.push_back({.k = k, .dim = dim, .halo = std::move(*halo)});
    return true;
  }

  void keep_cheaper(WindowedFlow found) {
    found.cost = flow_cost(node_, found.flow, cut_, plan_, held_);
    for (const WindowedOperand& operand : found.operands) {
      const Value v = node_.operand(operand.k);
      found.cost += double(operand.halo.received()) * double(v.type().bytes()) /
                    double(extent_of(v, operand.dim));
    }
    if (found.cost < best_.cost) best_ = std::move(found);
  }

  const Node& node_;
  const MeshCut& cut_;
  const AxisPlan& plan_;
  const HeldValues& held_;
  NeededPieces& needed_;
  int dim_ = 0;
  WindowedFlow best_;
};

/// A node's own windows in what a shard holds: from the first place on, and no further than the shard's last.
WindowDim local_windows(const Halo& halo) {
  WindowDim w = halo.of.window;
  if (halo.has_one_lead()) {
    w.extent = halo.length;
    w.low = halo.lead[0];
  } else {
    w.extent = halo.reach + 1;
    w.low = 0;
    w.base_dilation = 1;
  }
  w.high = halo.reach + 1 - w.low - w.spread();
  return w;
}

void set_entry(Dict& attrs, const char* name, std::size_t d, std::int64_t value, I64s otherwise) {
  I64s list = attrs.contains(name) ? attrs.i64s(name) : std::move(otherwise);
  list.at(d) = value;
  attrs.set(name, std::move(list));
}

void set_padding(Dict& attrs, std::size_t rank, std::size_t d, const WindowDim& w) {
  I64s pairs = ir::padding_pairs(attrs, rank);
  pairs[2 * d] = w.low;
  pairs[2 * d + 1] = w.high;
  attrs.set("padding", ir::padding_attribute(pairs));
}

/// The node's attributes with these windows along the dimension.
Dict with_windows(const Node& node, int dim, const WindowDim& w) {
  Dict attrs = node.attrs;
  const auto d = std::size_t(dim);
  const std::size_t rank = node.operand(0).type().dims.size();
  if (node.is("stablehlo.slice")) {
    set_entry(attrs, "start_indices", d, 0, {});
    set_entry(attrs, "limit_indices", d, w.extent, {});
  } else if (node.is("stablehlo.pad")) {
    set_entry(attrs, "edge_padding_low", d, w.low, {});
    set_entry(attrs, "edge_padding_high", d, w.high, {});
    set_entry(attrs, "interior_padding", d, w.base_dilation - 1, {});
  } else if (node.is("stablehlo.reduce_window")) {
    set_entry(attrs, "base_dilations", d, w.base_dilation, I64s(rank, 1));
    set_padding(attrs, rank, d, w);
  } else {
    const std::size_t spatial = *index_in(convolution(node).dims.input_spatial, dim);
    set_entry(attrs, "lhs_dilation", spatial, w.base_dilation, I64s(rank - 2, 1));
    set_padding(attrs, rank - 2, spatial, w);
  }
  return attrs;
}

/// What stands for padding among the elements of operand k.
std::optional<Value> filler_of(const Node& node, std::size_t k, HeldValues& held, ir::Graph& into) {
  if (node.is("stablehlo.pad")) return held.get(node.operand(1), {});
  // Values of windows that there are not add nothing.
  if (node.is("stablehlo.select_and_scatter") && k == 1)
    return Maker{into}.splat(Type::scalar(node.operand(1).type().dtype), 0);
  if (node.is("stablehlo.reduce_window"))
    return held.get(node.operand(node.operands().size() / 2 + k), {});
  if (node.is("stablehlo.convolution"))
    return Maker{into}.splat(Type::scalar(node.operand(0).type().dtype), 0);
  return std::nullopt;
}

/// At each place the last operand that begins there or before.
Value joined(const Node& node, const WindowedFlow& flow, const std::vector<Value>& locals,
             const MeshCut& cut, ir::Graph& into) {
  const AxisPosition& at = *flow.flow.results[0];
  const Maker make{into};
  Value place, result = locals[0];
  for (std::size_t j = 1; j < locals.size(); ++j) {
    if (!place) place = Reshard(into, cut).places(result.type(), at);
    const std::int64_t begin = flow.operands[j].halo.of.window.low;
    result = make.op(
        "stablehlo.select",
        {make.compare("LT", place, make.splat(place.type(), double(begin))), result, locals[j]});
  }
  if (locals.size() > 1) result.node->hint = node.hint;
  return result;
}

/// Indices of a scatter whose windows begin at the first place along the dimension of this component.
Value indices_from_zero(const Node& node, Value indices, int component, ir::Graph& into) {
  const Maker make{into};
  const Type& type = indices.type();
  const std::int64_t vector = node.attrs.i64("index_vector_dim");
  const Value zero = make.splat(type, 0);
  if (vector == type.rank()) return zero;
  const Type places{.dtype = DType::i32, .dims = type.dims};
  return make.op("stablehlo.select",
                 {make.compare("EQ", make.iota(places, vector), make.splat(places, component)),
                  zero, indices});
}

/// The node over all of a shard's places along the dimension, and of that what lies in the box.
Value boxed(const Node& node, const WindowedFlow& flow, Value update, const MeshCut& cut,
            HeldValues& held, ir::Graph& into) {
  const Maker make{into};
  const AxisPosition& at = *flow.flow.results[0];
  const WrittenBox box = *written_box(node, at.dim);
  const Value array = held.get(node.operand(0), at);
  std::vector<Value> operands{array};
  for (std::size_t k = 1; k < node.operands().size(); ++k)
    operands.push_back(k == box.update ? update : held.get(node.operand(k), {}));
  if (box.update == 1)
    operands[2 + std::size_t(at.dim)] = make.splat(operands[2 + std::size_t(at.dim)].type(), 0);
  else if (box.indices)
    operands[1] = indices_from_zero(node, operands[1], *box.indices, into);
  std::vector<std::unique_ptr<ir::Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(ir::clone_graph(*region));
  const Node* made = ir::create(into, node.name(), operands, node.attrs, std::move(regions), {},
                                nullptr, node.location());
  const Value place = Reshard(into, cut).places(array.type(), at);
  const std::int64_t end = box.start + extent_of(node.operand(box.update), box.dim);
  const Value is_inside = make.op(
      "stablehlo.and", {make.compare("GE", place, make.splat(place.type(), double(box.start))),
                        make.compare("LT", place, make.splat(place.type(), double(end)))});
  const Value result =
      make.op("stablehlo.select", {is_inside, Value{const_cast<Node*>(made), 0}, array});
  result.node->hint = node.hint;
  return result;
}

Value selected(const Node& node, const WindowedFlow& flow, std::vector<Value> operands,
               const MeshCut& cut, HeldValues& held, ir::Graph& into) {
  const AxisPosition& at = *flow.flow.results[0];
  const auto extent = [&](std::size_t k) {
    return flow.flow.operands[k] ? flow.flow.operands[k]->inner : 0;
  };
  operands.push_back(held.get(node.operand(2), {}));
  const auto halos = selection_halos(node, at.dim, cut.size(), at.inner, extent(0), extent(1));
  return selected_part(node, at.dim, *halos, at.inner, operands, cut, into);
}

}  // namespace

WindowedFlow choose_windows(const Node& node, const MeshCut& cut, const AxisPlan& plan,
                            const HeldValues& held, NeededPieces& needed) {
  return Choice(node, cut, plan, held, needed).run();
}

std::vector<Value> windowed_parts(const Node& node, const WindowedFlow& flow, const MeshCut& cut,
                                  HeldValues& held, Halos& halos, ir::Graph& into) {
  std::vector<Value> locals;
  for (const WindowedOperand& operand : flow.operands)
    locals.push_back(halos.local(node.operand(operand.k), flow.flow.operands[operand.k],
                                 operand.dim, operand.halo, filler_of(node, operand.k, held, into),
                                 into));
  if (node.is("stablehlo.concatenate")) return {joined(node, flow, locals, cut, into)};
  const WindowedOperand& first = flow.operands[0];
  if (node.is("stablehlo.select_and_scatter"))
    return {selected(node, flow, locals, cut, held, into)};
  if (first.k != 0) return {boxed(node, flow, locals[0], cut, held, into)};
  const WindowDim w = local_windows(first.halo);
  std::vector<Value> operands = locals;
  for (std::size_t k = locals.size(); k < node.operands().size(); ++k) {
    const Value v = node.operand(k);
    operands.push_back(held.get(v, flow.flow.operands[k]));
  }
  std::vector<std::unique_ptr<ir::Graph>> regions;
  for (const auto& region : node.regions()) regions.push_back(ir::clone_graph(*region));
  std::vector<Type> types;
  for (int k = 0; k < node.result_count(); ++k)
    types.push_back(
        part_type(node.result_types()[std::size_t(k)], flow.flow.results[std::size_t(k)]));
  Node* made = ir::create(into, node.name(), operands, with_windows(node, first.dim, w),
                          std::move(regions), types, nullptr, node.location());
  made->hint = node.hint;
  std::vector<Value> results;
  for (int k = 0; k < made->result_count(); ++k) results.push_back(made->result(k));
  return results;
}

}  // namespace partita::passes
