// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(!c.operands.empty(), "at least 1 operand", "none");  // (C3)
  Type result = c.operands[0];
  const std::int64_t dimension = c.attrs.i64("dimension");
  c.expect(dimension >= 0 && dimension < result.rank(),
           cat("dimension within [0, ", result.rank(), ")"),
           cat(dimension));  // (C4)
  for (std::size_t k = 1; k < c.operands.size(); ++k) {
    Type same = c.operands[k];
    if (same.rank() == result.rank())
      same.dims[std::size_t(dimension)] = result.dims[std::size_t(dimension)];
    c.expect(
        same == result,
        cat("operand ", k, " to be as ", to_string(c.operands[0]), " but in dimension ", dimension),
        to_string(c.operands[k]));  // (C1), (C2)
    result.dims[std::size_t(dimension)] += c.operands[k].dims[std::size_t(dimension)];  // (C6)
  }
  return {result};  // (C5)
}

std::vector<Tensor> eval(const EvalContext& c) {
  HostArray result(c.result_type());
  Dims start(result.type.dims.size(), 0);
  std::int64_t& at = start[std::size_t(c.node.attrs.i64("dimension"))];
  for (const Tensor& operand : c.operands) {
    copy_box(*operand, view_of(operand->type), result, sub_view(view_of(result.type), start),
             operand->type.dims);
    at += operand->type.dims[std::size_t(c.node.attrs.i64("dimension"))];
  }
  return one(std::move(result));
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  const auto dimension = std::size_t(node.attrs.i64("dimension"));
  for (std::size_t d = 0; d < rule.results[0].size(); ++d) {
    if (d == dimension) continue;
    rule.results[0][d] = {rule.add_factor(node.result_types()[0].dims[d])};
    for (auto& operand : rule.operands) operand[d] = rule.results[0][d];
  }
  replicate_rest(node, rule);
  return rule;
}

scalar::ExprId lower(const Node& node, int, scalar::ExprPool& pool,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  const auto dimension = std::size_t(node.attrs.i64("dimension"));
  // From the last operand backwards: index < end of the first ? first : index < end of the second ? …
  std::vector<std::pair<int, std::int64_t>> parts;  // operand, start
  std::int64_t at = 0;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const std::int64_t extent = node.operand(k).type().dims[dimension];
    if (extent > 0) parts.emplace_back(int(k), at);
    at += extent;
  }
  const auto part = [&](std::size_t k) {
    std::vector<scalar::ExprId> source(index.begin(), index.end());
    source[dimension] = pool.sub(index[dimension], pool.index(parts[k].second));
    return load(parts[k].first, source);
  };
  if (parts.empty()) return load(0, index);
  scalar::ExprId value = part(parts.size() - 1);
  for (std::size_t k = parts.size() - 1; k-- > 0;)
    value =
        pool.choose(pool.less(index[dimension], pool.index(parts[k + 1].second)), part(k), value);
  return value;
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  const auto dimension = std::size_t(c.node.attrs.i64("dimension"));
  I64s start(cotangents[0].type().dims.size(), 0);
  const I64s strides(start.size(), 1);
  Values results;
  for (std::size_t k = 0; k < c.node.operands().size(); ++k) {
    I64s limit = c.node.operand(k).type().dims;
    limit[dimension] += start[dimension];
    results.push_back(
        c.wanted(k)
            ? c.op("stablehlo.slice", {cotangents[0]},
                   {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}})
            : Value{});
    start[dimension] = limit[dimension];
  }
  return results;
}

}  // namespace

void register_concatenate(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.concatenate";
  op.doc = "The operands one after the other along a dimension.";
  op.attrs = {dim_attr("dimension", {dim_index(DimRole::Side::result, 0)})};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::linear_in({}, vjp);
  op.shape = KernelShape::loops;
  op.elements = Elements::joined;
  op.lower = lower;
  op.factors = factors;
  op.samples = {
      R"(func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>, %c: tensor<2x0xf32>, %d: tensor<5xi8>) -> (tensor<6x3xf32>, tensor<2x6xf32>, tensor<5xi8>, tensor<8x3xf32>) {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
  %1 = stablehlo.concatenate %a, %c, %a, dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %2 = stablehlo.concatenate %d, dim = 0 : (tensor<5xi8>) -> tensor<5xi8>
  %3 = stablehlo.concatenate %a, %b, %a, dim = 0 : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
  return %0, %1, %2, %3 : tensor<6x3xf32>, tensor<2x6xf32>, tensor<5xi8>, tensor<8x3xf32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
