// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory of an OpenCL device, as the device and its stream of copies see it.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>

#include "backend-opencl/device/handles.hpp"
#include "backend-opencl/device/memory_pool.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

/// Bytes of a device's buffers; outlives the device where a buffer does.
struct MemoryCounter {
  std::int64_t now = 0, peak = 0;
};

class OpenclBuffer final : public DeviceBuffer {
 public:
  /// `counter` is null where the memory is the host's.  `pool`, where there is one, gets memory of `MemoryPool::rounded`
  /// bytes back.
  OpenclBuffer(Memory memory, std::size_t bytes, std::shared_ptr<MemoryCounter> counter,
               std::shared_ptr<MemoryPool> pool = nullptr);
  ~OpenclBuffer() override;
  OpenclBuffer(const OpenclBuffer&) = delete;
  OpenclBuffer& operator=(const OpenclBuffer&) = delete;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] bool is_borrowed() const override { return counter_ == nullptr; }
  [[nodiscard]] cl_mem memory() const { return memory_.get(); }
  /// No other buffer of this process has had it.
  [[nodiscard]] std::int64_t number() const { return number_; }
  /// Commands of another queue than the pool's use the memory, which is not given back then.
  void leave_pool() { pool_.reset(); }

 private:
  Memory memory_;
  std::int64_t number_;
  std::size_t bytes_;
  std::shared_ptr<MemoryCounter> counter_;
  std::shared_ptr<MemoryPool> pool_;
};

/// A buffer that an OpenCL device has made.
[[nodiscard]] OpenclBuffer& opencl_buffer(DeviceBuffer& buffer);

/// An internal error unless the bytes lie within the buffer.
void check_range(const DeviceBuffer& buffer, std::size_t offset, std::size_t bytes);

}  // namespace partita::opencl
