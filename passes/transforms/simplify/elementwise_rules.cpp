// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algebra of elementwise operations.  Float rules hold for every value, NaN, infinities and the sign
// of zero included: x + 0 stays (-0 + 0 = 0), x + -0 is x.
#include <algorithm>
#include <array>

#include "ir/interpreter/constants.hpp"
#include "passes/transforms/simplify/rewriter.hpp"

namespace partita::passes {
namespace {

using ir::Node;
using ir::Value;

bool is_bits(Value v) { return intersects(info(v.type().dtype).kind, Kinds::bits); }

/// Constants of arithmetic on the right of an operation that may swap its operands.
struct Split {
  Value x, constant;
};
std::optional<Split> constant_operand(const Node& node) {
  if (splat_of(node.operand(1))) return Split{node.operand(0), node.operand(1)};
  if (splat_of(node.operand(0))) return Split{node.operand(1), node.operand(0)};
  return std::nullopt;
}

/// op(op(x, c), d) = op(x, op(c, d)) for integers.
Replacement reassociate(Node& node, Rewriter& r) {
  if (!is_bits(node.result())) return {};
  const auto outer = constant_operand(node);
  if (!outer || &outer->x.node->op() != &node.op() || splat_of(outer->x)) return {};
  const auto inner = constant_operand(*outer->x.node);
  if (!inner) return {};
  return {
      r.value(node.name(), {inner->x, r.value(node.name(), {inner->constant, outer->constant})})};
}

/// The identity of the operation as one operand: the other is the result.
Replacement drop_identity(Node& node, Combiner combiner) {
  for (std::size_t k = 0; k < 2; ++k)
    if (is_identity_of(combiner, node.operand(k))) return {node.operand(1 - k)};
  return {};
}

Replacement add(Node& node, Rewriter& r) {
  if (is_bits(node.result())) {
    if (auto v = drop_identity(node, Combiner::sum); !v.empty()) return v;
    return reassociate(node, r);
  }
  if (!is_float(node.result().type().dtype)) return {};
  for (std::size_t k = 0; k < 2; ++k)
    if (is_splat(node.operand(k), -0.0)) return {node.operand(1 - k)};
  return {};
}

Replacement subtract(Node& node, Rewriter& r) {
  if (is_complex(node.result().type().dtype)) return {};
  if (is_splat(node.operand(1), 0.0)) return {node.operand(0)};
  if (is_bits(node.result()) && node.operand(0) == node.operand(1))
    return {r.splat(node.result().type(), 0)};
  return {};
}

Replacement multiply(Node& node, Rewriter& r) {
  if (is_complex(node.result().type().dtype)) return {};
  if (auto v = drop_identity(node, Combiner::product); !v.empty()) return v;
  if (!is_bits(node.result())) return {};
  for (std::size_t k = 0; k < 2; ++k)
    if (is_splat(node.operand(k), 0)) return {node.operand(k)};
  return reassociate(node, r);
}

Replacement divide(Node& node, Rewriter&) {
  if (is_complex(node.result().type().dtype) || !is_splat(node.operand(1), 1)) return {};
  return {node.operand(0)};
}

/// Exponents for which products or a quotient are as exact.
Replacement power(Node& node, Rewriter& r) {
  const DType d = node.result().type().dtype;
  const Value x = node.operand(0), exponent = node.operand(1);
  if (is_complex(d)) return {};
  if (is_splat(exponent, 0)) return {r.splat(node.result().type(), 1)};
  if (is_splat(exponent, 1)) return {x};
  if (is_splat(exponent, 2)) return {r.value("stablehlo.multiply", {x, x})};
  if (!is_float(d) || !info(d).format.is_signed) return {};
  if (is_splat(exponent, -1))
    return {r.value("stablehlo.divide", {r.splat(node.result().type(), 1), x})};
  if (is_small_float(d) || !is_splat(exponent, 3)) return {};  // these would be rounded twice
  return {r.value("stablehlo.multiply", {r.value("stablehlo.multiply", {x, x}), x})};
}

template <bool is_max>
Replacement extremum(Node& node, Rewriter& r) {
  if (is_complex(node.result().type().dtype)) return {};
  if (node.operand(0) == node.operand(1)) return {node.operand(0)};
  if (auto v = drop_identity(node, is_max ? Combiner::max : Combiner::min); !v.empty()) return v;
  if (!is_bits(node.result())) return {};
  const auto a = r.ranges().of(node.operand(0)), b = r.ranges().of(node.operand(1));
  if (a && b && a->low >= b->high) return {node.operand(is_max ? 0 : 1)};
  if (a && b && b->low >= a->high) return {node.operand(is_max ? 1 : 0)};
  return reassociate(node, r);
}

Replacement bitwise_and(Node& node, Rewriter& r) {
  if (node.operand(0) == node.operand(1)) return {node.operand(0)};
  if (auto v = drop_identity(node, Combiner::logical_and); !v.empty()) return v;
  for (std::size_t k = 0; k < 2; ++k)
    if (is_splat(node.operand(k), 0)) return {node.operand(k)};
  return reassociate(node, r);
}

Replacement bitwise_or(Node& node, Rewriter& r) {
  if (node.operand(0) == node.operand(1)) return {node.operand(0)};
  if (auto v = drop_identity(node, Combiner::logical_or); !v.empty()) return v;
  for (std::size_t k = 0; k < 2; ++k)
    if (is_identity_of(Combiner::logical_and, node.operand(k))) return {node.operand(k)};
  return reassociate(node, r);
}

Replacement bitwise_xor(Node& node, Rewriter& r) {
  if (node.operand(0) == node.operand(1)) return {r.splat(node.result().type(), 0)};
  if (auto v = drop_identity(node, Combiner::logical_or); !v.empty()) return v;
  return reassociate(node, r);
}

Replacement shift(Node& node, Rewriter&) {
  return is_splat(node.operand(1), 0) ? Replacement{node.operand(0)} : Replacement{};
}

Replacement inverse_of_itself(Node& node, Rewriter&) {
  const Node& inner = *node.operand(0).node;
  return &inner.op() == &node.op() ? Replacement{inner.operand(0)} : Replacement{};
}

Value compare(Rewriter& r, const Node& like, std::string_view direction, Value a, Value b) {
  ir::Dict attrs = like.attrs;
  attrs.set("comparison_direction",
            ir::EnumAttr{"stablehlo", "comparison_direction", std::string(direction)});
  return r.value("stablehlo.compare", {a, b}, attrs);
}

/// not(a < b) is a >= b where there is no NaN.
Replacement negated_comparison(Node& node, Rewriter& r) {
  const Node& test = *node.operand(0).node;
  if (!test.is("stablehlo.compare") || node.result().type().dtype != DType::i1) return {};
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> opposites{
      {{"EQ", "NE"}, {"NE", "EQ"}, {"LT", "GE"}, {"GE", "LT"}, {"GT", "LE"}, {"LE", "GT"}}};
  const std::string& direction = test.attrs.text("comparison_direction");
  const bool is_equality = direction == "EQ" || direction == "NE";
  if (!is_equality && !is_bits(test.operand(0))) return {};
  const auto opposite =
      std::ranges::find(opposites, direction, [](const auto& p) { return p.first; });
  return {compare(r, test, opposite->second, test.operand(0), test.operand(1))};
}

/// x > c = max(x, c) > c, and x < c = min(x, c) < c, where that is computed anyway: then x itself need
/// not be kept for the mask of a rectifier.
Replacement compare_extremum(Node& node, Rewriter& r) {
  const Value x = node.operand(0), c = node.operand(1);
  const std::string& direction = node.attrs.text("comparison_direction");
  if (!is_float(x.type().dtype) || (direction != "GT" && direction != "LT") || !splat_of(c))
    return {};
  const bool is_max = direction == "GT";
  // An extremum that is x itself goes.
  if (is_identity_of(is_max ? Combiner::max : Combiner::min, c)) return {};
  const std::string_view wanted = is_max ? "stablehlo.maximum" : "stablehlo.minimum";
  for (Node* other : node.graph()->nodes()) {
    if (other == &node) break;
    if (!other->is(wanted)) continue;
    const Value a = other->operand(0), b = other->operand(1);
    if ((a == x && b == c) || (a == c && b == x))
      return {compare(r, node, direction, other->result(), c)};
  }
  return {};
}

Replacement comparison(Node& node, Rewriter& r) {
  if (!is_bits(node.operand(0))) return {};
  const std::string& direction = node.attrs.text("comparison_direction");
  const Type& type = node.result_types()[0];
  const auto decided = [&](bool result) { return Replacement{r.splat(type, result ? 1 : 0)}; };
  if (node.operand(0) == node.operand(1))
    return decided(direction == "EQ" || direction == "LE" || direction == "GE");
  if (node.operand(0).type().dtype == DType::i1)
    for (std::size_t k = 0; k < 2; ++k) {
      if ((direction == "EQ" && is_splat(node.operand(k), 1)) ||
          (direction == "NE" && is_splat(node.operand(k), 0)))
        return {node.operand(1 - k)};
      if ((direction == "EQ" && is_splat(node.operand(k), 0)) ||
          (direction == "NE" && is_splat(node.operand(k), 1)))
        return {r.value("stablehlo.not", {node.operand(1 - k)})};
    }
  const auto a = r.ranges().of(node.operand(0)), b = r.ranges().of(node.operand(1));
  if (!a || !b) return {};
  const bool is_below = a->high<b->low, is_above = a->low> b->high;
  if (direction == "EQ" || direction == "NE")
    return is_below || is_above ? decided(direction == "NE") : Replacement{};
  if (direction == "LT")
    return is_below ? decided(true) : a->low >= b->high ? decided(false) : Replacement{};
  if (direction == "GT")
    return is_above ? decided(true) : a->high <= b->low ? decided(false) : Replacement{};
  if (direction == "LE")
    return a->high <= b->low ? decided(true) : is_above ? decided(false) : Replacement{};
  return a->low >= b->high ? decided(true) : is_below ? decided(false) : Replacement{};
}

Replacement select(Node& node, Rewriter& r) {
  const Value predicate = node.operand(0), on_true = node.operand(1), on_false = node.operand(2);
  if (on_true == on_false || is_splat(predicate, 1)) return {on_true};
  if (is_splat(predicate, 0)) return {on_false};
  if (predicate.node->is("stablehlo.not"))
    return {r.value("stablehlo.select", {predicate.node->operand(0), on_false, on_true})};
  // A predicate for all elements is read as one.
  if (predicate.node->is("stablehlo.broadcast_in_dim") &&
      predicate.node->operand(0).type().dims.empty())
    return {r.value("stablehlo.select", {predicate.node->operand(0), on_true, on_false})};
  if (node.result().type().dtype == DType::i1 && predicate.type() == node.result().type()) {
    if (is_splat(on_true, 1) && is_splat(on_false, 0)) return {predicate};
    if (is_splat(on_true, 0) && is_splat(on_false, 1))
      return {r.value("stablehlo.not", {predicate})};
  }
  return {};
}

Replacement clamp(Node& node, Rewriter& r) {
  if (!is_bits(node.result())) return {};
  const auto low = r.ranges().of(node.operand(0)), x = r.ranges().of(node.operand(1)),
             high = r.ranges().of(node.operand(2));
  if (low && x && high && low->high <= x->low && x->high <= high->low) return {node.operand(1)};
  return {};
}

/// Remainder and division of what is smaller than the divisor.
Replacement remainder(Node& node, Rewriter& r) {
  if (!is_bits(node.result())) return {};
  const auto a = r.ranges().of(node.operand(0)), b = r.ranges().of(node.operand(1));
  if (a && b && a->low >= 0 && a->high < b->low) return {node.operand(0)};
  return {};
}

/// Whether `to` holds every value of `from`.
bool holds_all_of(DType to, DType from) {
  if (to == from) return true;
  const Kinds from_kind = info(from).kind, to_kind = info(to).kind;
  if (from_kind == Kinds::boolean)
    return to_kind != Kinds::boolean && !is_complex(to) &&
           (to_kind != Kinds::floating || info(to).format.has_zero());
  if (from_kind == Kinds::floating) {
    return to_kind == Kinds::floating && partita::holds_all_of(info(to).format, info(from).format);
  }
  if (!is_integer(from)) return false;
  const int bits = info(from).bits;
  if (to_kind == Kinds::floating) {
    const FloatFormat& format = info(to).format;
    return format.mantissa_bits + 1 >= bits && format.bias() >= bits;
  }
  if (to_kind == from_kind) return info(to).bits >= bits;
  return from_kind == Kinds::unsigned_ && to_kind == Kinds::signed_ && info(to).bits > bits;
}

Replacement convert(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  const Type& type = node.result_types()[0];
  if (x.type() == type) return {x};
  if (!x.node->is("stablehlo.convert")) return {};
  const Value inner = x.node->operand(0);
  if (!holds_all_of(x.type().dtype, inner.type().dtype)) return {};
  if (inner.type() == type) return {inner};
  return {r.value("stablehlo.convert", {inner}, {}, {&type, 1})};
}

}  // namespace

void add_elementwise_rules(RuleTable& table) {
  table["stablehlo.add"].push_back(add);
  table["stablehlo.subtract"].push_back(subtract);
  table["stablehlo.multiply"].push_back(multiply);
  table["stablehlo.divide"].push_back(divide);
  table["stablehlo.power"].push_back(power);
  table["stablehlo.remainder"].push_back(remainder);
  table["stablehlo.maximum"].push_back(extremum<true>);
  table["stablehlo.minimum"].push_back(extremum<false>);
  table["stablehlo.and"].push_back(bitwise_and);
  table["stablehlo.or"].push_back(bitwise_or);
  table["stablehlo.xor"].push_back(bitwise_xor);
  for (const char* name : {"stablehlo.shift_left", "stablehlo.shift_right_arithmetic",
                           "stablehlo.shift_right_logical"})
    table[name].push_back(shift);
  table["stablehlo.not"].push_back(inverse_of_itself);
  table["stablehlo.not"].push_back(negated_comparison);
  table["stablehlo.negate"].push_back(inverse_of_itself);
  table["stablehlo.compare"].push_back(comparison);
  table["stablehlo.compare"].push_back(compare_extremum);
  table["stablehlo.select"].push_back(select);
  table["stablehlo.clamp"].push_back(clamp);
  table["stablehlo.convert"].push_back(convert);
}

}  // namespace partita::passes
