// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A shard's inputs and outputs on their way between host and device.  Where the device has a stream of
// copies they run beside its work: work waits for an upload when it first uses the memory, a download for
// the work that made it.  Elsewhere copies are done in the stream of work.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "partita/device/device.hpp"

namespace partita {

class Transfers {
 public:
  explicit Transfers(Device& device) : device_(device), copies_(device.copies()) {}

  /// Whether copies run beside the work.
  [[nodiscard]] bool overlap() const { return copies_ != nullptr; }
  /// After the work that was enqueued until now, which may use the memory; `from` may be reused at once.
  void upload(const DeviceBufferPtr& to, std::size_t byte_offset, std::span<const std::byte> from);
  /// Work that is enqueued from now on may use the memory.
  void settle(const DeviceBuffer& memory) {
    if (!uploads_.empty()) settle_uploads(memory);
  }
  /// Waits for the bytes, which the work before `made` has made.
  void download(DeviceBuffer& from, std::size_t byte_offset, std::span<std::byte> to,
                const DeviceEventPtr& made);

 private:
  struct Upload {
    DeviceBufferPtr to;  // an owner, so that no other buffer has its address
    DeviceEventPtr done;
  };
  void settle_uploads(const DeviceBuffer& memory);

  Device& device_;
  CopyStream* copies_;
  std::vector<Upload> uploads_;  // that no work has waited for
};

}  // namespace partita
