// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Copies beside the launches of a device with memory of its own: a second queue, events between the
// two, and memory of the host that the device reads and writes without the processor.
#pragma once

#include <CL/cl.h>

#include <array>
#include <memory>

#include "backend-opencl/device/handles.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

class OpenclEvent final : public DeviceEvent {
 public:
  explicit OpenclEvent(cl_event event) : event_(event) {}
  void wait() override;
  [[nodiscard]] cl_event handle() const { return event_.get(); }

 private:
  Event event_;
};

/// An event that a call has made.
[[nodiscard]] DeviceEventPtr take_event(cl_event event);
/// What is enqueued in `queue` from now on begins after the event, which may be null.
void enqueue_wait(cl_command_queue queue, const DeviceEventPtr& event);

/// Memory that the driver has allocated on the host, mapped while it lives.
class PinnedMemory final : public HostMemory {
 public:
  /// `queue` maps and unmaps it and outlives it.
  PinnedMemory(cl_context context, cl_command_queue queue, std::size_t bytes);
  ~PinnedMemory() override;
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

 private:
  cl_command_queue queue_;
  Memory memory_;
  std::span<std::byte> bytes_;
};

class OpenclCopyStream final : public CopyStream {
 public:
  /// In-order, in the context, which outlives it.
  OpenclCopyStream(cl_context context, cl_device_id device);
  ~OpenclCopyStream() override;
  OpenclCopyStream(const OpenclCopyStream&) = delete;
  OpenclCopyStream& operator=(const OpenclCopyStream&) = delete;

  void wait_for(const DeviceEventPtr& event) override;
  [[nodiscard]] DeviceEventPtr write(DeviceBuffer& to, std::size_t byte_offset,
                                     std::span<const std::byte> from) override;
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override;
  [[nodiscard]] DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                          std::span<std::byte> to) override;
  void finish();

 private:
  /// Pinned memory by way of which pageable memory travels, and the last copy from or to it.
  struct Slot {
    std::unique_ptr<PinnedMemory> memory;
    DeviceEventPtr busy;
  };
  /// The next one, once nothing copies from or to it.
  [[nodiscard]] Slot& take_slot();

  cl_context context_;
  Queue queue_;
  std::array<Slot, 4> slots_;
  std::size_t next_ = 0;
};

}  // namespace partita::opencl
