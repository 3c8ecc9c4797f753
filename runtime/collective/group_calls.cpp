// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What the shards of this process do in the collectives of groups.  Every rank goes through its groups in the order
// of the table, so that none waits for another in a circle.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/collective/combine.hpp"
#include "runtime/collective/shard_group.hpp"

namespace partita::collective {
namespace {

using Bytes = std::span<std::byte>;
using ConstBytes = std::span<const std::byte>;

/// Slice k of slices of so many bytes.
ConstBytes slice(ConstBytes stack, int k, std::size_t bytes) {
  return stack.subspan(std::size_t(k) * bytes, bytes);
}
Bytes slice(Bytes stack, int k, std::size_t bytes) {
  return stack.subspan(std::size_t(k) * bytes, bytes);
}

/// Combines slice `position` of all parts, in order, into `to`.
void combine_slices(const CallInfo& info, const std::vector<const Part*>& parts, int position,
                    Bytes to) {
  const std::size_t count = to.size() / byte_size(info.dtype);
  const std::byte* sum = slice(parts[0]->from, position, to.size()).data();
  if (parts.size() == 1) copy_bytes({sum, to.size()}, to.data());
  for (std::size_t k = 1; k < parts.size(); ++k) {
    combine(info.dtype, info.combiner, to.data(), sum,
            slice(parts[k]->from, position, to.size()).data(), count);
    sum = to.data();
  }
}

std::vector<const Part*> parts_of(const Operation& operation, const GroupView& group) {
  std::vector<const Part*> parts;
  for (const int shard : group.shards) parts.push_back(&operation.parts[std::size_t(shard)]);
  return parts;
}

/// Memory that is kept between calls, of at least so many bytes.
Bytes room(std::vector<std::byte>& memory, std::size_t bytes) {
  memory.resize(std::max(memory.size(), bytes));
  return Bytes(memory).first(bytes);
}

}  // namespace

void ShardGroup::meet(Operation& operation) {
  const GroupTable& table = *operation.groups;
  if (operation.info.call == GroupCall::permute) return permute(operation);
  for (const GroupView& group : table.views) switch (operation.info.call) {
      case GroupCall::all_reduce:
        all_reduce(operation, group);
        break;
      case GroupCall::all_gather:
        all_gather(operation, group);
        break;
      case GroupCall::reduce_scatter:
        reduce_scatter(operation, group);
        break;
      case GroupCall::all_to_all:
        all_to_all(operation, group);
        break;
      case GroupCall::permute:
        break;
    }
}

void ShardGroup::copy_from_first(const Operation& operation, const GroupView& group) {
  const Bytes first = operation.parts[std::size_t(group.shards[0])].to;
  for (std::size_t k = 1; k < group.shards.size(); ++k)
    copy_bytes(first, operation.parts[std::size_t(group.shards[k])].to.data());
}

void ShardGroup::all_reduce(Operation& operation, const GroupView& group) {
  std::vector<Bytes> vectors;
  for (const Part* part : parts_of(operation, group)) vectors.push_back(part->to);
  combine_local(operation, vectors, group.is_local());
  if (group.is_local()) return;
  SubChannel channel(link_->channel(), group);
  all_reduce_over({channel, transfer_, scratch_}, operation, vectors[0],
                  std::size_t(&group - operation.groups->views.data()));
  copy_from_first(operation, group);
}

void ShardGroup::all_gather(Operation& operation, const GroupView& group) {
  const std::vector<std::size_t>& sizes = operation.info.sizes;
  const std::vector<int> order = group.by_rank();
  std::vector<std::size_t> at(sizes.size()), rank_offsets(group.ranks.size() + 1, 0);
  std::size_t end = 0;
  for (const int position : order) {
    const auto p = std::size_t(position);
    at[p] = end;
    end += sizes[p];
    rank_offsets[std::size_t(group.rank_at[p]) + 1] = end;
  }
  const bool is_in_order = std::ranges::is_sorted(order);
  const std::vector<const Part*> parts = parts_of(operation, group);
  const Bytes all = is_in_order ? parts[0]->to : room(staging_, end);
  for (std::size_t k = 0; k < parts.size(); ++k)
    copy_bytes(parts[k]->from, all.data() + at[std::size_t(group.positions[k])]);
  if (!group.is_local()) {
    SubChannel channel(link_->channel(), group);
    collective::all_gather({channel, transfer_, scratch_}, all, rank_offsets);
  }
  if (is_in_order) return copy_from_first(operation, group);
  for (const Part* part : parts) {
    std::byte* to = part->to.data();
    for (std::size_t p = 0; p < sizes.size(); to += sizes[p++])
      copy_bytes(all.subspan(at[p], sizes[p]), to);
  }
}

void ShardGroup::reduce_scatter(Operation& operation, const GroupView& group) {
  const std::vector<const Part*> parts = parts_of(operation, group);
  const std::size_t bytes = operation.info.bytes;
  if (group.is_local()) {
    for (std::size_t k = 0; k < parts.size(); ++k)
      combine_slices(operation.info, parts, group.positions[k], parts[k]->to);
    return;
  }
  const std::vector<int> order = group.by_rank();
  const Bytes all = room(staging_, bytes * order.size());
  std::vector<std::size_t> rank_offsets(group.ranks.size() + 1, 0);
  std::size_t end = 0;
  for (const int position : order) {
    combine_slices(operation.info, parts, position, all.subspan(end, bytes));
    end += bytes;
    rank_offsets[std::size_t(group.rank_at[std::size_t(position)]) + 1] = end;
  }
  SubChannel channel(link_->channel(), group);
  collective::reduce_scatter({channel, transfer_, scratch_}, all, rank_offsets,
                             operation.info.dtype, operation.info.combiner);
  std::size_t at = rank_offsets[std::size_t(group.own)];
  for (const Part* part : parts) {
    copy_bytes(all.subspan(at, bytes), part->to.data());
    at += bytes;
  }
}

/// One message between each two ranks: for each member of the sender, in order, its slices for each of the receiver's.
void ShardGroup::all_to_all(Operation& operation, const GroupView& group) {
  const std::vector<const Part*> parts = parts_of(operation, group);
  const std::size_t bytes = operation.info.bytes / group.members(),
                    remote = (group.members() - parts.size()) * parts.size() * bytes;
  const auto positions_of = [&](int rank) {
    std::vector<int> positions;
    for (std::size_t p = 0; p < group.members(); ++p)
      if (group.rank_at[p] == rank) positions.push_back(int(p));
    return positions;
  };
  for (std::size_t a = 0; a < parts.size(); ++a)
    for (std::size_t b = 0; b < parts.size(); ++b)
      copy_bytes(slice(parts[a]->from, group.positions[b], bytes),
                 slice(parts[b]->to, group.positions[a], bytes).data());
  if (group.is_local()) return;
  Bytes incoming = room(staging_, remote), outgoing = room(scratch_, remote);
  SubChannel channel(link_->channel(), group);
  std::vector<Channel::Ticket> received, sent;
  for (int step = 1; step < channel.ranks(); ++step) {
    const int to = (group.own + step) % channel.ranks();
    const std::vector<int> theirs = positions_of(to);
    std::byte* at = outgoing.data();
    for (const Part* part : parts)
      for (const int position : theirs) {
        copy_bytes(slice(part->from, position, bytes), at);
        at += bytes;
      }
    const auto size = std::size_t(at - outgoing.data());
    received.push_back(channel.receive(to, incoming.first(size)));
    sent.push_back(channel.send(to, outgoing.first(size)));
    incoming = incoming.subspan(size);
    outgoing = outgoing.subspan(size);
  }
  channel.wait_all(received);
  channel.wait_all(sent);
  const std::byte* from = staging_.data();
  for (int step = 1; step < channel.ranks(); ++step)
    for (const int position : positions_of((group.own + step) % channel.ranks()))
      for (const Part* part : parts) {
        copy_bytes({from, bytes}, slice(part->to, position, bytes).data());
        from += bytes;
      }
}

void ShardGroup::permute(Operation& operation) {
  std::vector<bool> is_target(std::size_t(local_shards_), false);
  std::vector<Channel::Ticket> tickets;
  const auto is_here = [&](int shard) { return map_.rank_of(shard) == rank(); };
  const auto number = [&](int shard) { return std::size_t(map_.local_number(shard)); };
  const auto part = [&](int shard) -> const Part& { return operation.parts[number(shard)]; };
  for (const std::vector<int>& pair : operation.groups->lists) {
    const int source = pair[0], target = pair[1];
    if (is_here(target)) is_target[number(target)] = true;
    if (is_here(source) && is_here(target))
      copy_bytes(part(source).from, part(target).to.data());
    else if (is_here(source))
      tickets.push_back(link_->channel().send(map_.rank_of(target), part(source).from));
    else if (is_here(target))
      tickets.push_back(link_->channel().receive(map_.rank_of(source), part(target).to));
  }
  for (std::size_t k = 0; k < is_target.size(); ++k)
    if (!is_target[k]) std::ranges::fill(operation.parts[k].to, std::byte{0});
  if (link_) link_->channel().wait_all(tickets);
}

}  // namespace partita::collective
