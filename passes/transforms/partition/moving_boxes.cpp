// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/moving_boxes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "partita/ir/op.hpp"
#include "passes/transforms/partition/indexed_parts.hpp"
#include "passes/transforms/partition/node_windows.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

using At = std::optional<AxisPosition>;

namespace {

bool is_read(const Node& node) { return node.is("stablehlo.dynamic_slice"); }
bool is_written(const Node& node) { return node.is("stablehlo.dynamic_update_slice"); }
std::size_t first_start(const Node& node) { return is_read(node) ? 1 : 2; }

/// Whether the box is over more than half of the dimension.
bool is_long(const Node& node, int dim) {
  return 2 * extent_of(box_of(node), dim) > extent_of(node.operand(0), dim);
}

/// Steps of doubling length that make up every distance between n shards.
std::int64_t doubling_steps(std::int64_t n) {
  std::int64_t steps = 0;
  while ((std::int64_t(1) << steps) < n) ++steps;
  return steps;
}

/// Makes one such node of parts along a dimension.
class Boxes {
 public:
  Boxes(const Node& node, const AxisPosition& at, const MeshCut& cut, HeldValues& held,
        Halos& halos, ir::Graph& into)
      : node_(node),
        at_(at),
        cut_(cut),
        held_(held),
        halos_(halos),
        into_(into),
        make_{into, nullptr, node.location()},
        reshard_(into, cut) {}

  [[nodiscard]] bool read(const At& wanted) {
    const Value array = node_.operand(0), result = box_of(node_);
    if (!held_.position(array)) return false;
    const bool is_read_in_loop = &held_.home(array) != &into_;
    if (is_long(node_, at_.dim)) return !is_read_in_loop && read_long(wanted);
    // What a loop reads can be gathered once before it: then a row costs no call of its own.
    if (is_read_in_loop && double(result.type().bytes()) < cut_.call_bytes) return false;
    const DType d = result.type().dtype;
    if (is_float(d))
      set_sum_of_bits(result, wanted);
    else
      held_.set_partial(result, into_, term(held_.get(array, at_)),
                        d == DType::i1 ? Combiner::logical_or : Combiner::sum);
    return true;
  }

  [[nodiscard]] bool write() {
    const Value box = box_of(node_), result{const_cast<Node*>(&node_), 0};
    const At box_at = held_.position(box);
    const bool is_cut = box_at && box_at->dim == at_.dim && box_at->outer == 1;
    if (is_cut && is_long(node_, at_.dim))
      if (const Value made = written_long(*box_at)) {
        held_.set(result, into_, made, at_);
        return true;
      }
    held_.set(result, into_, written(), at_);
    return true;
  }

 private:
  /// As whole numbers, of which all but one shard's are 0: so floats stay what they are, zeros with their signs.
  void set_sum_of_bits(Value result, const At& wanted) {
    const DType d = result.type().dtype;
    const auto as = [&](Value v, DType to) {
      return make_.typed("stablehlo.bitcast_convert", {v}, {.dtype = to, .dims = v.type().dims});
    };
    const Value own = term(as(held_.get(node_.operand(0), at_), bits_dtype(d)));
    const Value sum = wanted ? reshard_.combine_scatter(own, Combiner::sum, *wanted)
                             : reshard_.combine(own, Combiner::sum);
    held_.set(result, into_, as(sum, d), wanted);
  }

  [[nodiscard]] std::int64_t size() const { return extent_of(box_of(node_), at_.dim); }
  [[nodiscard]] std::int64_t extent() const { return extent_of(node_.operand(0), at_.dim); }
  [[nodiscard]] Value splat(std::int64_t x) const {
    return make_.splat(Type::scalar(DType::i32), double(x));
  }

