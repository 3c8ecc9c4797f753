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
  if (bytes > 0 && (!pending.staging || pending.staging->bytes().size() < bytes))
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

// A plan's groups are of its mesh, and placements' of the shards that have one number in it.
RequestPtr Shard::meet(const GroupMeeting& meeting, std::span<const std::byte> from,
                       std::span<std::byte> to) {
  if (meeting.groups >= 0) return communicator_.meet(meeting, from, to);
  if (meeting.call == GroupCall::all_reduce)
    return communicator_.all_reduce(to, meeting.dtype, meeting.combiner, meeting.wire,
                                    meeting.step);
  return communicator_.all_gather(from, to, meeting.sizes, meeting.step);
}

void Shard::run_step(const AllReduceStart& x) {
  std::size_t total = 0;
  for (const Piece& piece : x.pieces) total += bytes_of(value(piece.count), x.dtype);
  const bool is_alone =
      x.groups < 0 ? place_.partitions == 1 : plan_.groups[std::size_t(x.groups)][0].size() == 1;
  Pending& pending = begin_request(x.request, is_alone ? 0 : total);
  if (is_alone) return;  // the pieces hold the result already
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
    return meet({.call = GroupCall::all_reduce,
                 .groups = x.groups < 0 ? placement_groups_ : groups_[std::size_t(x.groups)],
                 .dtype = x.dtype,
                 .combiner = x.combiner,
                 .wire = x.wire,
                 .step = name},
                {}, pending.staged());
  });
}

void Shard::run_step(const AllGatherStart& x) {
  const std::int64_t partitions = placement_of(x.axis).size;
  const bool is_alone = place_.partitions == 1;
  Pending& pending = begin_request(
      x.request, is_alone ? 0 : bytes_of(partitions * x.elements_per_partition, x.dtype));
  const BlockRange own = block_of(partitions, place_.partition, place_.partitions);
  const std::int64_t count = (own.end - own.begin) * x.elements_per_partition;
  const BoundBuffer from = locate(x.from, count),
                    to = locate(x.to, partitions * x.elements_per_partition);
  const std::size_t width = byte_size(x.dtype);
  if (is_alone) {
    if (count > 0)
      device_->copy(*from.buffer, std::size_t(from.element_offset) * width, *to.buffer,
                    std::size_t(to.element_offset) * width, bytes_of(count, x.dtype));
    return;
  }
  std::vector<std::size_t> sizes;
  for (int p = 0; p < place_.partitions; ++p) {
    const BlockRange block = block_of(partitions, p, place_.partitions);
    sizes.push_back(bytes_of((block.end - block.begin) * x.elements_per_partition, x.dtype));
  }
  const auto block = pending.staged().subspan(
      bytes_of(own.begin * x.elements_per_partition, x.dtype), bytes_of(count, x.dtype));
  if (CopyStream* const copies = device_->copies()) copies->wait_for(device_->mark());
  if (count > 0) pending.read = stage(from, width, block);
  pending.targets.push_back({to, x.dtype, 0, pending.bytes});
  let_travel(x.request, [this, &pending, block, sizes, &x, &name = current_->name] {
    return meet({.call = GroupCall::all_gather,
                 .groups = placement_groups_,
                 .dtype = x.dtype,
                 .sizes = sizes,
                 .step = name},
                block, pending.staged());
  });
}

void Shard::run_step(const GroupStart& x) {
  const ShardLists& lists = plan_.groups[std::size_t(x.groups)];
  const std::int64_t members = x.call == GroupCall::permute ? 1 : std::ssize(lists[0]),
                     in = x.call == GroupCall::all_gather ? x.elements : members * x.elements,
                     out = x.call == GroupCall::reduce_scatter ? x.elements : members * x.elements;
  const BoundBuffer from = locate(x.from, in), to = locate(x.to, out);
  const std::size_t brought = bytes_of(in, x.dtype), given = bytes_of(out, x.dtype);
  Pending& pending = begin_request(x.request, brought + given);
  pending.targets.push_back({to, x.dtype, brought, given});
  if (CopyStream* const copies = device_->copies()) copies->wait_for(device_->mark());
  if (brought > 0) pending.read = stage(from, byte_size(x.dtype), pending.staged().first(brought));
  std::vector<std::size_t> sizes;
  if (x.call == GroupCall::all_gather) sizes.assign(std::size_t(members), brought);
  let_travel(x.request, [this, &pending, &x, sizes, brought, &name = current_->name] {
    const auto staged = pending.staged();
    return meet({.call = x.call,
                 .groups = groups_[std::size_t(x.groups)],
                 .dtype = x.dtype,
                 .combiner = x.combiner,
                 .sizes = sizes,
                 .step = name},
                staged.first(brought), staged.subspan(brought));
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
