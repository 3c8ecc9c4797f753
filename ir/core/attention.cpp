// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/attention.hpp"

#include "partita/ir/factor_transform.hpp"
#include "partita/ir/maker.hpp"

namespace partita::ir {
namespace {

Dict product_of(std::int64_t contracting) {
  return {{"lhs_batching_dimensions", I64s{0}},
          {"rhs_batching_dimensions", I64s{0}},
          {"lhs_contracting_dimensions", I64s{2}},
          {"rhs_contracting_dimensions", I64s{contracting}}};
}

}  // namespace

Value attention_ops(Graph& graph, const Node& node, Node* before) {
  const Maker make{graph, before, node.location()};
  const Value q = node.operand(0), k = node.operand(1), v = node.operand(2);
  const Graph& region = node.region(0);
  const Dims dims{q.type().dims[0], q.type().dims[1], k.type().dims[1]};
  const Type scores{.dtype = region.argument(0).type().dtype, .dims = dims};
  BatchMap map;
  const auto enter = [&](int argument, Value all) {
    map[region.argument(argument)] = {make.reshape(all, {all.type().count()}), true};
  };
  enter(0, make.typed("stablehlo.dot_general", {q, k}, scores, product_of(2)));
  for (std::size_t e = 3; e < node.operands().size(); ++e) enter(int(e) - 2, node.operand(e));
  const BatchContext context{.into = graph, .size = scores.count(), .before = before};
  const Value s = make.reshape(batched(batch_body(region, map, context)[0], context), dims);
  const auto by_row = [&](Combiner combiner, Value x) {
    return make.broadcast(make.reduce(combiner, x, {2}), dims, {0, 1});
  };
  const Value e = make.op("stablehlo.exponential",
                          {make.op("stablehlo.subtract", {s, by_row(Combiner::max, s)})});
  const Value p = make.op("stablehlo.divide", {e, by_row(Combiner::sum, e)});
  return make.typed("stablehlo.dot_general", {make.convert(p, v.type().dtype), v},
                    node.result_types()[0], product_of(1));
}

}  // namespace partita::ir
