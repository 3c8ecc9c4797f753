// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/attention.hpp"

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/maker.hpp"

namespace partita::ir {
namespace {

/// Attributes of a product within each batch.
Dict product_of(std::int64_t lhs_contracting, std::int64_t rhs_contracting) {
  return {{"lhs_batching_dimensions", I64s{0}},
          {"rhs_batching_dimensions", I64s{0}},
          {"lhs_contracting_dimensions", I64s{lhs_contracting}},
          {"rhs_contracting_dimensions", I64s{rhs_contracting}}};
}

/// The ops that a node of either kind has in common.
class Expansion {
 public:
  Expansion(Graph& graph, const Node& node, Node* before)
      : make{graph, before, node.location()},
        node_(node),
        dims_{node.operand(attention::queries).type().dims[0],
              node.operand(attention::queries).type().dims[1],
              node.operand(attention::keys).type().dims[1]} {}

  /// Of the lines of two operands, of the scores' shape.
  [[nodiscard]] Value product(attention::Operand rows, attention::Operand columns,
                              DType dtype) const {
    return make.typed("stablehlo.dot_general", {node_.operand(rows), node_.operand(columns)},
                      {.dtype = dtype, .dims = dims_}, product_of(2, 2));
  }
  [[nodiscard]] Value raw_scores() const {
    return product(attention::queries, attention::keys, node_.region(0).argument(0).type().dtype);
  }
  /// A region on all elements, of which it takes `first` and then those for regions.
  [[nodiscard]] Value on_all(std::size_t region, std::vector<Value> first) const {
    const Graph& body = node_.region(region);
    for (std::size_t k = first_region_operand(node_); k < node_.operands().size(); ++k)
      first.push_back(node_.operand(k));
    BatchMap map;
    for (std::size_t k = 0; k < first.size(); ++k)
      map[body.argument(int(k))] = {make.reshape(first[k], {first[k].type().count()}), true};
    const BatchContext context{
        .into = make.graph, .size = first[0].type().count(), .before = make.before};
    return make.reshape(batched(batch_body(body, map, context)[0], context), dims_);
  }
  [[nodiscard]] Value spread(Value rows) const { return make.broadcast(rows, dims_, {0, 1}); }
  /// Elements of the scores' shape, as an operand has them, times the lines of that.
  [[nodiscard]] Value times(Value elements, attention::Operand lines, std::int64_t contracting,
                            int result = 0) const {
    const Value v = node_.operand(lines);
    return make.typed("stablehlo.dot_general", {make.convert(elements, v.type().dtype), v},
                      node_.result_types()[std::size_t(result)], product_of(contracting, 1));
  }

  Maker make;

 private:
  const Node& node_;
  Dims dims_;
};

}  // namespace

std::size_t first_region_operand(const Node& node) {
  return node.is("mr.attention") ? attention::values + 1 : attention::dots + 1;
}

std::vector<Value> attention_ops(Graph& graph, const Node& node, Node* before) {
  const Expansion all(graph, node, before);
  const Maker& make = all.make;
  const Value s = all.on_all(0, {all.raw_scores()}), most = make.reduce(Combiner::max, s, {2});
  const Value e =
      make.op("stablehlo.exponential", {make.op("stablehlo.subtract", {s, all.spread(most)})});
  const Value sum = make.reduce(Combiner::sum, e, {2});
  const Value p = make.op("stablehlo.divide", {e, all.spread(sum)});
  std::vector<Value> results{all.times(p, attention::values, 2)};
  if (node.result_count() > 1)
    for (const Value& row : {most, sum}) results.push_back(make.convert(row, DType::f32));
  return results;
}

std::vector<Value> attention_gradient_ops(Graph& graph, const Node& node, Node* before) {
  const Expansion all(graph, node, before);
  const Maker& make = all.make;
  const auto row = [&](attention::Operand which) { return all.spread(node.operand(which)); };
  const Value raw = all.raw_scores(), s = make.convert(all.on_all(0, {raw}), DType::f32);
  const Value e = make.op("stablehlo.exponential",
                          {make.op("stablehlo.subtract", {s, row(attention::maxima)})});
  const Value p = make.op("stablehlo.divide", {e, row(attention::sums)});
  const Value dp = all.product(attention::cotangents, attention::values, DType::f32);
  const Value ds =
      make.op("stablehlo.multiply", {p, make.op("stablehlo.subtract", {dp, row(attention::dots)})});
  const Value slope =
      all.on_all(1, {make.convert(ds, node.region(1).argument(0).type().dtype), raw});
  return {all.times(slope, attention::keys, 2, 0), all.times(slope, attention::queries, 1, 1),
          all.times(p, attention::cotangents, 1, 2)};
}

}  // namespace partita::ir
