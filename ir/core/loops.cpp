// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/loops.hpp"

#include "partita/ir/op.hpp"

namespace partita::ir {

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

}  // namespace partita::ir
