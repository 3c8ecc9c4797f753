// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// StableHLO's collectives that pass values on from process to process, and the ids of a process.
#include <algorithm>

#include "ops/processes/collective_support.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer_permute(const InferContext& c) {
  expect_operand_count(c, 1);
  expect_arrays(c);
  I64s sources, targets;
  for (const I64s& pair : expect_lists(c, "source_target_pairs")) {
    c.expect(pair.size() == 2, "pairs in source_target_pairs", cat(pair.size()));
    sources.push_back(pair[0]);
    targets.push_back(pair[1]);
  }
  expect_unique(c, "sources of source_target_pairs", sources);
  expect_unique(c, "targets of source_target_pairs", targets);
  return {c.operands[0]};
}

/// Operands without the array of roots that has_dynamic_root adds.
std::span<const Type> data_types(const InferContext& c) {
  expect_arrays(c);
  static_cast<void>(expect_lists(c, "replica_groups"));
  if (!c.attrs.flag("has_dynamic_root")) return c.operands;
  const auto count = std::ssize(c.operands) - 1;
  const Type wanted{.dtype = DType::i32, .dims = {count}};
  c.expect(count >= 1 && c.operands.back() == wanted, cat("roots of type ", to_string(wanted)),
           to_string(c.operands.back()));
  return c.operands.first(std::size_t(count));
}

std::vector<Type> infer_broadcast(const InferContext& c) {
  const auto types = data_types(c);
  return {types.begin(), types.end()};
}

std::vector<Type> infer_reduce(const InferContext& c) { return combined_types(c, data_types(c)); }

std::vector<Type> infer_id(const InferContext& c) {
  expect_operand_count(c, 0);
  return {Type::scalar(DType::ui32)};
}

Tensor zeros(const Type& type) { return std::make_shared<const HostArray>(HostArray(type)); }

/// All processes of the pairs that this one meets: those that its own pairs lead to, and so on.
I64s linked(const std::vector<I64s>& pairs, std::int64_t self) {
  I64s group{self};
  for (bool grows = true; grows;) {
    grows = false;
    for (const I64s& pair : pairs)
      for (const int k : {0, 1})
        if (contains(group, pair[std::size_t(k)]) && !contains(group, pair[std::size_t(1 - k)])) {
          group.push_back(pair[std::size_t(1 - k)]);
          grows = true;
        }
  }
  std::ranges::sort(group);
  return group;
}

std::vector<Tensor> eval_permute(const EvalContext& c) {
  const std::vector<I64s> pairs = groups_of(c);
  const std::int64_t self = grid_of(c).self;
  const I64s group = linked(pairs, self);
  const auto values = operands_of(c, group);
  for (const I64s& pair : pairs)
    if (pair[1] == self)
      return {values[std::size_t(std::ranges::find(group, pair[0]) - group.begin())][0]};
  return {zeros(c.result_type())};
}

/// The member of the group that operand k goes out from or to.
std::size_t root_of(const EvalContext& c, std::size_t k, std::size_t members) {
  if (!c.node.attrs.flag("has_dynamic_root")) return 0;
  const std::int64_t root = index_values(*c.operands.back())[k];
  if (root < 0 || root >= std::int64_t(members))
    throw_user_error(cat(c.node.name(), ": expected roots within [0, ", members, "), found ", root),
                     c.node.location());
  return std::size_t(root);
}

/// Results of a process in a group by `value(members' values, k, root, own place)`; zeros elsewhere.
template <class F>
std::vector<Tensor> rooted(const EvalContext& c, F&& value) {
  const std::vector<I64s> groups = groups_of(c);
  const auto place = place_in(groups, grid_of(c).self);
  std::vector<Tensor> results;
  if (!place) {
    for (const Type& t : c.node.result_types()) results.push_back(zeros(t));
    return results;
  }
  const auto values = operands_of(c, groups[place->group]);
  for (std::size_t k = 0; k < c.node.result_types().size(); ++k)
    results.push_back(value(values, k, root_of(c, k, values.size()), place->position));
  return results;
}

using Brought = std::vector<std::vector<Tensor>>;

std::vector<Tensor> eval_broadcast(const EvalContext& c) {
  return rooted(c, [](const Brought& values, std::size_t k, std::size_t root, std::size_t) {
    return values[root][k];
  });
}

std::vector<Tensor> eval_reduce(const EvalContext& c) {
  return rooted(c, [&](const Brought& values, std::size_t k, std::size_t root, std::size_t self) {
    std::vector<Tensor> parts;
    for (const auto& member : values) parts.push_back(member[k]);
    return self == root ? combined(c, parts) : zeros(c.result_type(int(k)));
  });
}

// --- Derivatives: of the sum of the results of all processes ------------------------------------

