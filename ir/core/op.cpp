// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/op.hpp"

#include "ir/core/attribute_check.hpp"
#include "ir/core/known_ops.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/ir/open_types.hpp"

namespace partita::ir {

// --- InferContext -------------------------------------------------------------------------------

void InferContext::fail(const std::string& expected, const std::string& found) const {
  fail(cat("expected ", expected, ", found ", found));
}

void InferContext::fail(const std::string& message) const {
  throw_user_error(cat(op, ": ", message), location);
}

std::span<const Type> InferContext::declared() const {
  if (declared_results.empty()) fail("declared result types", "none");
  return declared_results;
}

// --- OpRegistry ---------------------------------------------------------------------------------

const OpRegistry& OpRegistry::instance() {
  static const OpRegistry registry = [] {
    OpRegistry all;
    register_all_ops(all);
    return all;
  }();
  return registry;
}

void OpRegistry::add(OpDef def) {
  const std::string name = def.name;
  const auto [at, is_new] = ops_.emplace(name, std::make_unique<OpDef>(std::move(def)));
  if (!is_new) throw_internal_error(cat("op ", name, " is registered twice"));
}

double OpDef::element_cost() const {
  const bool is_free = elements == Elements::generated || elements == Elements::passed ||
                       elements == Elements::viewed;
  return cost.value_or(is_free ? 0 : 1);
}

const OpDef* OpRegistry::find(std::string_view name) const {
  const auto at = ops_.find(name);
  return at == ops_.end() ? nullptr : at->second.get();
}

namespace {

// Definitions of custom calls have names that no op has in a text: "stablehlo.custom_call @NAME".
bool is_target(std::string_view name) { return name.find(' ') != std::string_view::npos; }

// An op of the vocabulary with another spelling, or nothing where none is near.
std::string nearest_op(const OpRegistry& registry, std::string_view name) {
  std::vector<std::string> known;
  for (const OpDef* op : registry.all())
    if (!is_target(op->name)) known.push_back(op->name);
  const std::vector<std::string> near = nearest_names(name, known);
  return near.empty() ? "" : near.front();
}

// What a dialect has here: "stablehlo.abs, add, …".
std::string supported_ops(const OpRegistry& registry, std::string_view dialect) {
  std::string names;
  for (const OpDef* op : registry.all()) {
    const std::string_view name = op->name;
    if (name.substr(0, name.find('.')) != dialect || is_target(name)) continue;
    names += names.empty() ? std::string(name) : cat(", ", name.substr(dialect.size() + 1));
  }
  return names;
}

}  // namespace

const OpDef& OpRegistry::get(std::string_view name, const SourceLocation& where) const {
  if (const OpDef* op = is_target(name) ? nullptr : find(name)) return *op;
  const std::string shown(name.substr(0, 100));
  const std::string supported = supported_ops(*this, name.substr(0, name.find('.')));
  if (is_dialect_op(name))
    throw_user_error(cat(shown, ": unsupported op: expected one of ", supported, ", found ", shown),
                     where);
  const std::string near = nearest_op(*this, name);
  std::string expected = "an op of the dialects stablehlo, chlo, func, sdy, check, mr";
  if (!near.empty())
    expected = cat(near, " or another supported op");
  else if (is_known_dialect(name))
    expected = cat("one of ", supported);
  throw_user_error(
      cat(shown, ": unknown or unsupported op: expected ", expected, ", found ", shown), where);
}

std::vector<const OpDef*> OpRegistry::all() const {
  std::vector<const OpDef*> ops;
  for (const auto& [name, op] : ops_) ops.push_back(op.get());
  return ops;
}

// --- Making nodes -------------------------------------------------------------------------------

namespace {

void check_declared(const InferContext& context, std::span<const Type> inferred,
                    std::span<const Type> declared) {
  if (inferred.size() != declared.size())
    context.fail(cat(inferred.size(), " results"), cat(declared.size(), " result types"));
  for (std::size_t k = 0; k < inferred.size(); ++k)
    if (!admits(declared[k], inferred[k]))
      context.fail(cat("result ", k, " of type ", to_string(inferred[k])), to_string(declared[k]));
}

std::vector<Type> types_of(std::span<const Value> values) {
  std::vector<Type> types;
  for (const Value& v : values) types.push_back(v.type());
  return types;
}

std::vector<Type> infer_checked(const OpDef& op, const InferContext& context) {
  if (!op.infer) throw_internal_error(cat(op.name, " has no inference"));
  std::vector<Type> types = op.infer(context);
  if (!context.declared_results.empty()) check_declared(context, types, context.declared_results);
  return types;
}

}  // namespace

namespace {

// The definition of an op; of a custom call that of its target.
const OpDef& definition(std::string_view op_name, const Dict& attrs,
                        const SourceLocation& location) {
  constexpr std::string_view custom_call = "stablehlo.custom_call";
  const OpRegistry& registry = OpRegistry::instance();
  const OpDef& op = registry.get(op_name, location);
  if (op_name != custom_call) return op;
  Dict own = attrs;
  normalize_attributes(op, own, location);
  const std::string& target = own.text("call_target_name");
  if (const OpDef* known = registry.find(cat(custom_call, " @", target))) return *known;
  std::string supported;
  for (const OpDef* other : registry.all())
    if (other->name.starts_with(cat(custom_call, " ")) && !other->expand)
      supported += cat(supported.empty() ? "" : ", ", other->name.substr(custom_call.size() + 1));
  throw_user_error(cat(custom_call, ": unsupported call: expected one of ", supported, ", found @",
                       target.substr(0, 100)),
                   location);
}

}  // namespace

Node* create(Graph& graph, std::string_view op_name, std::vector<Value> operands, Dict attrs,
             std::vector<std::unique_ptr<Graph>> regions, std::span<const Type> declared_results,
             Node* before, const SourceLocation& location) {
  const OpDef& op = definition(op_name, attrs, location);
  for (const Value& v : operands)
    if (!v) throw_internal_error(cat(op.name, " is given an operand that does not exist"));
  normalize_attributes(op, attrs, location);
  const std::vector<Type> operand_types = types_of(operands);
  const InferContext context{.op = op.name,
                             .operands = operand_types,
                             .attrs = attrs,
                             .regions = regions,
                             .location = location,
                             .declared_results = declared_results};
  if (op.expand) {
    erase_default_attributes(op, attrs);
    Node* node = op.expand(context, graph, operands, before);
    std::vector<Type> types = node->result_types();
    if (!declared_results.empty()) check_declared(context, types, declared_results);
    return node;
  }
  std::vector<Type> types = infer_checked(op, context);
  erase_default_attributes(op, attrs);
  Node* node = graph.add_node(op, std::move(operands), std::move(attrs), std::move(types),
                              std::move(regions), before);
  node->set_location(location);
  return node;
}

Value create_value(Graph& graph, std::string_view op, std::vector<Value> operands, Dict attrs,
                   std::span<const Type> declared_results, Node* before) {
  Node* node =
      create(graph, op, std::move(operands), std::move(attrs), {}, declared_results, before);
  PARTITA_ASSERT(node->result_count() == 1);
  return node->result();
}

Value create_constant(Graph& graph, DenseRef value, Node* before) {
  const Type type = value->type();
  return create_value(graph, "stablehlo.constant", {}, {{"value", std::move(value)}}, {&type, 1},
                      before);
}

Value create_splat(Graph& graph, const Type& type, double value, Node* before) {
  return create_constant(graph, make_splat(type, value), before);
}

// --- Factors ------------------------------------------------------------------------------------

FactorRule factor_rule(const Node& node) {
  if (node.op().factors) return node.op().factors(node);
  FactorRule rule;
  const auto replicate = [&](const Type& type) {
    std::vector<std::vector<int>> dims;
    for (const std::int64_t extent : type.dims)
      dims.push_back({rule.add_factor(extent, FactorKind::replicated)});
    return dims;
  };
  for (const Value& v : node.operands()) rule.operands.push_back(replicate(v.type()));
  for (const Type& type : node.result_types()) rule.results.push_back(replicate(type));
  return rule;
}

}  // namespace partita::ir
