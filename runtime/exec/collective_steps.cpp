// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collective steps of a plan: what travels is staged in host memory between start and done.  Where the
// device has a stream of copies, it comes to the host beside the work after the start, and travels as soon
// as the host has nothing else to enqueue: at the next start, or when the result is wanted.
#include <algorithm>
#include <utility>

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

Shard::Pending& Shard::begin_request(int request, std::size_t bytes) {
  Pending& pending = pending_[std::size_t(request)];
  if (pending.active) throw_internal_error(cat("plan: collective ", request, " is started twice"));
  if (pending.written) pending.written->wait();
  pending.written.reset();
  pending.targets.clear();
  pending.bytes = bytes;
  if (communicator_.shards() > 1 && (!pending.staging || pending.staging->bytes().size() < bytes))
    pending.staging = device_->host_memory(bytes);
  pending.active = true;
  return pending;
}

// Brings bytes to staging memory after the work so far, beside that which follows.
DeviceEventPtr Shard::stage(const BoundBuffer& from, std::size_t width, std::span<std::byte> to) {
  const std::size_t begin = std::size_t(from.element_offset) * width;
  if (CopyStream* const copies = device_->copies())
    return copies->start_read(*from.buffer, begin, to);
  return device_->start_read(*from.buffer, begin, to);
}

// All shards call the communicator in the order of starts.
void Shard::let_travel(int request, std::function<RequestPtr()> travel) {
  begin_travels();
  pending_[std::size_t(request)].travel = std::move(travel);
  waiting_.push_back(request);
  if (!pending_[std::size_t(request)].read) begin_travels();
}

void Shard::begin_travels() {
  for (; !waiting_.empty(); waiting_.pop_front()) {
    Pending& pending = pending_[std::size_t(waiting_.front())];
    if (pending.read) pending.read->wait();
    pending.read.reset();
    pending.request = std::exchange(pending.travel, nullptr)();
  }
}

void Shard::run_step(const AllReduceStart& x) {
  std::size_t total = 0;
  for (const Piece& piece : x.pieces) total += bytes_of(value(piece.count), x.dtype);
  Pending& pending = begin_request(x.request, total);
  if (communicator_.shards() == 1) return;  // the pieces hold the result already
  std::size_t begin = 0;
  for (const Piece& piece : x.pieces) {
    const std::int64_t count = value(piece.count);
    const std::size_t bytes = bytes_of(count, x.dtype);
    pending.targets.push_back({locate(piece.at, count), x.dtype, begin, bytes});
    begin += bytes;
  }
  if (CopyStream* const copies = device_->copies()) copies->wait_for(device_->mark());
  for (const Pending::Target& target : pending.targets)
    if (target.bytes > 0)
      pending.read = stage(target.at, byte_size(x.dtype),
                           pending.staged().subspan(target.begin, target.bytes));
  let_travel(x.request, [this, &pending, &x, &name = current_->name] {
    return communicator_.all_reduce(pending.staged(), x.dtype, x.combiner, name);
  });
}

void Shard::run_step(const AllGatherStart& x) {
  const std::int64_t partitions = placement_of(x.axis).size;
  Pending& pending =
      begin_request(x.request, bytes_of(partitions * x.elements_per_partition, x.dtype));
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
  const auto block = pending.staged().subspan(
      bytes_of(own.begin * x.elements_per_partition, x.dtype), bytes_of(count, x.dtype));
  if (CopyStream* const copies = device_->copies()) copies->wait_for(device_->mark());
  if (count > 0) pending.read = stage(from, width, block);
  pending.targets.push_back({to, x.dtype, 0, pending.bytes});
  let_travel(x.request, [this, &pending, block, sizes, &name = current_->name] {
    return communicator_.all_gather(block, pending.staged(), sizes, name);
  });
}

void Shard::run_step(const CollectiveDone& x) {
  Pending& pending = pending_[std::size_t(x.request)];
  if (!pending.active)
    throw_internal_error(cat("plan: collective ", x.request, " is not under way"));
  begin_travels();
  if (pending.request) {
    pending.request->wait();
    pending.request.reset();
    for (const Pending::Target& target : pending.targets)
      if (target.bytes > 0)
        pending.written = device_->start_write(
            *target.at.buffer, std::size_t(target.at.element_offset) * byte_size(target.dtype),
            pending.staged().subspan(target.begin, target.bytes));
  }
  pending.active = false;
}

}  // namespace partita
