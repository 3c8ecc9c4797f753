// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What each collective call does with the shards of this process, around the algorithms over ranks.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/collective/combine.hpp"
#include "runtime/collective/shard_group.hpp"
#include "runtime/collective/wire.hpp"

namespace partita::collective {
namespace {

/// Bytes that are combined before they are written: they stay in the first-level cache.
constexpr std::size_t tile_bytes = std::size_t(8) << 10;
constexpr std::size_t slice_bytes = std::size_t(128) << 10;

/// Combines [begin, end) of all vectors in order and writes the result to the first `receivers`.
void combine_range(const CallInfo& info, const std::vector<std::span<std::byte>>& vectors,
                   std::size_t receivers, std::size_t begin, std::size_t end) {
  alignas(64) std::array<std::byte, tile_bytes> tile;
  for (std::size_t at = begin; at < end; at += tile_bytes) {
    const std::size_t bytes = std::min(end - at, tile_bytes);
    const std::size_t count = bytes / byte_size(info.dtype);
    const std::byte* sum = vectors[0].data() + at;
    for (std::size_t s = 1; s < vectors.size(); ++s) {
      combine(info.dtype, info.combiner, tile.data(), sum, vectors[s].data() + at, count);
      sum = tile.data();
    }
    for (std::size_t s = 0; s < receivers; ++s)
      std::memcpy(vectors[s].data() + at, tile.data(), bytes);
  }
}

}  // namespace

void copy_bytes(std::span<const std::byte> from, std::byte* to) {
  if (!from.empty() && from.data() != to) std::memmove(to, from.data(), from.size());
}

Ranks ShardGroup::over_ranks() { return {link_->channel(), transfer_, scratch_}; }

void ShardGroup::run_sliced(Operation& operation, std::size_t bytes,
                            std::function<void(std::size_t, std::size_t)> on_range) {
  if (bytes <= 2 * slice_bytes) {
    if (bytes > 0) on_range(0, bytes);
    return;
  }
  auto work = std::make_shared<SlicedWork>();
  work->on_range = std::move(on_range);
  work->bytes = bytes;
  work->slice = slice_bytes;
  work->slices = (bytes + slice_bytes - 1) / slice_bytes;
  {
    const std::lock_guard lock(mutex_);
    operation.work = work;
  }
  changed_.notify_all();
  work->help();
  while (work->finished.load(std::memory_order_acquire) < work->slices) std::this_thread::yield();
}

void ShardGroup::execute(Operation& operation) {
  if (link_ && operation.fault) link_->channel().after_next_transfer(operation.fault);
  switch (operation.info.kind) {
    case CallKind::all_reduce:
      return all_reduce(operation);
    case CallKind::all_gather:
      return all_gather(operation);
    case CallKind::gather_to_root:
      return gather_to_root(operation);
    case CallKind::broadcast:
      return broadcast(operation);
    case CallKind::groups:
      return meet(operation);
    case CallKind::barrier:
      if (link_) collective::barrier(over_ranks());
      return;
  }
}

void ShardGroup::copy_to_others(Operation& operation, std::span<const std::byte> bytes) {
  if (local_shards_ == 1) return;
  run_sliced(operation, bytes.size(), [&](std::size_t begin, std::size_t end) {
    for (const Part& part : std::span(operation.parts).subspan(1)) {
      copy_bytes(bytes.subspan(begin, end - begin), part.to.data() + begin);
    }
  });
}

// All vectors, in order, into the first; into all where that is the result.
void ShardGroup::combine_local(Operation& operation,
                               const std::vector<std::span<std::byte>>& vectors, bool is_result) {
  if (vectors.size() < 2) return;
  const std::size_t receivers = is_result ? vectors.size() : 1;
  run_sliced(operation, vectors[0].size(), [&](std::size_t begin, std::size_t end) {
    combine_range(operation.info, vectors, receivers, begin, end);
  });
}

void ShardGroup::all_reduce(Operation& operation) {
  const std::span<std::byte> leader = operation.parts[0].to;
  if (local_shards_ > 1) {
    std::vector<std::span<std::byte>> vectors;
    for (const Part& part : operation.parts) vectors.push_back(part.to);
    combine_local(operation, vectors, !link_);
  }
  if (!link_) return;
  all_reduce_over(over_ranks(), operation, leader, 0);
  copy_to_others(operation, leader);
}

void ShardGroup::all_reduce_over(Ranks ranks, const Operation& operation, std::span<std::byte> data,
                                 std::size_t group) {
  const CallInfo& info = operation.info;
  if (info.wire.format == WireFormat::exact)
    return collective::all_reduce(ranks, data, info.dtype, info.combiner);
  all_reduce_rounded(ranks, data, info.wire.format,
                     info.wire.feeds_back ? &rests_[{info.step, group}] : nullptr);
}

std::vector<std::size_t> ShardGroup::rank_offsets(const std::vector<std::size_t>& sizes) const {
  std::vector<std::size_t> offsets{0};
  for (int r = 0; r < ranks(); ++r) {
    const auto first = sizes.begin() + std::ptrdiff_t(r) * local_shards_;
    std::size_t end = offsets.back();
    for (auto size = first; size != first + local_shards_; ++size) end += *size;
    offsets.push_back(end);
  }
  return offsets;
}

void ShardGroup::all_gather(Operation& operation) {
  const std::span<std::byte> leader = operation.parts[0].to;
  const std::vector<std::size_t> offsets = rank_offsets(operation.info.sizes);
  std::size_t at = offsets[std::size_t(rank())];
  for (const Part& part : operation.parts) {
    copy_bytes(part.from, leader.data() + at);
    at += part.from.size();
  }
  if (link_) collective::all_gather(over_ranks(), leader, offsets);
  copy_to_others(operation, leader);
}

void ShardGroup::gather_to_root(Operation& operation) {
  const std::vector<std::size_t> offsets = rank_offsets(operation.info.sizes);
  const std::size_t begin = offsets[std::size_t(rank())], end = offsets[std::size_t(rank()) + 1];
  std::span<const std::byte> block = operation.parts[0].from;
  if (rank() == 0 || local_shards_ > 1) {
    std::span<std::byte> target = operation.parts[0].to;
    if (rank() != 0) {
      staging_.resize(std::max(staging_.size(), end - begin));
      target = staging_;
    }
    std::size_t at = 0;
    for (const Part& part : operation.parts) {
      copy_bytes(part.from, target.data() + at);
      at += part.from.size();
    }
    block = target.first(end - begin);
  }
  if (link_) collective::gather_to_root(over_ranks(), block, operation.parts[0].to, offsets);
}

void ShardGroup::broadcast(Operation& operation) {
  if (link_) collective::broadcast(over_ranks(), operation.parts[0].to);
  copy_to_others(operation, operation.parts[0].to);
}

}  // namespace partita::collective
