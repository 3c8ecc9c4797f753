// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Batching rules.  Most ops take the new dimension as dimension 0 of every operand and result, their
// attributes following from dimension roles; the others have a rule in the table at the end.
#include "ir/axes/batching.hpp"

#include <algorithm>
#include <map>

namespace partita::ir {
namespace batching {

std::vector<Type> Job::batched_types() const {
  std::vector<Type> types;
  for (const Type& t : node.result_types()) types.push_back(with_dim_inserted(t, 0, context.size));
  return types;
}

void Job::set(int result, Value v, bool is_batched) const {
  map[Value{const_cast<Node*>(&node), result}] = {v, is_batched};  // a key only
}

void Job::set_all(Node* made) const {
  for (int k = 0; k < made->result_count(); ++k) set(k, made->result(k));
}

void Job::refuse(const std::string& why) const {
  throw_user_error(cat(node.name(), ": expected an op that can be batched, found ", why),
                   node.location());
}

BatchedValue look_up(const BatchMap& map, Value v) {
  const auto found = map.find(v);
  return found == map.end() ? BatchedValue{v, false} : found->second;
}

namespace {
const std::optional<DimEdit> no_edit;
}

/// The new dimension leads in operands flagged `data` and in every result.
void batch_leading(const Job& job, const std::vector<bool>& data) {
  const DimEdit leading{0, job.context.size};
  std::vector<Value> operands;
  DimEdits edits;
  for (std::size_t k = 0; k < job.operands.size(); ++k) {
    operands.push_back(data[k] ? job.with_batch(k) : job.plain(k));
    edits.push_back(data[k] ? std::optional(leading) : no_edit);
  }
  Dict attrs =
      attrs_with_inserted(job.node, edits, DimEdits(job.node.result_types().size(), leading));
  job.set_all(remake(job.node, job.context.into, std::move(operands), std::move(attrs),
                     job.batched_types(), job.context.before));
}

namespace {

/// 0, 1, …, rank - 1, each plus `from`.
I64s counting(std::int64_t rank, std::int64_t from = 0) {
  I64s dims;
  for (std::int64_t d = 0; d < rank; ++d) dims.push_back(from + d);
  return dims;
}

/// Ops without rule of their own: operands of full rank lead with the batch; scalars of an op on
/// arrays (select's predicate, clamp's bounds) stay, or are repeated when they are batched.
void batch_plain(const Job& job) {
  std::vector<bool> data;
  Job repeated = job;
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

void batch_each_operand(const Job& job) {
  std::vector<Value> operands;
  std::vector<Type> types;
  for (const BatchedValue& v : job.operands) {
    operands.push_back(v.value);
    types.push_back(v.value.type());
  }
  Node* made =
      remake(job.node, job.context.into, operands, job.node.attrs, types, job.context.before);
  for (int k = 0; k < made->result_count(); ++k)
    job.set(k, made->result(k), job.is_batched(std::size_t(k)));
}

void batch_broadcast(const Job& job) { batch_leading(job, {true}); }

void batch_sort(const Job& job) {
  batch_leading(job, std::vector<bool>(job.operands.size(), true));
}

// --- Pad --------------------------------------------------------------------------------

void batch_pad(const Job& job) {
  if (!job.is_batched(1)) return batch_leading(job, {true, false});
  // A padding value for each lane is selected where padding is.
  const Maker b = job.maker();
  const Type &operand = job.node.operand(0).type(), &result = job.node.result_types()[0];
  const Value is_inside = b.op(
      "stablehlo.pad",
      {b.splat({.dtype = DType::i1, .dims = operand.dims}, 1), b.splat(Type::scalar(DType::i1), 0)},
      job.node.attrs);
  Job with_zero = job;
  with_zero.operands[1] = {b.splat(Type::scalar(operand.dtype), 0), false};
  batch_leading(with_zero, {true, false});
  const Value padded = look_up(job.map, Value{const_cast<Node*>(&job.node), 0}).value;
  const Dims& full = padded.type().dims;
  job.set(0, b.op("stablehlo.select", {b.broadcast(is_inside, full, counting(result.rank(), 1)),
                                       padded, b.broadcast(job.plain(1), full, {0})}));
}

// --- Contraction --------------------------------------------------------------------------------

void batch_dot(const Job& job) {
  const DimEdit leading{0, job.context.size};
  const bool lhs = job.is_batched(0), rhs = job.is_batched(1);
  Dict attrs = attrs_with_inserted(
      job.node, {lhs ? std::optional(leading) : no_edit, rhs ? std::optional(leading) : no_edit},
      {});
  const Type& type = job.node.result_types()[0];
  const auto batches = std::int64_t(job.node.attrs.i64s("lhs_batching_dimensions").size());
  std::int64_t position = 0;  // of the new dimension in the result
  if (lhs && rhs) {
    for (const char* name : {"lhs_batching_dimensions", "rhs_batching_dimensions"}) {
      I64s dims = attrs.i64s(name);
      dims.insert(dims.begin(), 0);
      attrs.set(name, dims);
    }
  } else {
    const auto contracted = std::int64_t(job.node.attrs.i64s("lhs_contracting_dimensions").size());
    position = lhs ? batches : job.node.operand(0).type().rank() - contracted;
  }
  Node* made =
      remake(job.node, job.context.into, {job.plain(0), job.plain(1)}, std::move(attrs),
             {with_dim_inserted(type, int(position), job.context.size)}, job.context.before);
  if (position == 0) return job.set_all(made);
  I64s permutation{position};
  for (std::int64_t d = 0; d <= type.rank(); ++d)
    if (d != position) permutation.push_back(d);
  job.set(0,
          job.maker().op("stablehlo.transpose", {made->result()}, {{"permutation", permutation}}));
}

// --- Indexing -----------------------------------------------------------------------------------

void prepend(Dict& attrs, const char* name, std::int64_t entry) {
  I64s list = attrs.i64s(name);
  list.insert(list.begin(), entry);
  attrs.set(name, list);
}

void batch_gather(const Job& job) {
  const DimEdit leading{0, job.context.size};
  const bool operand = job.is_batched(0), indices = job.is_batched(1);
  Dict attrs = attrs_with_inserted(
      job.node,
      {operand ? std::optional(leading) : no_edit, indices ? std::optional(leading) : no_edit},
      {leading});
  if (operand && indices) {
    prepend(attrs, "operand_batching_dims", 0);
    prepend(attrs, "start_indices_batching_dims", 0);
    I64s sizes = attrs.i64s("slice_sizes");
    sizes[0] = std::min<std::int64_t>(1, job.context.size);
    attrs.set("slice_sizes", sizes);
    attrs.erase("indices_are_sorted");
  } else if (operand) {
    prepend(attrs, "offset_dims", 0);
  } else {
    attrs.erase("indices_are_sorted");
  }
  job.set_all(remake(job.node, job.context.into, {job.plain(0), job.plain(1)}, std::move(attrs),
                     job.batched_types(), job.context.before));
}

void batch_scatter(const Job& job) {
  const DimEdit leading{0, job.context.size};
  const std::size_t n = job.operands.size() / 2;
  const bool indices = job.is_batched(n);
  Dict attrs = attrs_with_inserted(
      job.node, {leading, indices ? std::optional(leading) : no_edit, leading}, {});
  if (indices) {
    prepend(attrs, "input_batching_dims", 0);
    prepend(attrs, "scatter_indices_batching_dims", 0);
    attrs.erase("indices_are_sorted");
  } else {
    prepend(attrs, "update_window_dims", 0);
  }
  std::vector<Value> operands;
  for (std::size_t k = 0; k < job.operands.size(); ++k)
    operands.push_back(k == n ? job.plain(k) : job.with_batch(k));
  job.set_all(remake(job.node, job.context.into, std::move(operands), std::move(attrs),
                     job.batched_types(), job.context.before));
}

/// Start indices from operand `first` on, as an array [size, rank].
Value stacked_starts(const Job& job, std::size_t first) {
  const Maker b = job.maker();
  std::vector<Value> columns;
  for (std::size_t k = first; k < job.operands.size(); ++k)
    columns.push_back(b.reshape(job.with_batch(k), {job.context.size, 1}));
  return columns.size() == 1 ? columns[0]
                             : b.op("stablehlo.concatenate", columns, {{"dimension", 1}});
}

bool any_batched(const Job& job, std::size_t first) {
  return std::any_of(job.operands.begin() + std::ptrdiff_t(first), job.operands.end(),
                     [](const BatchedValue& v) { return v.batched; });
}

/// Slices at one place in every lane: a start index 0 for the new dimension.
void batch_same_place(const Job& job, std::size_t first_start) {
  const DimEdit leading{0, job.context.size};
  std::vector<Value> operands;
  for (std::size_t k = 0; k < first_start; ++k) operands.push_back(job.with_batch(k));
  if (first_start < job.operands.size())
    operands.push_back(job.maker().splat(job.plain(first_start).type(), 0));
  else
    operands.push_back(job.maker().splat(Type::scalar(DType::i32), 0));
  for (std::size_t k = first_start; k < job.operands.size(); ++k) operands.push_back(job.plain(k));
  job.set_all(remake(job.node, job.context.into, std::move(operands),
                     attrs_with_inserted(job.node, {leading}, {leading}), job.batched_types(),
                     job.context.before));
}

void batch_dynamic_slice(const Job& job) {
  if (!any_batched(job, 1)) return batch_same_place(job, 1);
  const std::int64_t rank = job.node.operand(0).type().rank();
  I64s sizes = job.node.attrs.i64s("slice_sizes");
  Dict attrs{{"offset_dims", counting(rank, 1)},
             {"collapsed_slice_dims", I64s{}},
             {"index_vector_dim", 1}};
  if (job.is_batched(0)) {
    sizes.insert(sizes.begin(), std::min<std::int64_t>(1, job.context.size));
    attrs.set("operand_batching_dims", I64s{0});
    attrs.set("start_indices_batching_dims", I64s{0});
  }
  attrs.set("start_index_map", counting(rank, job.is_batched(0) ? 1 : 0));
  attrs.set("slice_sizes", sizes);
  job.set(0, job.maker().op("stablehlo.gather", {job.plain(0), stacked_starts(job, 1)},
                            std::move(attrs)));
}

/// Scatter skips what sticks out where dynamic_update_slice moves it in: clamps each start first.
Job with_clamped_starts(const Job& job) {
  const Maker b = job.maker();
  Job clamped = job;
  const Dims &operand = job.node.operand(0).type().dims, &update = job.node.operand(1).type().dims;
  for (std::size_t d = 0; d < operand.size(); ++d) {
    BatchedValue& start = clamped.operands[d + 2];
    const Type type = start.value.type();
    const bool is_signed = intersects(info(type.dtype).kind, Kinds::signed_);
    const int bits = info(type.dtype).bits - (is_signed ? 1 : 0);
    const std::int64_t limit = operand[d] - update[d];
    if (is_signed) start.value = b.op("stablehlo.maximum", {start.value, b.splat(type, 0)});
    if (bits >= 63 || limit < (std::int64_t(1) << bits))
      start.value = b.op("stablehlo.minimum", {start.value, b.splat(type, double(limit))});
  }
  return clamped;
}

void batch_dynamic_update_slice(const Job& job) {
  if (!any_batched(job, 2)) return batch_same_place(job, 2);
  const std::int64_t rank = job.node.operand(0).type().rank();
  const DType dtype = job.node.operand(0).type().dtype;
  const Dict attrs{{"update_window_dims", counting(rank, 1)},
                   {"inserted_window_dims", I64s{}},
                   {"input_batching_dims", I64s{0}},
                   {"scatter_indices_batching_dims", I64s{0}},
                   {"scatter_dims_to_operand_dims", counting(rank, 1)},
                   {"index_vector_dim", 1},
                   {"unique_indices", true}};
  auto region = std::make_unique<Graph>();
  region->add_argument(Type::scalar(dtype));
  region->results = {region->add_argument(Type::scalar(dtype))};
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  const std::vector<Type> types = job.batched_types();
  const Value starts = stacked_starts(with_clamped_starts(job), 2);
  job.set_all(create(job.context.into, "stablehlo.scatter",
                     {job.with_batch(0), starts, job.with_batch(1)}, attrs, std::move(regions),
                     types, job.context.before, job.node.location()));
}

// --- The table ----------------------------------------------------------------------------------

using Rule = void (*)(const Job&);

const std::map<std::string_view, Rule>& rules() {
  static const std::map<std::string_view, Rule> table{
      {"stablehlo.optimization_barrier", batch_each_operand},
      {"stablehlo.broadcast_in_dim", batch_broadcast},
      {"stablehlo.reduce", batch_reduce},
      {"stablehlo.reduce_window", batch_reduce_window},
      {"stablehlo.select_and_scatter", batch_select_and_scatter},
      {"stablehlo.convolution", batch_convolution},
      {"stablehlo.batch_norm_inference", batch_normalization},
      {"stablehlo.batch_norm_training", batch_normalization},
      {"stablehlo.batch_norm_grad", batch_normalization},
      {"stablehlo.pad", batch_pad},
      {"stablehlo.sort", batch_sort},
      {"stablehlo.rng", batch_by_lanes},
      {"stablehlo.rng_bit_generator", batch_by_lanes},
      {"stablehlo.dot_general", batch_dot},
      {"stablehlo.gather", batch_gather},
      {"stablehlo.scatter", batch_scatter},
      {"stablehlo.dynamic_slice", batch_dynamic_slice},
      {"stablehlo.dynamic_update_slice", batch_dynamic_update_slice},
      {"stablehlo.while", batch_while},
      {"stablehlo.case", batch_branches},
      {"stablehlo.if", batch_branches},
  };
  return table;
}

/// Without rule in the table, batch_plain holds for ops whose factors say how dimensions go together.
Rule find_rule(const Node& node) {
  const auto found = rules().find(node.name());
  if (found != rules().end()) return found->second;
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
}  // namespace batching

Value batched(const BatchedValue& v, const BatchContext& context) {
  if (v.batched) return v.value;
  Dims shape = v.value.type().dims;
  shape.insert(shape.begin(), context.size);
  return Maker{context.into, context.before}.broadcast(
      v.value, shape, batching::counting(v.value.type().rank(), 1));
}

void add_batch_dim(const Node& node, BatchMap& map, const BatchContext& context) {
  if (context.special && context.special(node, map, context)) return;
  batching::Job job{.node = node, .map = map, .context = context, .operands = {}};
  for (const Value& v : node.operands()) job.operands.push_back(batching::look_up(map, v));
  const std::vector<Value> used = captures(node);
  const bool is_batched = std::any_of(used.begin(), used.end(),
                                      [&](Value v) { return batching::look_up(map, v).batched; });
  if (!is_batched && !batching::holds_special(node, map, context))
    return batching::copy_node(node, map, context);
  const auto rule = batching::find_rule(node);
  if (!rule) job.refuse("one without batching rule");
  rule(job);
}

std::vector<BatchedValue> batch_body(const Graph& body, BatchMap& map,
                                     const BatchContext& context) {
  for (const Node* node : body.nodes()) add_batch_dim(*node, map, context);
  std::vector<BatchedValue> results;
  for (const Value& v : body.results) results.push_back(batching::look_up(map, v));
  return results;
}

std::string why_not_batched(const Graph& graph, const std::function<bool(const Node&)>& handled) {
  for (const Node* node : graph.nodes()) {
    if (handled && handled(*node)) continue;
    if (!batching::find_rule(*node)) return cat(node->name(), " has no batching rule");
    if (!node->op().regions_capture) continue;
    for (const auto& region : node->regions())
      if (std::string why = why_not_batched(*region, handled); !why.empty()) return why;
  }
  return {};
}

}  // namespace partita::ir
