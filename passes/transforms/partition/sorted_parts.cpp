// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/partition/sorted_parts.hpp"

#include <bit>
#include <limits>
#include <numeric>

#include "partita/ir/collectives.hpp"
#include "partita/ir/factor_transform.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sorting.hpp"
#include "passes/transforms/partition/flow_choice.hpp"

namespace partita::passes {

using ir::AxisPosition;
using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Batcher's merge exchange for n keys: in each step pairs that are ordered at once, the place for the lower first.
std::vector<Pairs> sorting_network(std::int64_t n) {
  std::vector<Pairs> steps;
  const auto highest = std::int64_t(std::bit_ceil(std::uint64_t(n)) / 2);
  for (std::int64_t p = highest; p > 0; p /= 2)
    for (std::int64_t q = highest, r = 0, apart = p;; apart = q - p, q /= 2, r = p) {
      Pairs& step = steps.emplace_back();
      for (std::int64_t i = 0; i + apart < n; ++i)
        if ((i & p) == r) step.emplace_back(i, i + apart);
      if (q == p) break;
    }
  return steps;
}

/// What is sorted beside the operands, so that padding comes last and equals stay in order.
enum class Tag : std::uint8_t {
  none,
  padding,  ///< whether it is padding: an i1
  place,    ///< in the whole
};

struct TagPlan {
  Tag tag = Tag::none;
  /// The operand that is the place already; -1: the tag is a further one.
  int operand = -1;
  DType dtype = DType::i1;
};

TagPlan plan_tag(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  const auto d = std::size_t(at.dim);
  const std::int64_t extent = node.operand(0).type().dims[d], places = cut.size() * at.inner;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value v = node.operand(k);
    const bool counts = v.type().dtype == DType::i32 || v.type().dtype == DType::i64;
    if (counts && v.node != nullptr && v.node->is("stablehlo.iota") &&
        v.node->attrs.i64("iota_dimension") == at.dim &&
        (v.type().dtype == DType::i64 || places <= std::numeric_limits<std::int32_t>::max()))
      return {.tag = Tag::place, .operand = int(k), .dtype = v.type().dtype};
  }
  // Equals are the same, so nobody sees their order.
  if (node.operands().size() == 1 && ir::is_first_operand_order(node.region(0)))
    return {.tag = is_ragged(at, cut.size(), extent) ? Tag::padding : Tag::none};
  return {.tag = Tag::place,
          .dtype = places <= std::numeric_limits<std::int32_t>::max() ? DType::i32 : DType::i64};
}

class PartSort {
 public:
  PartSort(const Node& node, const AxisPosition& at, const MeshCut& cut, Graph& into)
      : node_(node), at_(at), cut_(cut), into_(into), make_{into}, tag_(plan_tag(node, at, cut)) {}

  std::vector<Value> run(std::span<const Value> operands) {
    values_.assign(operands.begin(), operands.end());
    add_tag();
    sort();
    const Value index = Reshard(into_, cut_).index();
    for (const Pairs& step : sorting_network(cut_.size())) {
      exchange(step, index);
      sort();
    }
    values_.resize(operands.size());
    return values_;
  }

 private:
  [[nodiscard]] std::int64_t extent() const {
    return node_.operand(0).type().dims[std::size_t(at_.dim)];
  }
  [[nodiscard]] const Dims& dims() const { return values_[0].type().dims; }

  /// Of each element of the part, in the whole.
  [[nodiscard]] Value places(DType dtype) const {
    return Reshard(into_, cut_).places(values_[0].type(), at_, dtype);
  }

  void add_tag() {
    if (tag_.tag == Tag::place) {
      const Value own = places(tag_.dtype);
      if (tag_.operand < 0)
        values_.push_back(own);
      else
        values_[std::size_t(tag_.operand)] = own;
    } else if (tag_.tag == Tag::padding) {
      const bool is_long = cut_.size() * at_.inner > std::numeric_limits<std::int32_t>::max();
      const Value own = places(is_long ? DType::i64 : DType::i32);
      values_.push_back(make_.compare("GE", own, make_.splat(own.type(), double(extent()))));
    }
  }

  /// Whether the elements of one side go before those of the other: the node's comparator, padding last, equals by place.
  [[nodiscard]] std::unique_ptr<Graph> comparator() const {
    auto region = std::make_unique<Graph>();
    for (const Value& v : values_)
      for (int side = 0; side < 2; ++side) region->add_argument(Type::scalar(v.type().dtype));
    const Maker make{*region};
    const auto is_less = [&](int left) {
      ir::ValueMap<Value> map;
      const Graph& own = node_.region(0);
      for (int k = 0; k < own.argument_count(); ++k)
        map[own.argument(k)] = region->argument(k ^ left);
      return ir::clone_body(own, *region, map).at(0);
    };
    if (tag_.tag == Tag::none) {
      region->results = {is_less(0)};
      return region;
    }
    const int tag = 2 * (tag_.operand < 0 ? int(values_.size()) - 1 : tag_.operand);
    const Value a = region->argument(tag), b = region->argument(tag + 1);
    if (tag_.tag == Tag::padding) {
      region->results = {first_by(make, a, b, is_less(0))};
      return region;
    }
    const Value in_place = make.op(
        "stablehlo.and", {make.op("stablehlo.not", {is_less(1)}), make.compare("LT", a, b)});
    region->results = {make.op("stablehlo.or", {is_less(0), in_place})};
    if (is_ragged(at_, cut_.size(), extent())) {
      // Padding by its place, which is beyond that of all elements.
      const Value last = make.splat(a.type(), double(extent() - 1));
      region->results = {first_by(make, make.op("stablehlo.maximum", {a, last}),
                                  make.op("stablehlo.maximum", {b, last}), region->results[0])};
    }
    return region;
  }

