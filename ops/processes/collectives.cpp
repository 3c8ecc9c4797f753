// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// StableHLO's collectives that combine, join or split what the processes of a group bring.
#include "ops/processes/collective_support.hpp"
#include "partita/ir/derivative.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir::ops {
namespace {

// --- Verification -------------------------------------------------------------------------------

/// Checks groups and channel; the number of members that all types must show, or 0 where the grid
/// decides it.
std::int64_t expect_groups(const InferContext& c) {
  const std::vector<I64s> groups = expect_lists(c, "replica_groups");
  const bool is_global = c.attrs.flag("use_global_device_ids");
  c.expect(!is_global || channel_id(c.attrs) > 0, "a positive channel with use_global_device_ids",
           cat(channel_id(c.attrs)));
  const bool has_all_partitions = channel_id(c.attrs) > 0 && !is_global;
  return groups.empty() || has_all_partitions ? 0 : std::ssize(groups[0]);
}

void expect_dimension(const InferContext& c, const char* name, std::int64_t d) {
  for (const Type& t : c.operands)
    c.expect(d >= 0 && d < t.rank(), cat(name, " within [0, ", t.rank(), ")"), cat(d));
}

/// The declared results: as the operands, but for dimension d, which `fits(operand, result)`.
template <class F>
std::vector<Type> expect_results_along(const InferContext& c, std::int64_t d, F&& fits) {
  const auto declared = c.declared();
  c.expect(declared.size() == c.operands.size(), cat(c.operands.size(), " results"),
           cat(declared.size()));
  for (std::size_t k = 0; k < declared.size(); ++k) {
    Type same = declared[k];
    const bool has_rank = same.rank() == c.operands[k].rank();
    if (has_rank) same.dims[std::size_t(d)] = c.operands[k].dims[std::size_t(d)];
    c.expect(has_rank && same == c.operands[k] &&
                 fits(c.operands[k].dims[std::size_t(d)], declared[k].dims[std::size_t(d)]),
             cat("result ", k, " of the type of ", to_string(c.operands[k]), " with dimension ", d,
                 " as the groups make it"),
             to_string(declared[k]));
  }
  return {declared.begin(), declared.end()};
}

std::vector<Type> infer_all_gather(const InferContext& c) {
  expect_arrays(c);
  const std::int64_t d = c.attrs.i64("all_gather_dim"), members = expect_groups(c);
  expect_dimension(c, "all_gather_dim", d);
  return expect_results_along(c, d, [&](std::int64_t operand, std::int64_t result) {
    return members > 0 ? result == operand * members : operand == 0 || result % operand == 0;
  });
}

std::vector<Type> infer_all_reduce(const InferContext& c) {
  expect_arrays(c);
  static_cast<void>(expect_groups(c));
  return combined_types(c, c.operands);
}

std::vector<Type> infer_reduce_scatter(const InferContext& c) {
  expect_operand_count(c, 1);
  expect_arrays(c);
  const std::int64_t d = c.attrs.i64("scatter_dimension"), members = expect_groups(c);
  expect_dimension(c, "scatter_dimension", d);
  const DType dtype = combined_types(c, c.operands)[0].dtype;
  Type whole = c.declared()[0];
  const std::int64_t part = whole.rank() == c.operands[0].rank() ? whole.dims[std::size_t(d)] : -1;
  const std::int64_t extent = c.operands[0].dims[std::size_t(d)];
  if (part >= 0) whole.dims[std::size_t(d)] = extent;
  const bool fits =
      members > 0 ? part * members == extent : part == 0 || (part > 0 && extent % part == 0);
  c.expect(part >= 0 && fits && whole == Type{.dtype = dtype, .dims = c.operands[0].dims},
           cat("a result of the type of ", to_string(c.operands[0]), " with dimension ", d,
               " split among the groups"),
           to_string(c.declared()[0]));
  return {c.declared()[0]};
}

std::vector<Type> infer_all_to_all(const InferContext& c) {
  expect_arrays(c);
  const std::int64_t split = c.attrs.i64("split_dimension"),
                     concat = c.attrs.i64("concat_dimension"), count = c.attrs.i64("split_count");
  expect_dimension(c, "split_dimension", split);
  expect_dimension(c, "concat_dimension", concat);
  c.expect(count > 0, "a positive split_count", cat(count));
  for (const I64s& group : expect_lists(c, "replica_groups"))
    c.expect(std::ssize(group) == count, cat("replica_groups of split_count ", count),
             cat(group.size()));
  std::vector<Type> types;
  for (Type t : c.operands) {
    c.expect(t.dims[std::size_t(split)] % count == 0,
             cat("a dimension ", split, " that split_count ", count, " divides"), to_string(t));
    t.dims[std::size_t(split)] /= count;
    t.dims[std::size_t(concat)] *= count;
    types.push_back(std::move(t));
  }
  return types;
}

// --- Meaning ------------------------------------------------------------------------------------

/// What the members of the process's group bring, in order.
struct Meeting {
  std::vector<std::vector<Tensor>> values;
  std::size_t position = 0;
  [[nodiscard]] std::vector<Tensor> operand(std::size_t k) const {
    std::vector<Tensor> all;
    for (const auto& member : values) all.push_back(member[k]);
    return all;
  }
};

Meeting meet(const EvalContext& c, std::optional<std::int64_t> members = {}) {
  const std::vector<I64s> groups = groups_of(c);
  if (members) expect_group_size(c.node, groups, *members);
  const GroupPlace place = expect_place(c.node, groups, grid_of(c).self);
  return {.values = operands_of(c, groups[place.group]), .position = place.position};
}

Tensor concatenated(const std::vector<Tensor>& parts, std::int64_t d, const Type& type) {
  HostArray whole(type);
  const View view = view_of(type);
  Dims start(type.dims.size(), 0);
  for (const Tensor& part : parts) {
    copy_box(*part, view_of(part->type), whole, sub_view(view, start), part->type.dims);
    start[std::size_t(d)] += part->type.dims[std::size_t(d)];
  }
  return std::make_shared<const HostArray>(std::move(whole));
}

/// Part k of `count` equal ones along d.
Tensor part_along(const Tensor& whole, std::int64_t d, std::size_t k, std::int64_t count) {
  Type type = whole->type;
  type.dims[std::size_t(d)] /= count;
  Dims start(type.dims.size(), 0);
  start[std::size_t(d)] = std::int64_t(k) * type.dims[std::size_t(d)];
  HostArray part(type);
  copy_box(*whole, sub_view(view_of(whole->type), start), part, view_of(type), type.dims);
  return std::make_shared<const HostArray>(std::move(part));
}

std::vector<Tensor> eval_all_gather(const EvalContext& c) {
  const std::int64_t d = c.node.attrs.i64("all_gather_dim");
  const Meeting meeting = meet(c);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Type& type = c.result_type(int(k));
    const std::int64_t extent = c.operands[k]->type.dims[std::size_t(d)];
    if (extent * std::ssize(meeting.values) != type.dims[std::size_t(d)])
      expect_group_size(c.node, groups_of(c), extent == 0 ? 0 : type.dims[std::size_t(d)] / extent);
    results.push_back(concatenated(meeting.operand(k), d, type));
  }
  return results;
}

