// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/trip_count.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "partita/ir/loops.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

/// Numbers below this may be added and multiplied by small ones without thought.
constexpr std::int64_t largest = std::int64_t{1} << 60;
/// Deeper arithmetic than programs write for a bound.
constexpr int max_depth = 16;

bool is_small(std::int64_t x) { return -largest < x && x < largest; }

/// Whether the number is one of the integers of a type.
bool fits(std::int64_t x, DType dtype) {
  const int bits = info(dtype).bits;
  const bool is_signed = info(dtype).kind == Kinds::signed_;
  if (!is_signed && x < 0) return false;
  if (bits >= 64) return true;
  const std::int64_t limit = std::int64_t{1} << (is_signed ? bits - 1 : bits);
  return x < limit && (!is_signed || x >= -limit);
}

std::optional<std::int64_t> evaluate(Value v, int depth);

std::optional<std::int64_t> of_arithmetic(const Node& node, int depth) {
  if (node.operands().size() != 2) return std::nullopt;
  const auto a = evaluate(node.operand(0), depth + 1), b = evaluate(node.operand(1), depth + 1);
  if (!a || !b || !is_small(*a) || !is_small(*b)) return std::nullopt;
  if (node.is("stablehlo.add")) return *a + *b;
  if (node.is("stablehlo.subtract")) return *a - *b;
  if (node.is("stablehlo.minimum")) return std::min(*a, *b);
  if (node.is("stablehlo.maximum")) return std::max(*a, *b);
  constexpr std::int64_t factor = std::int64_t{1} << 30;
  const bool is_product =
      node.is("stablehlo.multiply") && std::abs(*a) < factor && std::abs(*b) < factor;
  return is_product ? std::optional(*a * *b) : std::nullopt;
}

std::optional<std::int64_t> evaluate(Value v, int depth) {
  if (depth > max_depth || !is_scalar_integer(v.type())) return std::nullopt;
  const Node& node = *v.node;
  std::optional<std::int64_t> found;
  if (node.is("stablehlo.constant")) {
    found = integer_constant(v);
  } else if (node.is("stablehlo.convert") && is_scalar_integer(node.operand(0).type())) {
    found = evaluate(node.operand(0), depth + 1);
  } else {
    found = of_arithmetic(node, depth);
  }
  return found && fits(*found, v.type().dtype) ? found : std::nullopt;
}

/// Trips of `while (i DIRECTION end) i += step`.
std::optional<std::int64_t> trips_of(Counter i, std::string_view direction, std::int64_t end) {
  if (direction == "GT" || direction == "GE")
    return trips_of({-i.first, -i.step}, mirrored(direction), -end);
  if (direction == "LE") return trips_of(i, "LT", end + 1);
  const std::int64_t distance = end - i.first;
  if (direction == "LT") {
    if (distance <= 0) return 0;
    if (i.step <= 0) return std::nullopt;
    return (distance + i.step - 1) / i.step;
  }
  if (direction == "NE") {
    if (distance == 0) return 0;
    if (i.step == 0 || distance % i.step != 0 || distance / i.step < 0) return std::nullopt;
    return distance / i.step;
  }
  if (distance != 0) return 0;
  return i.step != 0 ? std::optional<std::int64_t>(1) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> constant_integer(Value v) { return evaluate(v, 0); }

std::optional<Counter> counter_carry(const Node& loop, std::size_t k) {
  const Type type = loop.region(1).argument(int(k)).type();
  if (!is_scalar_integer(type) || type.dtype == DType::i1) return std::nullopt;
  const auto first = constant_integer(loop.operand(k));
  const auto update = carry_step(loop, k);
  if (!first || !is_small(*first) || !update) return std::nullopt;
  const auto step = constant_integer(update->by);
  if (!step || !is_small(*step)) return std::nullopt;
  return Counter{*first, update->is_sum ? *step : -*step};
}

std::optional<std::int64_t> trip_count(const Node& loop) {
  const auto counted = counted_loop(loop);
  const auto counter =
      counted ? counter_carry(loop, std::size_t(counted->induction)) : std::nullopt;
  if (!counter) return std::nullopt;
  // The condition may compute its end of constants.
  const auto end = constant_integer(counted->outer_end.value_or(counted->end));
  if (!end || !is_small(*end)) return std::nullopt;
  const auto trips = trips_of(*counter, counted->direction, *end);
  // A counter that would wrap around runs on.
  const Type& type = loop.operand(std::size_t(counted->induction)).type();
  if (!trips || (counter->step != 0 && *trips > largest / std::abs(counter->step)) ||
      !fits(counter->first + *trips * counter->step, type.dtype))
    return std::nullopt;
  return trips;
}

}  // namespace partita::ir
