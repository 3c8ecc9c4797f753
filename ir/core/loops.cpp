// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/loops.hpp"

#include <utility>

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

std::string_view mirrored(std::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "LE") return "GE";
  if (direction == "GT") return "LT";
  if (direction == "GE") return "LE";
  return direction;
}

std::optional<CountedLoop> counted_loop(const Node& loop) {
  if (!loop.is("stablehlo.while")) return std::nullopt;
  const Graph& condition = loop.region(0);
  if (condition.results.size() != 1) return std::nullopt;
  const Value test = without_conversions(condition.results[0]);
  if (!test.node->is("stablehlo.compare")) return std::nullopt;
  CountedLoop found{.direction = test.node->attrs.text("comparison_direction"),
                    .end = without_conversions(test.node->operand(1))};
  Value i = without_conversions(test.node->operand(0));
  const auto update_of = [&](Value v) {
    return condition.is_argument(v) && is_scalar_integer(v.type())
               ? carry_step(loop, std::size_t(v.index))
               : std::nullopt;
  };
  auto update = update_of(i);
  if (!update) {
    std::swap(i, found.end);
    found.direction = mirrored(found.direction);
    update = update_of(i);
  }
  if (!update) return std::nullopt;
  found.induction = i.index;
  found.update = *update;
  if (condition.is_argument(found.end)) {
    const auto k = std::size_t(found.end.index);
    if (is_passed_on(loop, k)) found.outer_end = loop.operand(k);
  } else if (found.end.node->graph() != &condition || found.end.node->is("stablehlo.constant")) {
    found.outer_end = found.end;
  }
  return found;
}

std::optional<std::int64_t> CountedLoop::rising_step() const {
  if (direction != "LT" || !update.is_sum) return std::nullopt;
  const auto by = integer_constant(update.by);
  return by && *by > 0 ? by : std::nullopt;
}

}  // namespace partita::ir