std::vector<Tensor> eval_all_reduce(const EvalContext& c) {
  const Meeting meeting = meet(c);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    results.push_back(combined(c, meeting.operand(k)));
  return results;
}

std::vector<Tensor> eval_reduce_scatter(const EvalContext& c) {
  const std::int64_t d = c.node.attrs.i64("scatter_dimension");
  const Meeting meeting = meet(c);
  const std::int64_t members = std::ssize(meeting.values);
  if (c.result_type().dims[std::size_t(d)] * members != c.operands[0]->type.dims[std::size_t(d)])
    throw_user_error(cat(c.node.name(), ": expected dimension ", d, " split into ", members,
                         " parts, found ", to_string(c.result_type())),
                     c.node.location());
  const Tensor whole = combined(c, meeting.operand(0));
  return {part_along(whole, d, meeting.position, members)};
}

std::vector<Tensor> eval_all_to_all(const EvalContext& c) {
  const std::int64_t split = c.node.attrs.i64("split_dimension"),
                     concat = c.node.attrs.i64("concat_dimension"),
                     count = c.node.attrs.i64("split_count");
  const Meeting meeting = meet(c, count);
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    std::vector<Tensor> parts;
    for (const Tensor& whole : meeting.operand(k))
      parts.push_back(part_along(whole, split, meeting.position, count));
    results.push_back(concatenated(parts, concat, c.result_type(int(k))));
  }
  return results;
}

// --- Derivatives: of the sum of the results of all processes ------------------------------------

std::vector<std::unique_ptr<Graph>> sums_region(DType dtype) {
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(make_combiner(Combiner::sum, dtype));
  return regions;
}

/// The groups and the channel of the node, and a dimension.
Dict with_dimension(const Node& node, const char* name, std::int64_t d) {
  Dict attrs{{name, d}};
  for (const char* kept : {"replica_groups", "channel_handle", "use_global_device_ids"})
    if (const Attribute* a = node.attrs.find(kept)) attrs.set(kept, *a);
  return attrs;
}

