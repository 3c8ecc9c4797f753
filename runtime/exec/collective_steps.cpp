// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collective steps of a plan: what travels is staged in host memory between start and done.
#include <algorithm>

#include "partita/base/error.hpp"
#include "runtime/exec/shard.hpp"

namespace partita {

namespace {

std::size_t bytes_of(std::int64_t elements, DType dtype) {
  return std::size_t(elements) * byte_size(dtype);
}

}  // namespace

const Placement& Shard::placement_of(const std::string& axis) const {
  const auto found = std::find_if(plan_.placements.begin(), plan_.placements.end(),
                                  [&](const Placement& p) { return p.name == axis; });
  PARTITA_ASSERT(found != plan_.placements.end());
  return *found;
}

Shard::Pending& Shard::begin_request(int request) {
  Pending& pending = pending_[std::size_t(request)];
  if (pending.active) throw_internal_error(cat("plan: collective ", request, " is started twice"));
  pending.targets.clear();
  pending.active = true;
  return pending;
}

void Shard::run_step(const AllReduceStart& x) {
  Pending& pending = begin_request(x.request);
  if (communicator_.shards() == 1) return;  // the pieces hold the result already
  std::size_t total = 0;
  for (const Piece& piece : x.pieces) {
    const std::int64_t count = value(piece.count);
    pending.targets.push_back({locate(piece.at, count), x.dtype, total, bytes_of(count, x.dtype)});
    total += bytes_of(count, x.dtype);
  }
  pending.staging.resize(total);
  const std::size_t width = byte_size(x.dtype);
  for (const Pending::Target& target : pending.targets)
    if (target.bytes > 0)
      device_->read(*target.at.buffer, std::size_t(target.at.element_offset) * width,
                    std::span(pending.staging).subspan(target.begin, target.bytes));
  pending.request = communicator_.all_reduce(pending.staging, x.dtype, x.combiner, current_->name);
}

void Shard::run_step(const AllGatherStart& x) {
  Pending& pending = begin_request(x.request);
  const std::int64_t partitions = placement_of(x.axis).size;
  const BlockRange own = block_of(partitions, communicator_.shard(), communicator_.shards());
  const std::int64_t count = (own.end - own.begin) * x.elements_per_partition;
  const BoundBuffer from = locate(x.from, count),
                    to = locate(x.to, partitions * x.elements_per_partition);
  const std::size_t width = byte_size(x.dtype);
  if (communicator_.shards() == 1) {
    if (count > 0)
      device_->copy(*from.buffer, std::size_t(from.element_offset) * width, *to.buffer,
                    std::size_t(to.element_offset) * width, bytes_of(count, x.dtype));
    return;
  }
  std::vector<std::size_t> sizes;
  for (int s = 0; s < communicator_.shards(); ++s) {
    const BlockRange block = block_of(partitions, s, communicator_.shards());
    sizes.push_back(bytes_of((block.end - block.begin) * x.elements_per_partition, x.dtype));
  }
  pending.staging.resize(bytes_of(partitions * x.elements_per_partition, x.dtype));
  const auto block = std::span(pending.staging)
                         .subspan(bytes_of(own.begin * x.elements_per_partition, x.dtype),
                                  bytes_of(count, x.dtype));
  if (count > 0) device_->read(*from.buffer, std::size_t(from.element_offset) * width, block);
  pending.targets.push_back({to, x.dtype, 0, pending.staging.size()});
  pending.request = communicator_.all_gather(block, pending.staging, sizes, current_->name);
}

void Shard::run_step(const CollectiveDone& x) {
  Pending& pending = pending_[std::size_t(x.request)];
  if (!pending.active)
    throw_internal_error(cat("plan: collective ", x.request, " is not under way"));
  if (pending.request) {
    pending.request->wait();
    pending.request.reset();
    for (const Pending::Target& target : pending.targets)
      if (target.bytes > 0)
        device_->write(*target.at.buffer,
                       std::size_t(target.at.element_offset) * byte_size(target.dtype),
                       std::span(pending.staging).subspan(target.begin, target.bytes));
  }
  pending.active = false;
}

}  // namespace partita
