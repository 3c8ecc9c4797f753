// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algebra of the mr ops: reductions of what is the same in all partitions, parts of broadcasts.
#include <algorithm>

#include "ir/interpreter/constants.hpp"
#include "partita/scalar/elementwise.hpp"
#include "passes/transforms/simplify/rewriter.hpp"

namespace partita::passes {

Replacement simplify_map(ir::Node& map, Rewriter& r);  // map_rule.cpp

namespace {

using ir::I64s;
using ir::Node;
using ir::Value;

/// What every partition holds of a placed value; nothing where they may differ.
std::optional<Value> same_in_all(Value v, const std::string& placement, Rewriter& r) {
  if (v.node->is("mr.broadcast") && v.node->attrs.text("placement") == placement)
    return v.node->operand(0);
  const ir::DenseRef splat = splat_of(v);
  if (!splat) return std::nullopt;
  const Dims& dims = v.type().dims;
  return r.constant(repeat(*splat, Dims(dims.begin() + 1, dims.end())));
}

bool is_same_in_all(Value v, const std::string& placement) {
  return (v.node->is("mr.broadcast") && v.node->attrs.text("placement") == placement) ||
         splat_of(v) != nullptr;
}

/// n as an element of a dtype: integers wrap as a sum would.
ir::DenseRef number(const Type& type, std::int64_t n) {
  HostArray one(Type::scalar(type.dtype));
  visit(type.dtype, [&](auto d) { store<d>(ValueType<d>(n), one.template data<d>(), 0); });
  return repeat(*ir::make_dense(one), type.dims);
}

/// The sum of n equal values.
Value n_times(Value x, std::int64_t n, Rewriter& r) {
  const DType d = x.type().dtype;
  if (accumulator_dtype(d) == d)
    return r.value("stablehlo.multiply", {x, r.constant(number(x.type(), n))});
  // Rounded once.
  const Type wide{.dtype = accumulator_dtype(d), .dims = x.type().dims};
  const Type& narrow = x.type();
  const Value w = r.value("stablehlo.convert", {x}, {}, {&wide, 1});
  const Value product = r.value("stablehlo.multiply", {w, r.constant(number(wide, n))});
  return r.value("stablehlo.convert", {product}, {}, {&narrow, 1});
}

bool is_plain(const Node& node) {
  const I64s& segments = node.attrs.i64s_or_empty("operand_segments");
  return segments.empty() || segments == I64s{std::int64_t(node.operands().size()), 0, 0, 0};
}

/// Reductions without masks: of the operands that are the same in all partitions.
Replacement reduction(Node& node, Rewriter& r) {
  const std::string placement = node.attrs.text("placement");
  const auto& operands = node.operands();
  if (!is_plain(node) ||
      std::ranges::none_of(operands, [&](const Value& v) { return is_same_in_all(v, placement); }))
    return {};
  Replacement values(operands.size());
  std::vector<Value> others;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!is_same_in_all(operands[k], placement)) {
      others.push_back(operands[k]);
      continue;
    }
    const auto x = same_in_all(operands[k], placement, r);
    PARTITA_ASSERT(x.has_value());
    values[k] = node.is("mr.reduce_sum") ? n_times(*x, operands[k].type().dims[0], r) : *x;
  }
  if (others.empty()) return values;
  ir::Dict attrs = node.attrs;
  attrs.erase("operand_segments");
  Node* rest = r.create(node.name(), others, attrs);
  int next = 0;
  for (Value& v : values)
    if (!v) v = rest->result(next++);
  return values;
}

/// Partitions of a broadcast: the value, as often as they are taken.
Replacement slice_of_broadcast(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  if (!x.node->is("mr.broadcast")) return {};
  const Dims& from = x.type().dims;
  const Type& type = node.result_types()[0];
  if (!std::equal(from.begin() + 1, from.end(), type.dims.begin() + 1, type.dims.end())) return {};
  I64s dims(type.dims.size() - 1);
  for (std::size_t d = 0; d < dims.size(); ++d) dims[d] = std::int64_t(d) + 1;
  return {r.broadcast(x.node->operand(0), type, dims)};
}

/// Elementwise work on what is the same in all partitions is done once.
Replacement elementwise_of_broadcasts(Node& node, Rewriter& r) {
  std::string placement;
  for (const Value& v : node.operands())
    if (v.node->is("mr.broadcast")) placement = v.node->attrs.text("placement");
  const Type& type = node.result_types()[0];
  if (placement.empty() || type.dims.empty()) return {};
  for (const Value& v : node.operands())
    if (!is_same_in_all(v, placement) || v.type().dims != type.dims) return {};
  std::vector<Value> operands;
  for (const Value& v : node.operands()) {
    const auto x = same_in_all(v, placement, r);
    PARTITA_ASSERT(x.has_value());
    operands.push_back(*x);
  }
  const Type one{.dtype = type.dtype, .dims = Dims(type.dims.begin() + 1, type.dims.end())};
  const Value result = r.value(node.name(), operands, node.attrs, {&one, 1});
  return {r.value("mr.broadcast", {result}, {{"placement", placement}}, {&type, 1})};
}

}  // namespace

void add_placement_rules(RuleTable& table) {
  for (const char* name : {"mr.reduce_sum", "mr.reduce_mean", "mr.reduce_max", "mr.reduce_min"})
    table[name].push_back(reduction);
  table["mr.map"].push_back(simplify_map);
  table["stablehlo.slice"].push_back(slice_of_broadcast);
  table["stablehlo.convert"].push_back(elementwise_of_broadcasts);
  for (const scalar::ElementwiseRow& row : scalar::elementwise_rows()) {
    auto& rules = table[row.op];
    if (rules.empty() || rules.back() != elementwise_of_broadcasts)
      rules.push_back(elementwise_of_broadcasts);
  }
}

}  // namespace partita::passes