  /// The order by a key, and of equal keys another one.
  static Value first_by(const Maker& make, Value a, Value b, Value rest) {
    return make.op("stablehlo.or", {make.compare("LT", a, b),
                                    make.op("stablehlo.and", {make.compare("EQ", a, b), rest})});
  }

  void sort() {
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(comparator());
    Node* const made = ir::create(into_, "stablehlo.sort", values_,
                                  {{"dimension", std::int64_t(at_.dim)}, {"is_stable", true}},
                                  std::move(regions), {}, nullptr, node_.location());
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = made->result(int(k));
  }

  [[nodiscard]] ir::Attribute pairs(const Pairs& step) const {
    std::vector<I64s> lists;
    for (const I64s& group : ir::groups_along(cut_.mesh, cut_.axis))
      for (const auto& [low, high] : step) {
        const std::int64_t a = group[std::size_t(low)], b = group[std::size_t(high)];
        lists.push_back({a, b});
        lists.push_back({b, a});
      }
    return ir::id_table(lists);
  }

  /// Of the elements of both in order, those at 0 and the last, at 1 and the last but one, …: the lower ones are the
  /// lower half of all, the upper ones the upper half.
  void exchange(const Pairs& step, Value index) {
    const ir::Attribute partners = pairs(step);
    std::vector<Value> others, both;
    for (const Value& v : values_) {
      const Value sent = make_.op("mr.mesh_permute", {v}, {{"pairs", partners}});
      others.push_back(make_.op("stablehlo.reverse", {sent}, {{"dimensions", I64s{at_.dim}}}));
      both.insert(both.end(), {v, others.back()});
    }
    const Value takes_own = keeps(step, index, before(both));
    for (std::size_t k = 0; k < values_.size(); ++k)
      values_[k] = make_.op("stablehlo.select", {takes_own, values_[k], others[k]});
  }

  /// Whether each element goes before the partner's: the comparator on arrays.
  [[nodiscard]] Value before(const std::vector<Value>& both) const {
    I64s all(dims().size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(comparator());
    return ir::create(into_, "stablehlo.map", both, {{"dimensions", all}}, std::move(regions), {},
                      nullptr, node_.location())
        ->result();
  }

  /// Whether the shard keeps its own element, of which `is_before` says whether it goes before the other.
  [[nodiscard]] Value keeps(const Pairs& step, Value index, Value is_before) const {
    enum Role : std::int8_t { alone, lower, upper };
    HostArray roles(Type{.dtype = DType::i32, .dims = {cut_.size()}});
    for (const auto& [low, high] : step) {
      roles.data<DType::i32>()[low] = lower;
      roles.data<DType::i32>()[high] = upper;
    }
    const Value own = make_.reshape(
        make_.op("stablehlo.dynamic_slice", {make_.constant(ir::make_dense(roles)), index},
                 {{"slice_sizes", I64s{1}}}),
        {});
    const auto has = [&](Role role) {
      return make_.broadcast(make_.compare("EQ", own, make_.splat(own.type(), double(role))),
                             dims(), {});
    };
    return make_.op("stablehlo.or", {has(alone), make_.compare("EQ", is_before, has(lower))});
  }

  const Node& node_;
  const AxisPosition& at_;
  const MeshCut& cut_;
  Graph& into_;
  Maker make_;
  TagPlan tag_;
  std::vector<Value> values_;
};

}  // namespace

bool is_sorted_along(const Node& node, int dim) {
  return node.is("stablehlo.sort") && !node.operands().empty() && ir::sort_dimension(node) == dim &&
         ir::is_weak_order(node.region(0)) && ir::why_not_batched(node.region(0)).empty();
}

PartsCost sorted_parts_cost(const Node& node, const AxisPosition& at, const MeshCut& cut) {
  const TagPlan tag = plan_tag(node, at, cut);
  const bool is_further = tag.tag != Tag::none && tag.operand < 0;
  const double n = double(cut.size()), steps = double(sorting_network(cut.size()).size());
  const double count = double(node.operand(0).type().count());
  double bytes = is_further ? count * double(byte_size(tag.dtype)) : 0;
  for (const Value& v : node.operands()) bytes += double(v.type().bytes());
  return {.bytes = steps * (bytes + node_work(node)) / n,
          .calls = steps * double(node.operands().size() + std::size_t(is_further))};
}

std::vector<Value> sorted_parts(const Node& node, const AxisPosition& at, const MeshCut& cut,
                                std::span<const Value> operands, Graph& into) {
  return PartSort(node, at, cut, into).run(operands);
}

}  // namespace partita::passes
