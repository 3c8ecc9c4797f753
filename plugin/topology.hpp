// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What programs are compiled for: so many devices of a target, with the options that every compilation begins with.
// Those of a client are here; others need not be on this machine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/device/device.hpp"
#include "partita/driver/compile.hpp"
#include "plugin/abi.hpp"

namespace partita::pjrt {

struct DeviceDescription {
  int id = 0;
  int process = 0;
  std::string kind, text;
};

/// What a client or a topology was asked for.
struct ClientOptions {
  /// All options by name, as they were given, but which process of a job this is.
  std::map<std::string, std::string> given;
  std::string target;
  std::optional<int>
      count;  ///< of devices; nothing: as many as there are accelerators, a CPU is one
  int process = 0, processes = 1;  ///< of a job; each has as many devices
  driver::CompileOptions compile;

  /// From the options by name, then PARTITA_TARGET and PARTITA_NUM_DEVICES, then what this machine has; wrong ones are a
  /// user error.
  explicit ClientOptions(std::map<std::string, std::string> options);
  [[nodiscard]] int device_count() const;
};

/// The options of a call by name.
[[nodiscard]] std::map<std::string, std::string> options_by_name(
    std::span<const abi::NamedValue> options);

class Topology {
 public:
  /// Of a client, which describes its devices.
  explicit Topology(ClientOptions options) : options_(std::move(options)) {}
  /// Devices that need not be here: "", "TARGET", "N" or "TARGET:N", and options as those of a client, which go first.  Another
  /// name is a user error.
  Topology(std::string_view name, std::map<std::string, std::string> options);

  [[nodiscard]] const ClientOptions& options() const { return options_; }
  [[nodiscard]] const std::string& target() const { return options_.target; }
  /// Of the platform: what is compiled here differs where it does.
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::vector<DeviceDescription*>& descriptions() const {
    return descriptions_;
  }

  DeviceDescription* describe(const std::string& kind, int process = 0);
  void identify(const DeviceProfile& device);

  /// As bytes, and back; wrong bytes are a user error.
  [[nodiscard]] std::string serialize() const;
  [[nodiscard]] static std::unique_ptr<Topology> deserialize(std::string_view bytes);

 private:
  ClientOptions options_;
  std::string version_;
  std::vector<std::unique_ptr<DeviceDescription>> owned_;
  std::vector<DeviceDescription*> descriptions_;
};

/// The platform's name in JAX.
constexpr std::string_view platform_name = "partita";

}  // namespace partita::pjrt
