// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a device does where it has no second stream (copies are done when the call returns), and what its users share.
#include "partita/device/device.hpp"

#include <vector>

#include "partita/base/error.hpp"

namespace partita {
namespace {

class PageableMemory final : public HostMemory {
 public:
  explicit PageableMemory(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::span<std::byte> bytes() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

DeviceBufferPtr HeldConstants::find(const Constant& constant) const {
  const auto found = held_.find(constant);
  return found == held_.end() ? nullptr : found->second.lock();
}

void HeldConstants::add(const Constant& constant, const DeviceBufferPtr& memory) {
  std::erase_if(held_, [](const auto& held) { return held.second.expired(); });
  held_[constant] = memory;
}

DeviceEventPtr Device::start_read(DeviceBuffer& from, std::size_t byte_offset,
                                  std::span<std::byte> to) {
  read(from, byte_offset, to);
  return {};
}

DeviceEventPtr Device::start_write(DeviceBuffer& to, std::size_t byte_offset,
                                   std::span<const std::byte> from) {
  write(to, byte_offset, from);
  return {};
}

HostMemoryPtr Device::host_memory(std::size_t bytes) {
  return std::make_unique<PageableMemory>(bytes);
}

void Device::convolve(DeviceProgram& /*program*/, const ConvolveArgs& /*args*/) {
  throw_device_error(cat("the device ", profile().name, " has no library of convolutions"));
}

KernelBinary Device::prebuild(const Artifact& /*artifact*/, int /*number*/) {
  throw_internal_error(cat("the device ", profile().name, " builds no kernels ahead of a run"));
}

Threads Device::host_threads() {
  return new_threads(profile().is_cpu ? profile().compute_units : 1);
}

void Device::wait_for(const DeviceEventPtr& event) {
  if (event) event->wait();
}

}  // namespace partita
