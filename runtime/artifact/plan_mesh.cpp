// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The shards of a plan's mesh, and what they hold of the program's arrays.
#include <algorithm>
#include <numeric>
#include <set>

#include "partita/artifact/plan.hpp"
#include "partita/base/error.hpp"

namespace partita {
namespace {

/// In how many blocks placements may be, of at most `most`: shards have to make the calls of collectives of the mesh
/// equally often.
class MeetingLoops {
 public:
  MeetingLoops(const Plan& plan, int most) : plan_(plan), blocks_(most) {
    visit(plan.steps, {}, false);
  }
  [[nodiscard]] int blocks() const { return int(blocks_); }

 private:
  /// `around`: placements whose blocks are the bounds of loops around; `depends`: what partitions hold decides whether
  /// the steps are done.
  void visit(const Steps& steps, const std::set<int>& around, bool depends) {
    for (const Step& step : steps) {
      const auto* const reduce = std::get_if<AllReduceStart>(&step.what);
      if (std::holds_alternative<GroupStart>(step.what) ||
          (reduce != nullptr && reduce->groups >= 0))
        meet(around, depends);
      if (const auto* loop = std::get_if<For>(&step.what)) {
        std::set<int> inner = around;
        add_placements(loop->begin, inner);
        add_placements(loop->end, inner);
        visit(loop->body, inner, depends);
      }
      const bool decides = depends || !around.empty();
      if (const auto* loop = std::get_if<While>(&step.what)) {
        visit(loop->condition, around, decides);
        visit(loop->body, around, decides);
      }
      if (const auto* choice = std::get_if<Case>(&step.what))
        for (const Steps& branch : choice->branches) visit(branch, around, decides);
    }
  }

  void meet(const std::set<int>& around, bool depends) {
    if (depends) blocks_ = 1;
    for (const int p : around) blocks_ = std::gcd(blocks_, plan_.placements[std::size_t(p)].size);
  }

  void add_placements(const HostExpr& e, std::set<int>& to) const {
    if (e.kind() == HostExpr::Kind::variable)
      for (std::size_t p = 0; p < plan_.placements.size(); ++p)
        if (plan_.placements[p].begin_variable == e.value() ||
            plan_.placements[p].end_variable == e.value())
          to.insert(int(p));
    for (const HostExpr& operand : e.operands()) add_placements(operand, to);
  }

  const Plan& plan_;
  std::int64_t blocks_;
};

}  // namespace

Dims mesh_sizes(const Plan& plan) {
  Dims sizes;
  for (const MeshAxis& axis : plan.mesh) sizes.push_back(axis.size);
  return sizes;
}

std::int64_t mesh_shards(const Plan& plan) {
  std::int64_t shards = 1;
  for (const MeshAxis& axis : plan.mesh) shards *= axis.size;
  return shards;
}

std::vector<ShardPlace> places_of_shards(const Plan& plan, int shards) {
  const int mesh = int(mesh_shards(plan)), groups = shards / mesh;
  PARTITA_ASSERT(shards % mesh == 0);
  const int blocks = mesh == 1 || groups == 1 ? groups : MeetingLoops(plan, groups).blocks();
  std::vector<ShardPlace> places;
  for (int s = 0; s < shards; ++s)
    places.push_back({.mesh_shard = s % mesh,
                      .partition = s / mesh % blocks,
                      .partitions = blocks,
                      .replica = s / mesh / blocks,
                      .replicas = groups / blocks});
  return places;
}

ShardPlace place_of_shard(const Plan& plan, int shard, int shards) {
  return places_of_shards(plan, shards)[std::size_t(shard)];
}

ArrayBlock block_of(const Plan& plan, const PortInfo& port, const ShardPlace& place) {
  ArrayBlock block = mesh_block(port.type.dims, port.axes, mesh_sizes(plan), place.mesh_shard);
  if (port.placement >= 0) {
    const std::int64_t size = plan.placements[std::size_t(port.placement)].size;
    const BlockRange rows = block_of(size, place.partition, place.partitions);
    block.begin[0] = rows.begin;
    block.extents[0] = block.inside[0] = rows.end - rows.begin;
  }
  return block;
}

Type local_type(const Plan& plan, const PortInfo& port) {
  return {.dtype = port.type.dtype, .dims = block_of(plan, port, ShardPlace{}).extents};
}

std::int64_t temporary_bytes(const Plan& plan, int shards) {
  const int partitions = place_of_shard(plan, 0, shards).partitions;
  std::vector<std::int64_t> variables(plan.variables.size(), 0);
  for (const Placement& p : plan.placements)
    if (p.end_variable >= 0)
      variables[std::size_t(p.end_variable)] = (p.size + partitions - 1) / partitions;
  std::int64_t bytes = plan.arena_bytes;
  std::set<int> constants;
  for (const Buffer& b : plan.buffers)
    if (b.kind == BufferKind::block ||
        (b.kind == BufferKind::constant && constants.insert(b.index).second))
      bytes += b.count.evaluate(variables) * std::int64_t(byte_size(b.dtype));
  return bytes;
}

std::string fitting_devices(std::int64_t mesh_shards) {
  std::string numbers;
  for (std::int64_t n = 1; n < mesh_shards; ++n)
    if (mesh_shards % n == 0) numbers += cat(numbers.empty() ? "" : ", ", n);
  return cat(numbers, numbers.empty() ? "" : ", ", mesh_shards, " or a multiple of ", mesh_shards);
}

bool look_alike(const PortInfo& a, const PortInfo& b) {
  return a.type == b.type && a.placement == b.placement && a.axes == b.axes;
}

bool may_be_one(const Plan& plan, const Buffer& a, const Buffer& b) {
  if (a.kind == BufferKind::input && is_of_output(b.kind))
    return donor_of(plan, b.index) == a.index;
  return is_of_output(a.kind) && b.kind == BufferKind::input && may_be_one(plan, b, a);
}

}  // namespace partita
