// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A client: the devices of this process and what is compiled for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "partita/exec/stream.hpp"
#include "plugin/abi.hpp"
#include "plugin/topology.hpp"

namespace partita::pjrt {

/// The memory of one device, of which it has one.
struct Memory {
  DeviceHandle* device = nullptr;
  std::string text;
};

struct DeviceHandle {
  Client* client = nullptr;
  DeviceDescription* description = nullptr;  ///< the topology's
  std::shared_ptr<Stream> stream;
  Memory memory;
  Memory* memories = nullptr;  ///< as an array of one
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
};

/// The only kind of memory here, by the name that JAX has for it.
constexpr std::string_view memory_kind = "device";

}  // namespace partita::pjrt
