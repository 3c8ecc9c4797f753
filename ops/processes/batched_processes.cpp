// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/batched_processes.hpp"

#include <algorithm>
#include <map>

#include "ir/axes/batch_moves.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/manual_computation.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::ir {

using Table = SliceTable;

/// One node for all processes.
struct BatchedProcesses::Job {
  const Node& node;
  BatchMap& map;
  const BatchContext& context;

  [[nodiscard]] BatchedValue operand(std::size_t k) const { return look_up(map, node.operand(k)); }
  void set(std::size_t k, const BatchedValue& v) const {
    map[Value{const_cast<Node*>(&node), int(k)}] = v;  // a key only
  }
  [[nodiscard]] BatchMoves moves() const { return {context}; }
};

bool BatchedProcesses::operator()(const Node& node, BatchMap& map,
                                  const BatchContext& context) const {
  using Rule = void (BatchedProcesses::*)(const Job&) const;
  static const std::map<std::string_view, Rule> rules{
      {"stablehlo.all_gather", &BatchedProcesses::all_gather},
      {"stablehlo.all_reduce", &BatchedProcesses::all_reduce},
      {"stablehlo.reduce_scatter", &BatchedProcesses::reduce_scatter},
      {"stablehlo.all_to_all", &BatchedProcesses::all_to_all},
      {"stablehlo.collective_permute", &BatchedProcesses::pass_on},
      {"stablehlo.collective_broadcast", &BatchedProcesses::pass_on},
      {"stablehlo.collective_reduce", &BatchedProcesses::pass_on},
      {"stablehlo.partition_id", &BatchedProcesses::process_id},
      {"stablehlo.replica_id", &BatchedProcesses::process_id},
      {"sdy.manual_computation", &BatchedProcesses::manual_computation},
  };
  const auto rule = rules.find(node.name());
  const Job job{.node = node, .map = map, .context = context};
  if (rule != rules.end()) {
    (this->*rule->second)(job);
    return true;
  }
  const std::string target =
      node.is("stablehlo.custom_call") ? node.attrs.text("call_target_name", "") : std::string();
  const bool is_annotation = node.is("sdy.sharding_constraint") || node.is("sdy.reshard") ||
                             target == "Sharding" || target == "annotate_device_placement" ||
                             target == "LayoutConstraint";
  if (is_annotation && job.operand(0).batched) {
    job.set(0, job.operand(0));
    return true;
  }
  if (!target.starts_with("SPMD")) return false;
  custom_call(job);
  return true;
}

// --- Ids ----------------------------------------------------------------------------------------

void BatchedProcesses::process_id(const Job& job) const {
  const bool is_partition = job.node.is("stablehlo.partition_id");
  Table ids;
  for (std::int64_t p = 0; p < job.context.size; ++p)
    ids.push_back({is_partition ? p % partitions_ : p / partitions_});
  const bool is_common = (is_partition ? partitions_ : replicas_) == 1;
  if (is_common) ids.resize(1);
  HostArray array(Type{.dtype = DType::ui32, .dims = {}});
  if (!is_common) array = HostArray(Type{.dtype = DType::ui32, .dims = {job.context.size}});
  for (std::size_t k = 0; k < ids.size(); ++k)
    array.data<DType::ui32>()[k] = std::uint32_t(ids[k][0]);
  job.set(0,
          {create_constant(job.context.into, make_dense(array), job.context.before), !is_common});
}

// --- Collectives --------------------------------------------------------------------------------

/// The members of each process's group.
std::vector<I64s> BatchedProcesses::group_of_each(const Job& job) const {
  const auto groups = process_groups(job.node, replicas_, partitions_);
  std::vector<I64s> members;
  for (std::int64_t p = 0; p < job.context.size; ++p)
    members.push_back(groups[expect_place(job.node, groups, p).group]);
  return members;
}

namespace {

I64s places_of(const Node& node, std::int64_t replicas, std::int64_t partitions) {
  const auto groups = process_groups(node, replicas, partitions);
  I64s places;
  for (std::int64_t p = 0; p < replicas * partitions; ++p)
    places.push_back(std::int64_t(expect_place(node, groups, p).position));
  return places;
}

void expect_size(const Node& node, const std::vector<I64s>& members, std::int64_t wanted) {
  expect_group_size(node, members, wanted);
}

}  // namespace

