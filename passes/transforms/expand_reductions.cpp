// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reductions with masks, weights and means become maps, plain reduce_sum, reduce_max and reduce_min,
// and small operations on their results.  Masked partitions are excluded by select, and small
// floats are combined (and travel) in f32 and are rounded once.
#include <algorithm>
#include <limits>
#include <optional>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/passes/pass.hpp"
#include "passes/rewrites/reduction_operands.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;

class Expansion {
 public:
  explicit Expansion(Node& node)
      : node_(node),
        graph_(*node.graph()),
        make_{*node.graph(), &node},
        placement_(node.attrs.text("placement")),
        policy_(node.attrs.text("on_zero_weight", "nan")) {
    const ReductionOperands operands = reduction_operands(node);
    x_ = operands.values;
    keep_ = operands.kept;
    weight_ = operands.weight;
    mask_ = operands.mask;
  }

  std::vector<Value> run() {
    if (node_.is("mr.reduce_sum")) return sums();
    if (node_.is("mr.reduce_mean")) return means();
    if (node_.is("mr.reduce_weighted_mean")) return weighted_means();
    return extrema(*find_combiner(&CombinerInfo::reduction, node_.name()));
  }

 private:
  Value reduce(std::string_view op, Value placed) {
    return make_.op(op, {placed}, {{"placement", placement_}});
  }

  /// Per partition: x converted to `dtype`, or `otherwise` where the mask excludes the partition.
  static Value masked(const Maker& inside, Value x, std::optional<Value> mask, DType dtype,
                      const ir::DenseRef& otherwise) {
    const Value value = inside.convert(x, dtype);
    if (!mask) return value;
    return inside.op("stablehlo.select", {*mask, value, inside.constant(otherwise)});
  }

  Value masked_sum(Value x) {
    const DType d = accumulator_dtype(x.type().dtype);
    if (!mask_ && d == x.type().dtype) return reduce("mr.reduce_sum", x);
    std::vector<Value> operands{x};
    if (mask_) operands.push_back(*mask_);
    const auto mapped = build_map(
        graph_, &node_, placement_, operands, [&](Graph& body, const std::vector<Value>& v) {
          const Type type{.dtype = d, .dims = v[0].type().dims};
          return std::vector<Value>{masked(Maker{body}, v[0],
                                           mask_ ? std::optional(v[1]) : std::nullopt, d,
                                           ir::make_splat(type, 0))};
        });
    return reduce("mr.reduce_sum", mapped[0]);
  }

  std::vector<Value> sums() {
    std::vector<Value> results;
    for (const Value& x : x_) results.push_back(make_.convert(masked_sum(x), x.type().dtype));
    return results;
  }

  /// Number of partitions the mask leaves, as an i32 scalar.
  Value active_count() {
    PARTITA_ASSERT(mask_.has_value());
    const Value mask = *mask_;
    const auto mapped =
        build_map(graph_, &node_, placement_, {mask}, [](Graph& body, const std::vector<Value>& v) {
          return std::vector<Value>{Maker{body}.convert(v[0], DType::i32)};
        });
    return reduce("mr.reduce_sum", mapped[0]);
  }

  /// Applies on_zero_weight: `is_none` is an i1 scalar, or an array of y's shape.
  Value guarded(Value y, Value is_none, std::size_t k) {
    if (policy_ == "error") {
      Value any = is_none;
      if (!is_none.type().dims.empty()) {
        I64s all(is_none.type().dims.size());
        for (std::size_t d = 0; d < all.size(); ++d) all[d] = std::int64_t(d);
        any = make_.reduce(Combiner::logical_or, is_none, all);
      }
      const Value holds = make_.op("stablehlo.not", {any});
      ir::create(
          graph_, "mr.check", {holds},
          {{"message", cat(node_.name(), ": expected a weight that is not zero over placement '",
                           placement_, "', found none")}},
          {}, {}, &node_, node_.location());
      return y;
    }
    const Value other = policy_ == "keep"
                            ? keep_.at(k)
                            : make_.splat(y.type(), std::numeric_limits<double>::quiet_NaN());
    return make_.op("stablehlo.select", {is_none, other, y});
  }

  Value divided(Value sum, Value by, const Dims& by_dims_of_sum) {
    const Value divisor = make_.broadcast(make_.convert(by, sum.type().dtype), sum.type().dims,
                                          I64s(by_dims_of_sum.begin(), by_dims_of_sum.end()));
    return make_.op("stablehlo.divide", {sum, divisor});
  }

  std::vector<Value> means() {
    std::vector<Value> results;
    std::optional<Value> count, none;
    if (mask_) {
      count = active_count();
      none = make_.compare("EQ", *count, make_.splat(count->type(), 0));
    }
    for (std::size_t k = 0; k < x_.size(); ++k) {
      const Value sum = masked_sum(x_[k]);
      const double n = double(x_[k].type().dims[0]);
      const Value by = count ? *count : make_.splat(Type::scalar(sum.type().dtype), n);
      Value y = make_.convert(divided(sum, by, {}), x_[k].type().dtype);
      results.push_back(none ? guarded(y, *none, k) : y);
    }
    return results;
  }

