// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The Device of OpenCL: one context and one in-order queue on a device or sub-device.
#pragma once

#include <memory>
#include <string>

#include "backend-opencl/device/blas.hpp"
#include "backend-opencl/device/discovery.hpp"
#include "backend-opencl/device/handles.hpp"
#include "backend-opencl/device/launch_times.hpp"
#include "backend-opencl/device/program.hpp"
#include "backend-opencl/device/work_groups.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

/// Bytes of a device's buffers; outlives the device where a buffer does.
struct MemoryCounter {
  std::int64_t now = 0, peak = 0;
};

class OpenclBuffer final : public DeviceBuffer {
 public:
  /// `counter` is null where the memory is the host's.
  OpenclBuffer(Memory memory, std::size_t bytes, std::shared_ptr<MemoryCounter> counter);
  ~OpenclBuffer() override;
  OpenclBuffer(const OpenclBuffer&) = delete;
  OpenclBuffer& operator=(const OpenclBuffer&) = delete;
  [[nodiscard]] std::size_t bytes() const override { return bytes_; }
  [[nodiscard]] cl_mem memory() const { return memory_.get(); }
  /// No other buffer of this process has had it.
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  Memory memory_;
  std::int64_t number_;
  std::size_t bytes_;
  std::shared_ptr<MemoryCounter> counter_;
};

class OpenclDevice final : public Device {
 public:
  /// A context and a queue of its own.
  explicit OpenclDevice(DeviceSlot slot, cl_command_queue_properties queue_properties = 0);
  /// On a queue that the host lends, in its context; a queue that is not in-order is a user error.
  explicit OpenclDevice(cl_command_queue lent);
  ~OpenclDevice() override;
  OpenclDevice(const OpenclDevice&) = delete;
  OpenclDevice& operator=(const OpenclDevice&) = delete;

  [[nodiscard]] const DeviceProfile& profile() const override { return profile_; }
  [[nodiscard]] DeviceBufferPtr allocate(std::size_t bytes) override;
  /// On CPUs alone: elsewhere drivers want pages, or copy.
  [[nodiscard]] DeviceBufferPtr borrow(std::span<const std::byte> host) override;
  [[nodiscard]] DeviceProgramPtr load(const Artifact& artifact) override;
  void write(DeviceBuffer& to, std::size_t byte_offset, std::span<const std::byte> from) override;
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override;
  void copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to, std::size_t to_byte,
            std::size_t bytes) override;
  void launch(DeviceProgram& program, const LaunchArgs& args) override;
  void gemm(const GemmArgs& args) override;
  [[nodiscard]] std::vector<LaunchTime> launch_times() override;
  void flush() override;
  void finish() override;
  [[nodiscard]] std::int64_t allocated_bytes() const override { return counter_->now; }
  [[nodiscard]] std::int64_t peak_allocated_bytes() const override { return counter_->peak; }

 private:
  void start();
  [[nodiscard]] BuildTarget build_target() const;
  [[nodiscard]] cl_mem scratch(std::size_t bytes);
  static void set_arguments(LoadedKernel& kernel, const LaunchArgs& args);
  void choose_parts(LoadedKernel& kernel, const LaunchArgs& args) const;
  void note_command();

  DeviceSlot slot_;
  DeviceProfile profile_;
  Context context_;
  Queue queue_;
  int commands_ = 0;  // enqueued since the last milestone
  Event milestone_;
  std::unique_ptr<LaunchTimes> times_;  ///< null: nobody asks
  bool is_lent_ = false;                ///< the queue is the host's
  std::shared_ptr<MemoryCounter> counter_ = std::make_shared<MemoryCounter>();
  DeviceBufferPtr scratch_;
  std::unique_ptr<Blas> blas_;
};

}  // namespace partita::opencl
