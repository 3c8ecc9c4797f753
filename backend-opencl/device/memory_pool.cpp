// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/memory_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace partita::opencl {

std::size_t MemoryPool::rounded(std::size_t bytes) {
  constexpr std::size_t least = 512, steps = 8;
  if (bytes <= least) return least;
  const std::size_t step = std::max(std::bit_floor(bytes) / steps, least);
  return (bytes + step - 1) / step * step;
}

Memory MemoryPool::take(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  const auto end = by_size_.upper_bound(bytes);
  if (end == by_size_.begin()) return {};
  const auto last = std::prev(end);
  if (last->first != bytes) return {};
  Memory memory = std::move(last->second->memory);
  entries_.erase(last->second);
  by_size_.erase(last);
  held_bytes_ -= std::int64_t(bytes);
  return memory;
}

void MemoryPool::give(Memory memory, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  if (std::int64_t(bytes) > most_bytes_) return;
  entries_.push_back({std::move(memory), bytes});
  by_size_.emplace(bytes, std::prev(entries_.end()));
  held_bytes_ += std::int64_t(bytes);
  while (held_bytes_ > most_bytes_) release_oldest();
}

void MemoryPool::release_oldest() {
  const auto oldest = entries_.begin();
  auto at = by_size_.lower_bound(oldest->bytes);
  while (at->second != oldest) ++at;
  by_size_.erase(at);
  held_bytes_ -= std::int64_t(oldest->bytes);
  entries_.erase(oldest);
}

void MemoryPool::clear() {
  const std::scoped_lock lock(mutex_);
  while (!entries_.empty()) release_oldest();
}

void MemoryPool::close() {
  const std::scoped_lock lock(mutex_);
  most_bytes_ = -1;
  while (!entries_.empty()) release_oldest();
}

std::int64_t MemoryPool::held_bytes() const {
  const std::scoped_lock lock(mutex_);
  return held_bytes_;
}

}  // namespace partita::opencl
