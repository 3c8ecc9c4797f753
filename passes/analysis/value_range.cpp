// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/value_range.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/loops.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {

using ir::Graph;
using ir::Node;
using ir::Value;

namespace {

/// What a dtype can hold (ui64: only what i64 holds too is tracked, so it has no range of its own).
std::optional<Interval> limits(DType d) {
  if (d == DType::ui64 || !intersects(info(d).kind, Kinds::bits)) return std::nullopt;
  return visit(d, [](auto type) -> std::optional<Interval> {
    using V = ValueType<type>;
    if constexpr (std::is_integral_v<V>)
      return Interval{std::int64_t(lowest_integer<type>), std::int64_t(highest_integer<type>)};
    else
      return std::nullopt;
  });
}

/// The interval unless it leaves what the dtype holds (then arithmetic wraps).
__extension__ using Wide = __int128;  // not in ISO C++

std::optional<Interval> checked(Wide low, Wide high, DType d) {
  auto bounds = limits(d);
  if (d == DType::ui64) bounds = Interval{0, std::numeric_limits<std::int64_t>::max()};
  if (!bounds || low < bounds->low || high > bounds->high) return std::nullopt;
  return Interval{std::int64_t(low), std::int64_t(high)};
}

Interval united(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace

std::optional<Interval> ValueRanges::of(Value v) {
  if (v.type().is_token || v.type().count() == 0 ||
      !intersects(info(v.type().dtype).kind, Kinds::bits))
    return std::nullopt;
  if (const auto it = known_.find(v); it != known_.end()) return it->second;
  known_[v] = limits(v.type().dtype);  // also ends cycles
  std::optional<Interval> range = compute(v);
  if (!range) range = limits(v.type().dtype);
  known_[v] = range;
  return range;
}

std::optional<Interval> ValueRanges::compute(Value v) {
  const Node& node = *v.node;
  if (node.is("graph.arguments")) return of_argument(v);
  if (const auto values = integers_of(v)) {
    const auto [low, high] = std::ranges::minmax(*values);
    return Interval{low, high};
  }
  const ir::Elements from = node.op().elements;
  if (from == ir::Elements::passed) return of(node.operand(std::size_t(v.index)));
  // A gather fills what lies outside with other values in no case: indices are clamped.
  if (from == ir::Elements::viewed || from == ir::Elements::gathered) return of(node.operand(0));
  if (node.is("stablehlo.iota"))
    return checked(0, v.type().dims[std::size_t(node.attrs.i64("iota_dimension"))] - 1,
                   v.type().dtype);
  if (node.is("mr.partition_index")) {
    const auto n = module_.placement_size(node.attrs.text("placement", ""));
    return n ? std::optional(Interval{0, *n - 1})
             : Interval{0, std::numeric_limits<std::int32_t>::max()};
  }
  if (node.is("mr.shard_index")) return of_shard_index(node);
  return of_arithmetic(node);
}

std::optional<Interval> ValueRanges::of_shard_index(const Node& node) const {
  const auto mesh = ir::shard_mesh(module_);
  if (!mesh) return Interval{0, 0};
  std::int64_t shards = 1;
  for (const int axis : ir::shard_index_axes(node, *mesh))
    shards *= mesh->axes[std::size_t(axis)].size;
  return Interval{0, shards - 1};
}

std::optional<Interval> ValueRanges::of_arithmetic(const Node& node) {
  const DType d = node.result_types()[0].dtype;
  if (node.operands().empty() || node.result_count() != 1) return std::nullopt;
  std::array<std::optional<Interval>, 3> x;
  for (std::size_t k = 0; k < std::min<std::size_t>(3, node.operands().size()); ++k)
    x[k] = of(node.operand(k));
  const std::string_view name = node.name();
  if (name == "stablehlo.convert") return x[0] ? checked(x[0]->low, x[0]->high, d) : std::nullopt;
  if (name == "stablehlo.select")
    return x[1] && x[2] ? std::optional(united(*x[1], *x[2])) : std::nullopt;
  if (name == "stablehlo.concatenate") {
    std::optional<Interval> all = x[0];
    for (const Value& v : node.operands()) {
      const auto r = of(v);
      if (!r || !all) return std::nullopt;
      all = united(*all, *r);
    }
    return all;
  }
  if (node.operands().size() < 2 || !x[0] || !x[1]) return std::nullopt;
  if (name == "stablehlo.add")
    return checked(Wide(x[0]->low) + x[1]->low, Wide(x[0]->high) + x[1]->high, d);
  if (name == "stablehlo.subtract")
    return checked(Wide(x[0]->low) - x[1]->high, Wide(x[0]->high) - x[1]->low, d);
  if (name == "stablehlo.maximum")
    return Interval{std::max(x[0]->low, x[1]->low), std::max(x[0]->high, x[1]->high)};
  if (name == "stablehlo.minimum")
    return Interval{std::min(x[0]->low, x[1]->low), std::min(x[0]->high, x[1]->high)};
  if (name == "stablehlo.multiply") {
    const std::array<Wide, 4> p = {Wide(x[0]->low) * x[1]->low, Wide(x[0]->low) * x[1]->high,
                                   Wide(x[0]->high) * x[1]->low, Wide(x[0]->high) * x[1]->high};
    return checked(*std::ranges::min_element(p), *std::ranges::max_element(p), d);
  }
  if (name == "stablehlo.remainder" && x[0]->low >= 0 && x[1]->low > 0)
    return Interval{0, std::min(x[0]->high, x[1]->high - 1)};
  if (name == "stablehlo.divide" && x[0]->low >= 0 && x[1]->low > 0)
    return Interval{x[0]->low / x[1]->high, x[0]->high / x[1]->low};
  if (name == "stablehlo.clamp" && x[2]) {
    const auto clamp = [&](std::int64_t low, std::int64_t v, std::int64_t high) {
      return std::min(std::max(low, v), high);
    };
    return Interval{clamp(x[0]->low, x[1]->low, x[2]->low),
                    clamp(x[0]->high, x[1]->high, x[2]->high)};
  }
  return std::nullopt;
}

std::optional<Interval> ValueRanges::of_argument(Value v) {
  const Graph& graph = *v.node->graph();
  const Node* owner = graph.owner();
  if (owner == nullptr) return std::nullopt;
  if (owner->is("stablehlo.while")) return of_loop_carry(*owner, v, &graph == &owner->region(1));
  if (owner->is("mr.map") && owner->operands().size() > std::size_t(v.index))
    return of(owner->operand(std::size_t(v.index)));
  if (owner->is("mr.foreach")) {
    if (v.index == 0) {
      const auto n = module_.placement_size(owner->attrs.text("placement", ""));
      return Interval{0, n ? *n - 1 : std::numeric_limits<std::int32_t>::max()};
    }
    if (v.index == 1)
      return Interval{0, owner->attrs.i64("block", std::numeric_limits<std::int32_t>::max())};
    const std::size_t k = std::size_t(v.index) - 2;
    const ir::I64s& segments = owner->attrs.i64s_or_empty("operand_segments");
    if (segments.size() == 2 && k < owner->operands().size()) {
      // Partitions beyond the end of the last block hold whatever stands there.
      const bool has_tail = std::int64_t(k) < segments[0] && owner->attrs.i64("block", 1) != 1;
      return has_tail ? std::nullopt : of(owner->operand(k));
    }
  }
  return std::nullopt;
}

/// A carry that starts at a known value and to which the body adds a constant, up to an end that the
/// condition compares it with; or one that the body does not change.
std::optional<Interval> ValueRanges::of_loop_carry(const Node& loop, Value carry, bool in_body) {
  const std::size_t k = std::size_t(carry.index);
  const auto start = of(loop.operand(k));
  if (!start || ir::is_passed_on(loop, k)) return start;
  const auto counted = ir::counted_loop(loop);
  const auto step = counted && counted->induction == carry.index && counted->update.is_sum
                        ? ir::integer_constant(counted->update.by)
                        : std::nullopt;
  if (!step || *step <= 0 || (counted->direction != "LT" && counted->direction != "LE"))
    return std::nullopt;
  const auto end = of(counted->end);
  if (!end) return std::nullopt;
  const Wide last = Wide(end->high) - (counted->direction == "LT" ? 1 : 0);
  // The counter passes the end by at most one step, which must not wrap.
  const auto overshoot =
      checked(start->low, std::max<Wide>(start->high, last + *step), carry.type().dtype);
  if (!overshoot) return std::nullopt;
  if (!in_body) return overshoot;
  if (last < start->low) return overshoot;  // does not run
  return Interval{start->low, std::max(start->low, std::int64_t(last))};
}

}  // namespace partita::passes
