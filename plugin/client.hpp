// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A client: the devices of this process and what is compiled for them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partita/driver/compile.hpp"
#include "partita/exec/stream.hpp"
#include "plugin/abi.hpp"

namespace partita::pjrt {

/// The memory of one device, of which it has one.
struct Memory {
  DeviceHandle* device = nullptr;
  std::string text;
};

/// A device, and its description.
struct DeviceHandle {
  Client* client = nullptr;
  int id = 0;
  std::shared_ptr<Stream> stream;
  Memory memory;
  Memory* memories = nullptr;  ///< as an array of one
  DeviceHandle* self = nullptr;
  std::string kind, text;
};

struct Client {
  std::string target;
  std::string version;
  driver::CompileOptions options;  ///< what every compilation begins with
  std::vector<std::unique_ptr<DeviceHandle>> owned;
  std::vector<DeviceHandle*> devices;
  std::vector<Memory*> memories;

  /// Devices of `target`, with options by name; wrong ones are a user error.
  explicit Client(const std::map<std::string, std::string>& options);
  [[nodiscard]] DeviceHandle* device(int id) const;
};

/// The platform's name in JAX.
constexpr std::string_view platform_name = "partita";
/// The only kind of memory here, by the name that JAX has for it.
constexpr std::string_view memory_kind = "device";

}  // namespace partita::pjrt
