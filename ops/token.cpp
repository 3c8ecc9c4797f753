// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tokens order side effects in StableHLO.  Nodes here are pure, so a token says nothing: it is a
// value without elements.
#include "ops/support/support.hpp"

namespace partita::ir::ops {
namespace {

/// As type.cpp spells it: distinct from the tokens of collectives.
Type token() { return {.dtype = DType::i8, .dims = {0}, .is_token = true}; }

std::vector<Type> infer(const InferContext& c) {
  for (const Type& type : c.operands)
    c.expect(type == token(), "tokens as operands", to_string(type));
  return {token()};
}

std::vector<Type> infer_create(const InferContext& c) {
  expect_operand_count(c, 0);
  return {token()};
}

std::vector<Tensor> eval(const EvalContext& c) { return one(HostArray(c.result_type())); }

scalar::ExprId lower(const Node&, int, scalar::ExprPool& pool, std::span<const scalar::ExprId>,
                     const LoadFn&) {
  return pool.constant(DType::i8, 0);
}

FactorRule factors(const Node& node) {
  FactorRule rule = empty_rule(node);
  for (auto& operand : rule.operands) operand[0] = {rule.add_factor(0, FactorKind::replicated)};
  rule.results[0][0] = {rule.add_factor(0, FactorKind::replicated)};
  return rule;
}

void add(OpRegistry& registry, const char* name, const char* doc, InferFn infer_types,
         std::vector<std::string> samples) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.infer = std::move(infer_types);
  op.eval = eval;
  op.shape = KernelShape::loops;
  op.lower = lower;
  op.factors = factors;
  op.derivative = Derivative::none("has no elements");
  op.samples = std::move(samples);
  registry.add(std::move(op));
}

}  // namespace

void register_token(OpRegistry& registry) {
  add(registry, "stablehlo.after_all", "A token after others.", infer,
      {R"(func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all : !stablehlo.token
  return %a : tensor<3xf32>
})"});
  add(registry, "stablehlo.create_token", "A token after nothing.", infer_create, {});
}

}  // namespace partita::ir::ops