void BatchedProcesses::all_gather(const Job& job) const {
  const auto members = group_of_each(job);
  const auto d = std::size_t(job.node.attrs.i64("all_gather_dim"));
  for (std::size_t k = 0; k < job.node.operands().size(); ++k) {
    const std::int64_t part = job.node.operand(k).type().dims[d],
                       whole = job.node.result_types()[k].dims[d];
    if (part > 0) expect_size(job.node, members, whole / part);
    const BatchMoves m = job.moves();
    BatchedValue all = m.take(job.operand(k), members);
    all = m.merge(all, 0, d);
    if (part == 0) all = {m.maker().splat(job.node.result_types()[k], 0), false};
    job.set(k, all);
  }
}

void BatchedProcesses::all_reduce(const Job& job) const {
  const auto members = group_of_each(job);
  for (std::size_t k = 0; k < job.node.operands().size(); ++k)
    job.set(k, job.moves().combine(job.operand(k), members, job.node.region(0)));
}

void BatchedProcesses::reduce_scatter(const Job& job) const {
  const auto members = group_of_each(job);
  const auto d = std::size_t(job.node.attrs.i64("scatter_dimension"));
  const std::int64_t whole = job.node.operand(0).type().dims[d],
                     part = job.node.result_types()[0].dims[d];
  if (part > 0) expect_size(job.node, members, whole / part);
  const I64s places = places_of(job.node, replicas_, partitions_);
  Table starts;
  for (const std::int64_t place : places) {
    starts.emplace_back(job.node.operand(0).type().dims.size(), 0);
    starts.back()[d] = place * part;
  }
  const BatchMoves m = job.moves();
  job.set(0, m.pieces(m.combine(job.operand(0), members, job.node.region(0)), starts,
                      job.node.result_types()[0].dims));
}

void BatchedProcesses::all_to_all(const Job& job) const {
  const auto members = group_of_each(job);
  const std::int64_t count = job.node.attrs.i64("split_count");
  expect_size(job.node, members, count);
  const auto split = std::size_t(job.node.attrs.i64("split_dimension")),
             concat = std::size_t(job.node.attrs.i64("concat_dimension"));
  const I64s places = places_of(job.node, replicas_, partitions_);
  Table parts;
  for (std::size_t p = 0; p < members.size(); ++p) {
    parts.emplace_back();
    for (const std::int64_t member : members[p]) parts.back().push_back(member * count + places[p]);
  }
  const BatchMoves m = job.moves();
  for (std::size_t k = 0; k < job.node.operands().size(); ++k)
    job.set(k, m.merge(m.take_from(m.split_parts(job.operand(k), split, count), parts), 0, concat));
}

/// Permutations, and broadcasts from and reductions to the first of each group.
void BatchedProcesses::pass_on(const Job& job) const {
  if (job.node.attrs.flag("has_dynamic_root"))
    throw_user_error(cat(job.node.name(), ": expected a root that is known when compiling, found ",
                         "has_dynamic_root"),
                     job.node.location());
  const auto groups = process_groups(job.node, replicas_, partitions_);
  const bool is_permutation = job.node.is("stablehlo.collective_permute"),
             is_reduction = job.node.is("stablehlo.collective_reduce");
  I64s sources(std::size_t(job.context.size), -1);
  Table members;
  for (std::int64_t p = 0; p < job.context.size; ++p) members.push_back({p});
  for (const I64s& group : groups) {
    if (group.empty()) continue;
    for (std::size_t k = is_permutation ? 1 : 0; k < (is_reduction ? 1 : group.size()); ++k)
      sources[std::size_t(group[k])] = group[0];
    if (is_reduction) members[std::size_t(group[0])] = group;
  }
  const BatchMoves m = job.moves();
  for (std::size_t k = 0; k < job.node.operands().size(); ++k) {
    const BatchedValue v = job.operand(k);
    job.set(k,
            m.take_or_zero(is_reduction ? m.combine(v, members, job.node.region(0)) : v, sources));
  }
}

// --- Wholes and pieces --------------------------------------------------------------------------

