// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/opencl_buffer.hpp"

#include <algorithm>
#include <atomic>

#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

std::int64_t next_number() {
  static std::atomic<std::int64_t> last = 0;
  return ++last;
}

}  // namespace

OpenclBuffer::OpenclBuffer(Memory memory, std::size_t bytes, std::shared_ptr<MemoryCounter> counter,
                           std::shared_ptr<MemoryPool> pool)
    : memory_(std::move(memory)),
      number_(next_number()),
      bytes_(bytes),
      counter_(std::move(counter)),
      pool_(std::move(pool)) {
  if (!counter_) return;
  counter_->now += std::int64_t(bytes_);
  counter_->peak = std::max(counter_->peak, counter_->now);
}

OpenclBuffer::~OpenclBuffer() {
  if (counter_) counter_->now -= std::int64_t(bytes_);
  if (pool_) pool_->give(std::move(memory_), MemoryPool::rounded(bytes_));
}

OpenclBuffer& opencl_buffer(DeviceBuffer& buffer) { return dynamic_cast<OpenclBuffer&>(buffer); }

void check_range(const DeviceBuffer& buffer, std::size_t offset, std::size_t bytes) {
  PARTITA_ASSERT(offset <= buffer.bytes() && bytes <= buffer.bytes() - offset);
}

}  // namespace partita::opencl
