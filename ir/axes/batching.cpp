// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A node with a further dimension.  Most ops take it as dimension 0 of every operand and result, their
// attributes following from dimension roles; the others say how (`OpDef::batch`).
#include "ir/axes/batching.hpp"

#include <algorithm>

namespace partita::ir {

std::vector<Type> BatchJob::batched_types() const {
  std::vector<Type> types;
  for (const Type& t : node.result_types()) types.push_back(with_dim_inserted(t, 0, context.size));
  return types;
}

void BatchJob::set(int result, Value v, bool is_batched) const {
  map[Value{const_cast<Node*>(&node), result}] = {v, is_batched};  // a key only
}

void BatchJob::set_all(Node* made) const {
  for (int k = 0; k < made->result_count(); ++k) set(k, made->result(k));
}

void BatchJob::refuse(const std::string& why) const {
  throw_user_error(cat(node.name(), ": expected an op that can be batched, found ", why),
                   node.location());
}

BatchedValue look_up(const BatchMap& map, Value v) {
  const auto found = map.find(v);
  return found == map.end() ? BatchedValue{v, false} : found->second;
}

Value BatchJob::made(int result) const {
  return look_up(map, Value{const_cast<Node*>(&node), result}).value;  // a key only
}

bool BatchJob::any_batched(std::size_t first) const {
  return std::any_of(operands.begin() + std::ptrdiff_t(first), operands.end(),
                     [](const BatchedValue& v) { return v.batched; });
}

void batch_leading(const BatchJob& job, const std::vector<bool>& data) {
  const DimEdit leading{0, job.context.size};
  std::vector<Value> operands;
  DimEdits edits;
  for (std::size_t k = 0; k < job.operands.size(); ++k) {
    operands.push_back(data[k] ? job.with_batch(k) : job.plain(k));
    edits.push_back(data[k] ? std::optional(leading) : std::nullopt);
  }
  Dict attrs =
      attrs_with_inserted(job.node, edits, DimEdits(job.node.result_types().size(), leading));
  job.set_all(remake(job.node, job.context.into, std::move(operands), std::move(attrs),
                     job.batched_types(), job.context.before));
}

void batch_leading_everywhere(const BatchJob& job) {
  batch_leading(job, std::vector<bool>(job.operands.size(), true));
}

void prepend(Dict& attrs, const char* name, std::int64_t entry) {
  I64s list = attrs.i64s(name);
  list.insert(list.begin(), entry);
  attrs.set(name, list);
}

namespace {

/// Ops without rule of their own: operands of full rank lead with the batch; scalars of an op on
/// arrays (select's predicate, clamp's bounds) stay, or are repeated when they are batched.
void batch_plain(const BatchJob& job) {
  std::vector<bool> data;
  BatchJob repeated = job;
  for (std::size_t k = 0; k < job.operands.size(); ++k) {
    const bool is_scalar = job.node.operand(k).type().rank() == 0;
    const Dims& result = job.node.result_types()[0].dims;
    const bool is_side_scalar = is_scalar && !result.empty() && job.operands.size() > 1;
    data.push_back(!is_side_scalar || job.is_batched(k));
    if (!is_side_scalar || !job.is_batched(k)) continue;
    Dims full = result;
    full.insert(full.begin(), job.context.size);
    repeated.operands[k].value = job.maker().broadcast(job.plain(k), full, {0});
  }
  batch_leading(repeated, data);
}

/// The op's own rule; else batch_plain, for ops whose factors say how dimensions go together.
BatchFn find_rule(const Node& node) {
  if (node.op().batch != nullptr) return node.op().batch;
  const bool is_plain = node.op().factors && node.regions().empty() && !node.op().has_side_effect &&
                        (node.name().starts_with("stablehlo.") || node.name().starts_with("chlo."));
  return is_plain ? &batch_plain : nullptr;
}

void copy_node(const Node& node, BatchMap& map, const BatchContext& context) {
  ValueMap<Value> values;
  for (const Value& v : captures(node)) values[v] = look_up(map, v).value;
  Node* made = clone_node(node, context.into, values, context.before);
  for (int k = 0; k < made->result_count(); ++k)
    map[Value{const_cast<Node*>(&node), k}] = {made->result(k), false};
}

/// Whether a region holds a node that the special rule batches, so that it must not be copied.
bool holds_special(const Node& node, const BatchMap& map, const BatchContext& context) {
  if (!context.special || node.regions().empty() || !node.op().regions_capture) return false;
  bool found = false;
  for (const auto& region : node.regions())
    walk(*region, [&](Node& inner) {
      if (found || inner.op().regions_capture) return;
      Graph scratch;
      BatchMap copy = map;
      found = context.special(inner, copy,
                              {.into = scratch, .size = context.size, .special = context.special});
    });
  return found;
}

}  // namespace

Value batched(const BatchedValue& v, const BatchContext& context) {
  if (v.batched) return v.value;
  Dims shape = v.value.type().dims;
  shape.insert(shape.begin(), context.size);
  return Maker{context.into, context.before}.broadcast(v.value, shape,
                                                       counting(v.value.type().rank(), 1));
}

void add_batch_dim(const Node& node, BatchMap& map, const BatchContext& context) {
  if (context.special && context.special(node, map, context)) return;
  BatchJob job{.node = node, .map = map, .context = context, .operands = {}};
  for (const Value& v : node.operands()) job.operands.push_back(look_up(map, v));
  const std::vector<Value> used = captures(node);
  const bool is_batched =
      std::any_of(used.begin(), used.end(), [&](Value v) { return look_up(map, v).batched; });
  if (!is_batched && !holds_special(node, map, context)) return copy_node(node, map, context);
  const auto rule = find_rule(node);
  if (!rule) job.refuse("one without batching rule");
  rule(job);
}

std::vector<BatchedValue> batch_body(const Graph& body, BatchMap& map,
                                     const BatchContext& context) {
  for (const Node* node : body.nodes()) add_batch_dim(*node, map, context);
  std::vector<BatchedValue> results;
  for (const Value& v : body.results) results.push_back(look_up(map, v));
  return results;
}

std::string why_not_batched(const Graph& graph, const std::function<bool(const Node&)>& handled) {
  for (const Node* node : graph.nodes()) {
    if (handled && handled(*node)) continue;
    if (!find_rule(*node)) return cat(node->name(), " has no batching rule");
    if (!node->op().regions_capture) continue;
    for (const auto& region : node->regions())
      if (std::string why = why_not_batched(*region, handled); !why.empty()) return why;
  }
  return {};
}

}  // namespace partita::ir
