// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/support/expansion.hpp"

#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

/// The value of what depends on constants alone; null for anything else.
Tensor constant_value(Value v, int depth = 0) {
  constexpr int deepest = 64;
  const Node& node = *v.node;
  if (depth > deepest || !node.regions().empty() || !node.op().eval || node.op().has_side_effect ||
      node.is("graph.arguments") || v.type().count() > 1024 || node.result_count() != 1)
    return nullptr;
  std::vector<Tensor> operands;
  for (const Value operand : node.operands()) {
    operands.push_back(constant_value(operand, depth + 1));
    if (!operands.back()) return nullptr;
  }
  if (operands.empty() && !node.is("stablehlo.constant") && !node.is("stablehlo.iota"))
    return nullptr;
  static const Module nothing;
  Interpreter interpreter(nothing);
  return node.op().eval({.node = node, .operands = operands, .interpreter = interpreter})[0];
}

}  // namespace

Node* Expansion::make(std::string_view op, std::vector<Value> values, Dict attrs,
                      std::vector<Type> results) const {
  return create(into, op, std::move(values), std::move(attrs), {}, results, before,
                context.location);
}

const Type& Expansion::result() const {
  context.expect(context.declared().size() == 1, "1 result", cat(context.declared().size()));
  return context.declared()[0];
}

void Expansion::expect_integers(std::size_t k, std::int64_t count, std::string_view what) const {
  const Type& type = operands[k].type();
  context.expect(type.rank() == 1 && type.dims[0] == count && is_integer(type.dtype),
                 cat(count, " integers as ", what), to_string(type));
}

std::optional<I64s> Expansion::known_integers(std::size_t k) const {
  const Tensor found = constant_value(operands[k]);
  if (!found || !is_integer(found->type.dtype)) return std::nullopt;
  return index_values(*found);
}

I64s Expansion::integers(std::size_t k, std::string_view what) const {
  auto known = known_integers(k);
  if (!known)
    context.fail(cat(what, " that follows from constants"),
                 cat("one that depends on ", operands[k].node->name()));
  return *std::move(known);
}

void add_expansion(OpRegistry& registry, OpDef def, ExpandFn expand) {
  def.expand = [expand](const InferContext& use, Graph& into, std::span<const Value> operands,
                        Node* before) { return expand(Expansion(use, into, operands, before)); };
  def.infer = [](const InferContext& c) -> std::vector<Type> {
    throw_internal_error(cat("a node of ", c.op, ", which stands for others"));
  };
  def.derivative = Derivative::none("stands for other ops, which have theirs");
  registry.add(std::move(def));
}

}  // namespace partita::ir::ops
