// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/loops.hpp"

#include "partita/ir/op.hpp"

namespace partita::ir {

bool is_scalar_integer(const Type& type) {
  return type.dims.empty() && !type.is_token && is_integer(type.dtype);
}

std::optional<std::int64_t> integer_constant(Value v) {
  const Type& type = v.type();
  if (!v.node->is("stablehlo.constant") || !type.dims.empty() || !is_integer(type.dtype))
    return std::nullopt;
  const HostArray array =
      convert((*v.node->attrs.find("value")->get_if<DenseRef>())->to_array(), DType::i64);
  return *array.data<DType::i64>();
}

Value without_conversions(Value v) {
  while (v.node->is("stablehlo.convert") && v.node->operand(0).type() == v.type())
    v = v.node->operand(0);
  return v;
}

bool is_passed_on(const Node& loop, std::size_t k) {
  const Graph& body = loop.region(1);
  return without_conversions(body.results.at(k)) == body.argument(int(k));
}

std::optional<CarryStep> carry_step(const Node& loop, std::size_t k) {
  const Graph& body = loop.region(1);
  const Value carry = body.argument(int(k)), next = without_conversions(body.results.at(k));
  const bool is_sum = next.node->is("stablehlo.add");
  if (!is_sum && !next.node->is("stablehlo.subtract")) return std::nullopt;
  const Value x = without_conversions(next.node->operand(0)),
              y = without_conversions(next.node->operand(1));
  if (x == carry) return CarryStep{y, is_sum};
  if (y == carry && is_sum) return CarryStep{x, true};
  return std::nullopt;
}

std::optional<CountedLoop> counted_loop(const Node& loop) {
  if (!loop.is("stablehlo.while")) return std::nullopt;
  const Graph& condition = loop.region(0);
  if (condition.results.size() != 1) return std::nullopt;
  const Value test = without_conversions(condition.results[0]);
  if (!test.node->is("stablehlo.compare") || test.node->attrs.text("comparison_direction") != "LT")
    return std::nullopt;
  const Value i = without_conversions(test.node->operand(0)),
              end = without_conversions(test.node->operand(1));
  if (!condition.is_argument(i) || !is_scalar_integer(i.type())) return std::nullopt;
  // The bound stays the same: a constant, a value from outside, or a carry that the body passes on.
  const bool is_fixed = condition.is_argument(end)
                            ? is_passed_on(loop, std::size_t(end.index))
                            : end.node->graph() != &condition || end.node->is("stablehlo.constant");
  const auto update = carry_step(loop, std::size_t(i.index));
  if (!is_fixed || !update || !update->is_sum) return std::nullopt;
  const auto by = integer_constant(update->by);
  if (!by || *by <= 0) return std::nullopt;
  return CountedLoop{.induction = i.index, .step = *by, .end = end};
}

}  // namespace partita::ir