  std::vector<Value> extrema(Combiner combiner) {
    std::vector<Value> results;
    std::optional<Value> none;
    if (mask_) {
      const Value count = active_count();
      none = make_.compare("EQ", count, make_.splat(count.type(), 0));
    }
    for (std::size_t k = 0; k < x_.size(); ++k) {
      Value x = x_[k];
      const DType d = accumulator_dtype(x.type().dtype);
      if (mask_ || d != x.type().dtype) {
        std::vector<Value> operands{x};
        if (mask_) operands.push_back(*mask_);
        x = build_map(
            graph_, &node_, placement_, operands, [&](Graph& body, const std::vector<Value>& v) {
              const Type type{.dtype = d, .dims = v[0].type().dims};
              const auto mask = mask_ ? std::optional(v[1]) : std::nullopt;
              return std::vector<Value>{
                  masked(Maker{body}, v[0], mask, d, ir::combiner_identity(combiner, type))};
            })[0];
      }
      const Value y = make_.convert(reduce(node_.name(), x), x_[k].type().dtype);
      results.push_back(none ? guarded(y, *none, k) : y);
    }
    return results;
  }

  std::vector<Value> weighted_means() {
    // One sum of weights in the widest type that any operand needs; weights as wide as w.
    std::vector<Value> operands = x_;
    PARTITA_ASSERT(weight_.has_value());
    operands.push_back(*weight_);
    if (mask_) operands.push_back(*mask_);
    const std::size_t n = x_.size();
    const auto mapped = build_map(
        graph_, &node_, placement_, operands, [&](Graph& body, const std::vector<Value>& v) {
          const Maker inside{body};
          const std::optional<Value> mask = mask_ ? std::optional(v[n + 1]) : std::nullopt;
          const DType wd = accumulator_dtype(v[n].type().dtype);
          const Value w = masked(inside, v[n], mask, wd,
                                 ir::make_splat({.dtype = wd, .dims = v[n].type().dims}, 0));
          std::vector<Value> results;
          for (std::size_t k = 0; k < n; ++k) {
            const DType d = accumulator_dtype(v[k].type().dtype);
            const Dims& shape = v[k].type().dims;
            I64s dims(w.type().dims.size());
            for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = std::int64_t(i);
            const Value weight = inside.broadcast(inside.convert(w, d), shape, dims);
            const Value zero = inside.splat(weight.type(), 0);
            const Value product =
                inside.op("stablehlo.multiply", {weight, inside.convert(v[k], d)});
            results.push_back(
                inside.op("stablehlo.select", {inside.compare("EQ", weight, zero), zero, product}));
          }
          results.push_back(w);
          return results;
        });
    const Value total = reduce("mr.reduce_sum", mapped[n]);
    const Value none = make_.compare("EQ", total, make_.splat(total.type(), 0));
    std::vector<Value> results;
    for (std::size_t k = 0; k < n; ++k) {
      const Value sum = reduce("mr.reduce_sum", mapped[k]);
      Dims dims(total.type().dims.size());
      for (std::size_t i = 0; i < dims.size(); ++i) dims[i] = std::int64_t(i);
      const Value y = make_.convert(divided(sum, total, dims), x_[k].type().dtype);
      if (policy_ == "nan") {
        results.push_back(y);  // 0 / 0
        continue;
      }
      const Value is_none =
          none.type().dims.empty()
              ? none
              : make_.broadcast(none, y.type().dims, I64s(dims.begin(), dims.end()));
      if (policy_ == "error" && k > 0)
        results.push_back(y);
      else
        results.push_back(guarded(y, policy_ == "error" ? none : is_none, k));
    }
    return results;
  }

  Node& node_;
  Graph& graph_;
  Maker make_;
  std::string placement_, policy_;
  std::vector<Value> x_, keep_;
  std::optional<Value> weight_, mask_;
};

/// Plain: one operand without mask, of a dtype that accumulates as it is.
bool is_plain(const Node& node) {
  if (node.is("mr.reduce_mean") || node.is("mr.reduce_weighted_mean") ||
      node.operands().size() != 1)
    return false;
  return accumulator_dtype(node.operand(0).type().dtype) == node.operand(0).type().dtype;
}

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions) {
    std::vector<Node*> reductions;
    ir::walk(*f->body, [&](Node& node) {
      if (is_reduction(node) && !is_plain(node)) reductions.push_back(&node);
    });
    for (Node* node : reductions) {
      const std::vector<Value> results = Expansion(*node).run();
      ir::ValueMap<Value> map;
      for (std::size_t k = 0; k < results.size(); ++k) map[node->result(int(k))] = results[k];
      f->body->replace_uses(map);
    }
  }
}

}  // namespace

PassInfo pass_expand_reductions();
PassInfo pass_expand_reductions() {
  return {.name = "expand-reductions",
          .doc = "Writes means, weights and masks as maps and plain reductions.",
          .needs = Stage::raised,
          .gives = Stage::raised,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
