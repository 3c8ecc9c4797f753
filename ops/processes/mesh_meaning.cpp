// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/processes/mesh_meaning.hpp"

#include <algorithm>
#include <numeric>

#include "ops/processes/collective_support.hpp"
#include "ops/support/combiners.hpp"

namespace partita::ir::ops {
namespace {

// --- Verification -------------------------------------------------------------------------------

/// The mesh's number of shards; nothing where there is no module to ask.
std::optional<std::int64_t> shards_of(const InferContext& c) {
  const auto mesh = c.module ? shard_mesh(*c.module) : std::nullopt;
  return mesh ? std::optional(mesh->size()) : std::nullopt;
}

/// The number of members of each group.
std::int64_t expect_shard_groups(const InferContext& c) {
  I64s shards;
  const std::vector<I64s> groups = expect_lists(c, "groups");
  c.expect(!groups.empty(), "at least 1 group", "none");
  for (const I64s& group : groups) {
    c.expect(group.size() == groups[0].size(), "groups of one size", cat(group.size()));
    shards.insert(shards.end(), group.begin(), group.end());
  }
  const std::int64_t count = shards_of(c).value_or(std::ssize(shards));
  std::ranges::sort(shards);
  I64s wanted(static_cast<std::size_t>(count));
  std::iota(wanted.begin(), wanted.end(), 0);
  c.expect(shards == wanted, cat("groups with each shard of 0 to ", count - 1, " once"),
           to_text(shards));
  return std::ssize(groups[0]);
}

void expect_pairs(const InferContext& c) {
  I64s targets;
  const auto count = shards_of(c);
  for (const I64s& pair : expect_lists(c, "pairs")) {
    c.expect(pair.size() == 2, "pairs", cat(pair.size()));
    for (const std::int64_t shard : pair)
      c.expect(!count || shard < *count, cat("shards below ", count.value_or(0)), cat(shard));
    targets.push_back(pair[1]);
  }
  expect_unique(c, "targets of pairs", targets);
}

void expect_combined(const InferContext& c) {
  c.expect(c.attrs.contains("combiner"), "a combiner", "none");
  const std::string& text = c.attrs.text("combiner");
  const Combiner combiner = expect_combiner(c, text, "a combiner sum, max, min, and or or");
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    c.expect(is_combined_over_partitions(combiner, c.operands[k].dtype),
             cat("operand ", k, " of a type that ", text, " combines"), to_string(c.operands[k]));
}

void expect_stacked(const InferContext& c, std::int64_t members) {
  c.expect(c.operands[0].rank() > 0 && c.operands[0].dims[0] == members,
           cat("an operand with dimension 0 of ", members, ", the size of the groups"),
           to_string(c.operands[0]));
}

}  // namespace

std::vector<Type> mesh_result_types(const InferContext& c, MeshCollective kind) {
  expect_arrays(c);
  if (kind != MeshCollective::all_reduce) expect_operand_count(c, 1);
  if (kind == MeshCollective::permute) {
    expect_pairs(c);
    return {c.operands[0]};
  }
  const std::int64_t members = expect_shard_groups(c);
  if (kind == MeshCollective::all_reduce || kind == MeshCollective::reduce_scatter)
    expect_combined(c);
  Type type = c.operands[0];
  switch (kind) {
    case MeshCollective::all_gather:
      type.dims.insert(type.dims.begin(), members);
      return {type};
    case MeshCollective::reduce_scatter:
      expect_stacked(c, members);
      type.dims.erase(type.dims.begin());
      return {type};
    case MeshCollective::all_to_all:
      expect_stacked(c, members);
      return {type};
    default:
      return {c.operands.begin(), c.operands.end()};
  }
}

// --- Meaning ------------------------------------------------------------------------------------

namespace {

/// What the members of this shard's group bring, in order.
struct Meeting {
  std::vector<std::vector<Tensor>> values;
  std::size_t position = 0;
};

void expect_mesh_of(const EvalContext& c, std::int64_t shards) {
  const std::int64_t found = grid_of(c).partitions;
  if (found != shards)
    throw_user_error(cat(c.node.name(), ": expected a mesh (mr.mesh) of ", shards,
                         " shards as its groups say, found ", found),
                     c.node.location());
}

Meeting meet(const EvalContext& c) {
  const std::vector<I64s> groups = *id_lists(c.node.attrs, "groups");
  expect_mesh_of(c, std::ssize(groups) * std::ssize(groups[0]));
  const GroupPlace place = expect_place(c.node, groups, grid_of(c).self);
  return {.values = operands_of(c, groups[place.group]), .position = place.position};
}

/// Slice `k` of dimension 0, of this type.
HostArray slice_of_stack(const HostArray& stack, const Type& slice, std::size_t k) {
  HostArray part(slice);
  std::copy_n(stack.bytes.begin() + std::ptrdiff_t(k * part.bytes.size()), part.bytes.size(),
              part.bytes.begin());
  return part;
}

/// Parts one after the other along a leading dimension.
std::vector<Tensor> stacked(const std::vector<HostArray>& parts, const Type& type) {
  HostArray all(type);
  auto at = all.bytes.begin();
  for (const HostArray& part : parts) at = std::ranges::copy(part.bytes, at).out;
  return one(std::move(all));
}

std::vector<Tensor> eval_all_reduce(const EvalContext& c, const Meeting& meeting) {
  const Combiner combiner = *find_combiner(&CombinerInfo::mr, c.node.attrs.text("combiner"));
  std::vector<Tensor> results;
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    Accumulator sum(combiner, c.operands[k]->type);
    for (const auto& member : meeting.values) sum.add(*member[k]);
    results.push_back(std::make_shared<const HostArray>(sum.result()));
  }
  return results;
}

std::vector<Tensor> eval_reduce_scatter(const EvalContext& c, const Meeting& meeting) {
  Type slice = c.operands[0]->type;
  slice.dims.erase(slice.dims.begin());
  Accumulator sum(*find_combiner(&CombinerInfo::mr, c.node.attrs.text("combiner")), slice);
  for (const auto& member : meeting.values)
    sum.add(*member[0], std::int64_t(meeting.position) * slice.count());
  return one(sum.result());
}

std::vector<Tensor> eval_all_gather(const EvalContext& c, const Meeting& meeting) {
  Type type = c.operands[0]->type;
  type.dims.insert(type.dims.begin(), std::ssize(meeting.values));
  std::vector<HostArray> parts;
  for (const auto& member : meeting.values) parts.push_back(*member[0]);
  return stacked(parts, type);
}

std::vector<Tensor> eval_all_to_all(const EvalContext& c, const Meeting& meeting) {
  const Type& type = c.operands[0]->type;
  Type slice = type;
  slice.dims.erase(slice.dims.begin());
  std::vector<HostArray> parts;
  for (const auto& member : meeting.values)
    parts.push_back(slice_of_stack(*member[0], slice, meeting.position));
  return stacked(parts, type);
}

/// All shards meet, also those that neither send nor receive.
std::vector<Tensor> eval_permute(const EvalContext& c) {
  const Grid grid = grid_of(c);
  I64s all(std::size_t(grid.partitions));
  std::iota(all.begin(), all.end(), 0);
  const std::vector<I64s> pairs = *id_lists(c.node.attrs, "pairs");
  for (const I64s& pair : pairs)
    for (const std::int64_t shard : pair)
      if (shard >= grid.partitions) expect_mesh_of(c, shard + 1);
  const auto values = operands_of(c, all);
  for (const I64s& pair : pairs)
    if (pair[1] == grid.self) return {values[std::size_t(pair[0])][0]};
  return one(HostArray(c.operands[0]->type));
}

}  // namespace

std::vector<Tensor> eval_mesh_collective(const EvalContext& c, MeshCollective kind) {
  switch (kind) {
    case MeshCollective::all_reduce:
      return eval_all_reduce(c, meet(c));
    case MeshCollective::all_gather:
      return eval_all_gather(c, meet(c));
    case MeshCollective::reduce_scatter:
      return eval_reduce_scatter(c, meet(c));
    case MeshCollective::all_to_all:
      return eval_all_to_all(c, meet(c));
    case MeshCollective::permute:
      return eval_permute(c);
  }
  throw_internal_error("an unknown collective");
}

}  // namespace partita::ir::ops
