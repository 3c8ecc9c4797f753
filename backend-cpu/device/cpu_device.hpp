// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A device in host memory that runs compiled C functions on one or several cores.  Calls do their
// work before they return.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "backend-cpu/device/native_module.hpp"
#include "backend-cpu/device/worker_pool.hpp"
#include "partita/device/device.hpp"

namespace partita::cpu {

class CpuDevice final : public Device {
 public:
  /// On `cores` cores: the caller's thread and cores - 1 others.
  explicit CpuDevice(int cores);

  [[nodiscard]] const DeviceProfile& profile() const override { return profile_; }
  [[nodiscard]] DeviceBufferPtr allocate(std::size_t bytes) override;
  [[nodiscard]] DeviceBufferPtr borrow(std::span<const std::byte> host) override;
  [[nodiscard]] std::span<std::byte> host_bytes(DeviceBuffer& buffer) override;
  [[nodiscard]] DeviceProgramPtr load(const Artifact& artifact) override;
  void write(DeviceBuffer& to, std::size_t byte_offset, std::span<const std::byte> from) override;
  void read(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to) override;
  void copy(DeviceBuffer& from, std::size_t from_byte, DeviceBuffer& to, std::size_t to_byte,
            std::size_t bytes) override;
  void launch(DeviceProgram& program, const LaunchArgs& args) override;
  void gemm(const GemmArgs& args) override;
  void convolve(DeviceProgram& program, const ConvolveArgs& args) override;
  void flush() override {}
  void finish() override {}
  [[nodiscard]] Threads host_threads() override {
    return {pool_.parts(),
            [this](std::int64_t pieces, const std::function<void(std::int64_t)>& piece) {
              pool_.run(pieces, [&](int /*thread*/, std::int64_t k) { piece(k); });
            }};
  }
  [[nodiscard]] std::int64_t allocated_bytes() const override { return usage_->bytes; }
  [[nodiscard]] std::int64_t peak_allocated_bytes() const override { return usage_->peak; }

  /// Bytes held by this device's buffers; outlives the device with its last buffer.
  struct Usage {
    std::atomic<std::int64_t> bytes = 0, peak = 0;
  };

 private:
  using ItemRange = std::function<void(std::int64_t begin, std::int64_t end)>;
  /// What a kernel takes of a launch.
  struct Arguments {
    std::vector<void*> buffers;
    std::vector<std::int64_t> offsets, scalars;
    [[nodiscard]] KernelArguments view() const {
      return {buffers.data(), offsets.data(), scalars.data()};
    }
  };
  static void gather(const LaunchArgs& args, Arguments& to);
  void run_items(double& seconds_per_item, std::int64_t items, const ItemRange& run);

  DeviceProfile profile_;
  std::shared_ptr<Usage> usage_;
  WorkerPool pool_;
  Arguments arguments_;  // scratch of launch
};

}  // namespace partita::cpu