Value all_reduced(const DerivativeContext& c, Value v) {
  return create(c.graph, "stablehlo.all_reduce", {v}, c.node.attrs, sums_region(v.type().dtype),
                {&v.type(), 1})
      ->result();
}

Values gather_vjp(DerivativeContext& c, const Values& cotangents) {
  Values results(cotangents.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!cotangents[k] || !c.wanted(k)) continue;
    const Type& type = c.node.operand(k).type();
    results[k] =
        create(c.graph, "stablehlo.reduce_scatter", {cotangents[k]},
               with_dimension(c.node, "scatter_dimension", c.node.attrs.i64("all_gather_dim")),
               sums_region(type.dtype), {&type, 1})
            ->result();
  }
  return results;
}

/// Extrema are shared by the processes that hold them.
Values all_reduce_vjp(DerivativeContext& c, const Values& cotangents) {
  const auto combiner = simple_combiner(c.node.region(0));
  if (!combiner || *combiner == Combiner::product) c.refuse("its region is no sum and no extremum");
  Values results(cotangents.size());
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!cotangents[k] || !c.wanted(k)) continue;
    const Value x = c.node.operand(k);
    Value g = all_reduced(c, c.convert(cotangents[k], x.type().dtype));
    if (*combiner != Combiner::sum) {
      const Value y = c.convert(c.node.result(int(k)), x.type().dtype),
                  is_it = c.compare("EQ", x, y);
      const Value count = all_reduced(c, c.select(is_it, c.splat(x.type(), 1), c.zeros(x.type())));
      g = c.select(is_it, c.op("stablehlo.divide", {g, count}), c.zeros(x.type()));
    }
    results[k] = g;
  }
  return results;
}

Values sums_jvp(DerivativeContext& c, const Values& tangents) {
  if (simple_combiner(c.node.region(0)) != Combiner::sum) return transposed_jvp(c, tangents);
  Values operands;
  for (std::size_t k = 0; k < tangents.size(); ++k)
    operands.push_back(c.or_zeros(tangents[k], c.node.operand(k).type()));
  return c.same(operands);
}

Values scatter_vjp(DerivativeContext& c, const Values& cotangents) {
  if (simple_combiner(c.node.region(0)) != Combiner::sum) c.refuse("its region is no sum");
  const Type& type = c.node.operand(0).type();
  return {c.op("stablehlo.all_gather", {c.convert(cotangents[0], type.dtype)},
               with_dimension(c.node, "all_gather_dim", c.node.attrs.i64("scatter_dimension")),
               type)};
}

Values all_to_all_vjp(DerivativeContext& c, const Values& cotangents) {
  Dict attrs = c.node.attrs;
  attrs.set("split_dimension", c.node.attrs.i64("concat_dimension"));
  attrs.set("concat_dimension", c.node.attrs.i64("split_dimension"));
  Values results(cotangents.size());
  for (std::size_t k = 0; k < results.size(); ++k)
    if (cotangents[k] && c.wanted(k))
      results[k] = c.op("stablehlo.all_to_all", {cotangents[k]}, attrs);
  return results;
}

}  // namespace

void register_collectives(OpRegistry& registry) {
  OpDef gather =
      collective("stablehlo.all_gather", "The operands of all processes of the group, joined.",
                 infer_all_gather, eval_all_gather, {"all_gather_dim"});
  gather.derivative = Derivative::linear_in({}, gather_vjp);
  registry.add(std::move(gather));
  OpDef all_reduce = collective(
      "stablehlo.all_reduce", "The operands of all processes of the group, combined by the region.",
      infer_all_reduce, eval_all_reduce);
  all_reduce.derivative = Derivative::rules(sums_jvp, all_reduce_vjp);
  registry.add(std::move(all_reduce));
  OpDef scatter = collective("stablehlo.reduce_scatter",
                             "This process's part of what all_reduce gives the group.",
                             infer_reduce_scatter, eval_reduce_scatter, {"scatter_dimension"});
  scatter.derivative = Derivative::rules(sums_jvp, scatter_vjp);
  registry.add(std::move(scatter));
  OpDef all_to_all = collective(
      "stablehlo.all_to_all", "This process's part of each operand of the group, joined.",
      infer_all_to_all, eval_all_to_all, {"split_dimension", "concat_dimension"});
  all_to_all.derivative = Derivative::linear_in({}, all_to_all_vjp);
  all_to_all.attrs.push_back({.name = "split_count", .kind = AttrKind::i64});
  registry.add(std::move(all_to_all));
}

}  // namespace partita::ir::ops
