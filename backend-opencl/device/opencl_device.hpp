// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The Device of OpenCL: one context and one in-order queue on a device or sub-device, and where it has
// memory of its own a second queue for copies.
#pragma once

#include <memory>
#include <string>

#include "backend-opencl/device/blas.hpp"
#include "backend-opencl/device/copy_stream.hpp"
#include "backend-opencl/device/discovery.hpp"
#include "backend-opencl/device/handles.hpp"
#include "backend-opencl/device/launch_times.hpp"
#include "backend-opencl/device/opencl_buffer.hpp"
#include "backend-opencl/device/program.hpp"
#include "backend-opencl/device/work_groups.hpp"
#include "partita/device/device.hpp"

namespace partita::opencl {

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
  [[nodiscard]] int binaries_of(const Artifact& artifact) override;
  [[nodiscard]] KernelBinary prebuild(const Artifact& artifact, int number) override;
  void write(DeviceBuffer& to, std::size_t byte_offset, std::span<const std::byte> from) override;
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override;
  [[nodiscard]] DeviceEventPtr start_read(DeviceBuffer& from, std::size_t byte_offset,
                                          std::span<std::byte> to) override;
  [[nodiscard]] DeviceEventPtr start_write(DeviceBuffer& to, std::size_t byte_offset,
                                           std::span<const std::byte> from) override;
  [[nodiscard]] HostMemoryPtr host_memory(std::size_t bytes) override;
  [[nodiscard]] CopyStream* copies() override { return copies_.get(); }
  [[nodiscard]] DeviceEventPtr mark() override;
  void wait_for(const DeviceEventPtr& event) override;
  [[nodiscard]] int iterations_ahead() const override;
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
  [[nodiscard]] DeviceEventPtr flushed(cl_event event);

  DeviceSlot slot_;
  DeviceProfile profile_;
  Context context_;
  Queue queue_;
  int commands_ = 0;  // enqueued since the last milestone
  Event milestone_;
  std::unique_ptr<LaunchTimes> times_;  ///< null: nobody asks
  bool is_lent_ = false;                ///< the queue is the host's
  std::shared_ptr<MemoryCounter> counter_ = std::make_shared<MemoryCounter>();
  std::shared_ptr<MemoryPool> pool_;  ///< null: the memory is the host's, and made at once
  DeviceBufferPtr scratch_;
  std::unique_ptr<Blas> blas_;
  std::unique_ptr<OpenclCopyStream> copies_;  ///< null: the memory is the host's
};

}  // namespace partita::opencl