namespace {

/// Where each process's piece begins.
Table starts_of(const Type& piece, const Cut& cut, std::int64_t processes,
                std::int64_t partitions) {
  Table starts;
  for (std::int64_t p = 0; p < processes; ++p)
    starts.push_back(piece_start(piece, cut, p % partitions));
  return starts;
}

/// For each process, the process that holds each piece of the whole that it sees; in row-major order.
template <class GroupOf>
Table holders_of(const Cut& cut, std::int64_t processes, std::int64_t partitions,
                 GroupOf group_of) {
  const Dims strides = row_major_strides(cut.pieces());
  const std::int64_t count = Type{.dims = cut.pieces()}.count();
  Table holders;
  for (std::int64_t p = 0; p < processes; ++p) {
    I64s& of_one = holders.emplace_back(std::size_t(count), 0);
    I64s group = group_of(p % partitions);
    std::reverse(group.begin(), group.end());  // the first that holds a piece says it
    for (const std::int64_t device : group) {
      std::int64_t at = 0;
      for (std::size_t d = 0; d < strides.size(); ++d) at += cut.piece_of(device)[d] * strides[d];
      of_one[std::size_t(at)] = p / partitions * partitions + device;
    }
  }
  return holders;
}

}  // namespace

void BatchedProcesses::manual_computation(const Job& job) const {
  const auto manual = read_manual_computation(job.node.attrs, &module_);
  PARTITA_ASSERT(manual.has_value());
  if (manual->mesh.size() != partitions_)
    throw_user_error(cat(job.node.name(), ": expected a mesh of ", partitions_,
                         " devices as around it, found ", manual->mesh.size()),
                     job.node.location());
  const Graph& region = job.node.region(0);
  const BatchMoves m = job.moves();
  BatchMap inner;
  for (std::size_t k = 0; k < job.node.operands().size(); ++k) {
    const Type& piece = region.argument(int(k)).type();
    inner[region.argument(int(k))] =
        m.pieces(job.operand(k),
                 starts_of(piece, manual->operands[k], job.context.size, partitions_), piece.dims);
  }
  const auto values = batch_body(region, inner, job.context);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Table holders = holders_of(manual->results[k], job.context.size, partitions_,
                                     [&](std::int64_t device) { return manual->group_of(device); });
    job.set(k, m.assemble(values[k], holders, manual->results[k].pieces()));
  }
}

Cut gspmd_cut(const Node& node, std::int64_t devices) {
  const bool is_split = node.attrs.text("call_target_name") == "SPMDFullToShardShape";
  const Node* says = is_split ? node.operand(0).node : &node;
  const Attribute* sharding = says->attrs.find("mhlo.sharding");
  const auto* text = sharding ? sharding->get_if<std::string>() : nullptr;
  if (!text)
    throw_user_error(cat(node.name(), ": @", node.attrs.text("call_target_name"), ": expected ",
                         is_split ? "an operand" : "a call", " with mhlo.sharding, found none"),
                     node.location());
  const Type &whole = is_split ? node.operand(0).type() : node.result_types()[0],
             &piece = is_split ? node.result_types()[0] : node.operand(0).type();
  Cut cut(*text, whole.rank(), devices);
  std::vector<bool> is_cut;
  for (std::size_t d = 0; d < whole.dims.size(); ++d)
    is_cut.push_back(whole.dims[d] != piece.dims[d]);
  cut.keep(is_cut);
  if (piece_type(whole, cut) != piece)
    throw_user_error(
        cat(node.name(), ": @", node.attrs.text("call_target_name"), ": expected pieces of ",
            to_string(whole), " as ", *text, " cuts it, found ", to_string(piece)),
        node.location());
  return cut;
}

void BatchedProcesses::custom_call(const Job& job) const {
  const Cut cut = gspmd_cut(job.node, partitions_);
  const Type& result = job.node.result_types()[0];
  if (job.node.attrs.text("call_target_name") == "SPMDFullToShardShape")
    return job.set(
        0, job.moves().pieces(job.operand(0), starts_of(result, cut, job.context.size, partitions_),
                              result.dims));
  const Table holders = holders_of(cut, job.context.size, partitions_,
                                   [&](std::int64_t device) { return cut.group_of(device); });
  job.set(0, job.moves().assemble(job.operand(0), holders, cut.pieces()));
}

}  // namespace partita::ir