  /// Where the box begins along dimension d, within the array; an i32.
  [[nodiscard]] Value start(int d) {
    const std::int64_t last = extent_of(node_.operand(0), d) - extent_of(box_of(node_), d);
    const Value v = held_.get(node_.operand(first_start(node_) + std::size_t(d)), {});
    return make_.convert(within(signed_indices(make_, v, last), 0, last), DType::i32);
  }
  [[nodiscard]] Value within(Value v, std::int64_t least, std::int64_t most) const {
    return make_.op("stablehlo.maximum",
                    {make_.op("stablehlo.minimum", {v, make_.splat(v.type(), double(most))}),
                     make_.splat(v.type(), double(least))});
  }
  /// Of the shard's part, where the box begins; it may be before or behind it.
  [[nodiscard]] Value local_start() {
    return make_.op(
        "stablehlo.subtract",
        {start(at_.dim), make_.op("stablehlo.multiply", {reshard_.index(), splat(at_.inner)})});
  }
  /// All starts, with this one along the dimension.
  [[nodiscard]] std::vector<Value> starts(Value along) {
    std::vector<Value> all;
    for (int d = 0; d < node_.operand(0).type().rank(); ++d)
      all.push_back(d == at_.dim ? along : start(d));
    return all;
  }
  [[nodiscard]] Value read_box(Value from, const std::vector<Value>& starts, const I64s& sizes) {
    std::vector<Value> operands{from};
    operands.insert(operands.end(), starts.begin(), starts.end());
    return make_.op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}});
  }
  /// `count` places along the dimension from a start on, which is moved into it.
  [[nodiscard]] Value read_along(Value from, Value start, std::int64_t count) {
    I64s sizes = from.type().dims;
    sizes[std::size_t(at_.dim)] = count;
    std::vector<Value> all(sizes.size(), splat(0));
    all[std::size_t(at_.dim)] = start;
    return read_box(from, all, sizes);
  }
  [[nodiscard]] Value are_within(Value places, Value first, Value end) const {
    const auto spread = [&](Value v) { return make_.broadcast(v, places.type().dims, {}); };
    return make_.op("stablehlo.and", {make_.compare("GE", places, spread(first)),
                                      make_.compare("LT", places, spread(end))});
  }

  /// What of the box lies in the shard's part of the array, zeros elsewhere.
  [[nodiscard]] Value term(Value part) {
    part = reshard_.padded(part, at_.dim, size(), size());
    const Value along = make_.op("stablehlo.add", {local_start(), splat(size())});
    return read_box(part, starts(within(along, 0, at_.inner + size())), box_of(node_).type().dims);
  }

  /// The shard's part with what of the box lies in it: as many places as can, of those that lie elsewhere what was there.
  [[nodiscard]] Value written() {
    const std::int64_t count = std::min(size(), at_.inner);
    const Value array = held_.get(node_.operand(0), at_), first = local_start(),
                begin = within(first, 0, at_.inner - count),
                skipped = make_.op("stablehlo.subtract", {begin, first});
    Value box = held_.get(box_of(node_), {});
    if (size() > 1)
      box = read_along(
          reshard_.padded(box, at_.dim, count, count),
          within(make_.op("stablehlo.add", {skipped, splat(count)}), 0, size() + count), count);
    const std::vector<Value> place = starts(begin);
    const Type places{.dtype = DType::i32, .dims = box.type().dims};
    const Value in_box = make_.op(
        "stablehlo.add", {make_.iota(places, at_.dim), make_.broadcast(skipped, places.dims, {})});
    const Value kept = make_.op("stablehlo.select", {are_within(in_box, splat(0), splat(size())),
                                                     box, read_box(array, place, box.type().dims)});
    std::vector<Value> operands{array, kept};
    operands.insert(operands.end(), place.begin(), place.end());
    return make_.op("stablehlo.dynamic_update_slice", operands);
  }

  /// The same part of the array whose element j is element j + amount, or j - amount, of the one of which `part` is:
  /// whole parts go by steps of 1, 2, 4, … shards, the rest comes from the next one.
  [[nodiscard]] Value shifted(Value part, Value amount, bool forwards) {
    const std::int64_t n = cut_.size(), p = at_.inner;
    const Value shards = make_.op("stablehlo.divide", {amount, splat(p)}),
                rest = make_.op("stablehlo.remainder", {amount, splat(p)});
    I64s all(std::size_t(n), 0);
    std::iota(all.begin(), all.end(), 0);
    const auto from = [&](Value v, std::int64_t hop) {
      return reshard_.shift(v, forwards ? hop : -hop, all);
    };
    for (std::int64_t k = 0; k < doubling_steps(n); ++k) {
      const Value bit =
          make_.op("stablehlo.and",
                   {make_.op("stablehlo.shift_right_logical", {shards, splat(k)}), splat(1)});
      part = make_.op("stablehlo.select",
                      {make_.compare("NE", bit, splat(0)), from(part, std::int64_t(1) << k), part});
    }
    const Value next = from(part, 1);
    const Value both = make_.op("stablehlo.concatenate",
                                forwards ? std::vector{part, next} : std::vector{next, part},
                                {{"dimension", std::int64_t(at_.dim)}});
    return read_along(both, forwards ? rest : make_.op("stablehlo.subtract", {splat(p), rest}), p);
  }
  /// What a shift and a halo bring beside the bytes of the whole, which a shard would hold besides.
  [[nodiscard]] bool is_cheaper(const Halo& halo, std::int64_t whole) const {
    const Type& type = node_.operand(0).type();
    const double row = double(type.bytes()) / double(extent());
    const double steps = double(doubling_steps(cut_.size()) + 1);
    const double messages = double(
        std::ranges::count_if(halo.pieces, [](const HaloPiece& piece) { return piece.hop != 0; }));
    return row * (steps * double(at_.inner) + double(halo.received())) +
               (steps + messages) * cut_.call_bytes <
           2 * row * double(whole) + cut_.call_bytes;
  }

  /// The array so that the box begins at its first element, then the parts of that box.
  [[nodiscard]] bool read_long(const At& wanted) {
    AxisPosition to{.dim = at_.dim, .outer = 1, .inner = extent_of_part(size(), cut_.size())};
    if (wanted && wanted->dim == to.dim && wanted->outer == 1) to = *wanted;
    const auto halo = find_halo({.window = {.extent = extent(), .high = size() - extent()},
                                 .count = size(),
                                 .n = cut_.size(),
                                 .elements = at_.inner,
                                 .windows = to.inner});
    if (!halo || !is_cheaper(*halo, extent())) return false;
    const Value moved =
        held_.stand_in(node_.operand(0).type(), into_,
                       shifted(held_.get(node_.operand(0), at_), start(at_.dim), true), at_);
    const Value along = halos_.local(moved, at_, at_.dim, *halo, std::nullopt, into_);
    I64s sizes = box_of(node_).type().dims;
    sizes[std::size_t(at_.dim)] = to.inner;
    held_.set(box_of(node_), into_, read_box(along, starts(splat(0)), sizes), to);
    return true;
  }

  /// The box as an array that begins with it, moved to its place; nothing where that costs more than to gather it.
  [[nodiscard]] Value written_long(const AxisPosition& from) {
    const auto halo = find_halo({.window = {.extent = size(), .high = extent() - size()},
                                 .count = size(),
                                 .n = cut_.size(),
                                 .elements = from.inner,
                                 .windows = at_.inner});
    if (!halo || !is_cheaper(*halo, size())) return {};
    const Value widened = halos_.local(box_of(node_), from, at_.dim, *halo, std::nullopt, into_);
    const Value first = start(at_.dim), moved = shifted(widened, first, false);
    const Value array = held_.get(node_.operand(0), at_);
    const std::vector<Value> place = starts(splat(0));
    const Value own = read_box(array, place, moved.type().dims);
    const Value is_written = are_within(reshard_.places(moved.type(), at_), first,
                                        make_.op("stablehlo.add", {first, splat(size())}));
    std::vector<Value> operands{array, make_.op("stablehlo.select", {is_written, moved, own})};
    operands.insert(operands.end(), place.begin(), place.end());
    return make_.op("stablehlo.dynamic_update_slice", operands);
  }

  const Node& node_;
  const AxisPosition& at_;
  const MeshCut& cut_;
  HeldValues& held_;
  Halos& halos_;
  ir::Graph& into_;
  Maker make_;
  Reshard reshard_;
};

