// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A client: the devices of this process and what is compiled for them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "partita/exec/stream.hpp"
#include "plugin/abi.hpp"
#include "plugin/memory_kind.hpp"
#include "plugin/topology.hpp"

namespace partita::pjrt {

/// Of one device.
struct Memory {
  DeviceHandle* device = nullptr;
  MemoryKind kind = MemoryKind::device;
  std::string text;

  [[nodiscard]] int id() const;
  /// What works on arrays that lie here.
  [[nodiscard]] const std::shared_ptr<Stream>& stream() const;
};

struct DeviceHandle {
  Client* client = nullptr;
  DeviceDescription* description = nullptr;  ///< the topology's
  std::shared_ptr<Stream> stream;
  std::array<Memory, memory_kinds.size()> owned_memories;
  std::array<Memory*, memory_kinds.size()> memories{};  ///< by kind

  [[nodiscard]] Memory* memory(MemoryKind memory_kind = MemoryKind::device) const {
    return memories[std::size_t(memory_kind)];
  }
  DeviceHandle* self = nullptr;
};

struct Client {
  Topology topology;
  std::vector<std::unique_ptr<DeviceHandle>> owned;
  std::vector<DeviceHandle*> devices;
  std::vector<Memory*> memories;

  /// Devices of this machine.
  explicit Client(ClientOptions options);
  [[nodiscard]] DeviceHandle* device(int id) const;
  /// Of the host's memory, where devices have memory of their own.
  [[nodiscard]] const std::shared_ptr<Stream>& host_stream();

 private:
  std::once_flag host_is_open_;
  std::shared_ptr<Stream> host_;
};

}  // namespace partita::pjrt
