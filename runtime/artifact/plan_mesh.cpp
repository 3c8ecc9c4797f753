// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The shards of a plan's mesh, and what they hold of the program's arrays.
#include "partita/artifact/plan.hpp"
#include "partita/base/error.hpp"

namespace partita {

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

ShardPlace place_of_shard(const Plan& plan, int shard, int shards) {
  const int mesh = int(mesh_shards(plan));
  PARTITA_ASSERT(shards % mesh == 0);
  return {.mesh_shard = shard % mesh, .partition = shard / mesh, .partitions = shards / mesh};
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

std::string fitting_devices(std::int64_t mesh_shards) {
  std::string numbers;
  for (std::int64_t n = 1; n < mesh_shards; ++n)
    if (mesh_shards % n == 0) numbers += cat(numbers.empty() ? "" : ", ", n);
  return cat(numbers, numbers.empty() ? "" : ", ", mesh_shards, " or a multiple of ", mesh_shards);
}

}  // namespace partita