/// From one extent that is cut in order to another.
At place_of_other(const AxisPosition& at, Value from, Value to, std::int64_t n) {
  if (!cuts_in_order(at, n, extent_of(from, at.dim))) return std::nullopt;
  return AxisPosition{.dim = at.dim, .outer = 1, .inner = extent_of_part(extent_of(to, at.dim), n)};
}

}  // namespace

bool has_moving_box(const Node& node, int dim) {
  if (!is_read(node) && !is_written(node)) return false;
  const std::int64_t extent = extent_of(node.operand(0), dim), size = extent_of(box_of(node), dim);
  const Value start = node.operand(first_start(node) + std::size_t(dim));
  return size > 0 && size < extent && extent < std::numeric_limits<std::int32_t>::max() / 4 &&
         !start.node->is("stablehlo.constant");
}

Value box_of(const Node& node) {
  return is_read(node) ? Value{const_cast<Node*>(&node), 0} : node.operand(1);
}

At place_of_box(const Node& node, std::int64_t n, const AxisPosition& array) {
  if (!has_moving_box(node, array.dim) || !is_long(node, array.dim)) return std::nullopt;
  return place_of_other(array, node.operand(0), box_of(node), n);
}

At place_of_array(const Node& node, std::int64_t n, const AxisPosition& box) {
  if (!has_moving_box(node, box.dim) || !is_long(node, box.dim)) return std::nullopt;
  return place_of_other(box, box_of(node), node.operand(0), n);
}

bool make_moving_box(Node& node, const MeshCut& cut, const AxisPlan& plan, HeldValues& held,
                     Halos& halos, ir::Graph& into) {
  if (!is_read(node) && !is_written(node)) return false;
  const Value array = node.operand(0), result = node.result();
  const At wanted = plan.position(result);
  At at = held.position(array);
  if (!at && is_written(node)) at = wanted;
  if (!at || at->outer != 1 || !has_moving_box(node, at->dim)) return false;
  Boxes boxes(node, *at, cut, held, halos, into);
  return is_read(node) ? boxes.read(wanted) : boxes.write();
}

}  // namespace partita::passes