/// Back from targets to sources.
Values permute_vjp(DerivativeContext& c, const Values& cotangents) {
  Dict attrs = c.node.attrs;
  const auto* pairs = attrs.find("source_target_pairs")->get_if<DenseRef>();
  HostArray swapped = convert((*pairs)->to_array(), DType::i64);
  auto* ids = swapped.data<DType::i64>();
  for (std::int64_t k = 0; k + 1 < swapped.type.count(); k += 2) std::swap(ids[k], ids[k + 1]);
  attrs.set("source_target_pairs", make_dense(swapped));
  return {c.op("stablehlo.collective_permute", {cotangents[0]}, std::move(attrs))};
}

/// One value at a time: the op that goes the other way, with the value's root.
Values rooted_vjp(const DerivativeContext& c, const Values& cotangents, const char* op) {
  const bool is_reduced = std::string_view(op) == "stablehlo.collective_reduce";
  Values results(cotangents.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!cotangents[k] || !c.wanted(k)) continue;
    const Type& type = c.node.operand(k).type();
    Values operands{c.convert(cotangents[k], type.dtype)};
    if (c.node.attrs.flag("has_dynamic_root")) {
      const auto at = std::int64_t(k);
      operands.push_back(c.op(
          "stablehlo.slice", {c.node.operands().back()},
          {{"start_indices", I64s{at}}, {"limit_indices", I64s{at + 1}}, {"strides", I64s{1}}}));
    }
    std::vector<std::unique_ptr<Graph>> regions;
    if (is_reduced) regions.push_back(make_combiner(Combiner::sum, type.dtype));
    results[k] =
        create(c.graph, op, operands, c.node.attrs, std::move(regions), {&type, 1})->result();
  }
  return results;
}

Values broadcast_vjp(DerivativeContext& c, const Values& cotangents) {
  return rooted_vjp(c, cotangents, "stablehlo.collective_reduce");
}

Values reduce_vjp(DerivativeContext& c, const Values& cotangents) {
  if (simple_combiner(c.node.region(0)) != Combiner::sum) c.refuse("its region is no sum");
  return rooted_vjp(c, cotangents, "stablehlo.collective_broadcast");
}

/// The op on tangents; roots stay.
Values rooted_jvp(DerivativeContext& c, const Values& tangents) {
  if (!c.node.regions().empty() && simple_combiner(c.node.region(0)) != Combiner::sum)
    c.refuse("its region is no sum");
  Values operands = c.node.operands();
  for (std::size_t k = 0; k < operands.size(); ++k)
    if (has_tangent(operands[k].type())) operands[k] = c.or_zeros(tangents[k], operands[k].type());
  return c.same(operands);
}

std::vector<Tensor> scalar_id(std::int64_t value) {
  HostArray id(Type::scalar(DType::ui32));
  id.data<DType::ui32>()[0] = std::uint32_t(value);
  return one(std::move(id));
}

void add_ids(OpRegistry& registry) {
  OpDef op;
  op.infer = infer_id;
  op.asks_process = true;
  op.derivative = Derivative::none("is an integer");
  op.name = "stablehlo.partition_id";
  op.doc = "The partition that this process is.";
  op.eval = [](const EvalContext& c) {
    const Grid grid = grid_of(c);
    return scalar_id(grid.self % grid.partitions);
  };
  op.samples = {R"(func.func @main() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
})"};
  registry.add(op);
  op.name = "stablehlo.replica_id";
  op.doc = "The replica that this process is.";
  op.eval = [](const EvalContext& c) {
    const Grid grid = grid_of(c);
    return scalar_id(grid.self / grid.partitions);
  };
  op.samples = {R"(func.func @main() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
})"};
  registry.add(std::move(op));
}

}  // namespace

void register_collective_permute(OpRegistry& registry) {
  for (OpDef op : {collective("stablehlo.collective_broadcast",
                              "The operand of the group's root; zeros outside of groups.",
                              infer_broadcast, eval_broadcast),
                   collective("stablehlo.collective_reduce",
                              "At the group's root its operands, combined; zeros elsewhere.",
                              infer_reduce, eval_reduce)}) {
    op.attrs.push_back(flag_attr("has_dynamic_root"));
    op.derivative = Derivative::rules(
        rooted_jvp, op.name == "stablehlo.collective_reduce" ? reduce_vjp : broadcast_vjp);
    registry.add(std::move(op));
  }
  OpDef permute =
      collective("stablehlo.collective_permute",
                 "The operand of the process that sends to this one; zeros without one.",
                 infer_permute, eval_permute, {}, "source_target_pairs");
  permute.derivative = Derivative::linear_in({0}, permute_vjp);
  registry.add(std::move(permute));
  add_ids(registry);
}

}  // namespace partita::ir::ops
