// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/axes/batching.hpp"
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) { return {c.operands.begin(), c.operands.end()}; }

std::vector<Tensor> eval(const EvalContext& c) { return {c.operands.begin(), c.operands.end()}; }

scalar::ExprId lower(const Node&, int result, scalar::ExprPool&,
                     std::span<const scalar::ExprId> index, const LoadFn& load) {
  return load(result, index);
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (std::size_t k = 0; k < rule.operands.size(); ++k) {
    const Dims& dims = node.operand(k).type().dims;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const int factor = rule.add_factor(dims[d]);
      rule.operands[k][d] = {factor};
      rule.results[k][d] = {factor};
    }
  }
  return rule;
}

/// The identity, by operand.
Values pass_on(DerivativeContext&, const Values& values) { return values; }

void batch(const BatchJob& job) {
  std::vector<Value> operands;
  std::vector<Type> types;
  for (const BatchedValue& v : job.operands) {
    operands.push_back(v.value);
    types.push_back(v.value.type());
  }
  Node* made =
      remake(job.node, job.context.into, operands, job.node.attrs, types, job.context.before);
  for (int k = 0; k < made->result_count(); ++k)
    job.set(k, made->result(k), job.is_batched(std::size_t(k)));
}

}  // namespace

void register_optimization_barrier(OpRegistry& registry) {
  OpDef op;
  op.name = "stablehlo.optimization_barrier";
  op.doc = "Its operands, all computed before any of the results is used.";
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(pass_on, pass_on);
  op.shape = KernelShape::loops;
  op.elements = Elements::passed;
  op.lower = lower;
  op.factors = factors;
  op.batch = batch;
  op.may_alias = {{0, 0}, {1, 1}, {2, 2}, {3, 3}};
  op.samples = {
      R"(func.func @main(%a: tensor<2x6xf32>, %b: tensor<3xi32>) -> (tensor<2x6xf32>, tensor<3xi32>) {
  %0:2 = stablehlo.optimization_barrier %a, %b : tensor<2x6xf32>, tensor<3xi32>
  return %0#0, %0#1 : tensor<2x6xf32>, tensor<3xi32>
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
