// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/client.hpp"

#include <algorithm>
#include <array>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/driver/options.hpp"
#include "partita_generated/backends.hpp"
#include "plugin/compiler_identity.hpp"
#include "plugin/error.hpp"
#include "plugin/functions.hpp"

namespace partita::pjrt {

namespace {

/// The versions of StableHLO that programs may have; JAX writes them in the newest of these that it knows.
constexpr std::array<std::int64_t, 3> newest_stablehlo{1, 9, 0}, oldest_stablehlo{0, 9, 0};

/// Executions that a compilation reckons with: what is jitted runs more than once, most of what runs eagerly is small.
constexpr std::int64_t expected_runs = 1000;

constexpr std::int64_t most_devices = 1024;

const abi::NamedValue& attribute_of(const char* name, std::size_t size,
                                    const std::array<std::int64_t, 3>& version,
                                    abi::NamedValue& value) {
  value = {
      {sizeof(abi::NamedValue), nullptr}, name, size, abi::int64_list_value, {}, version.size()};
  value.int64_list = version.data();
  return value;
}

void initialize(abi::PluginInitialize&) {}

void attributes(abi::PluginAttributes& call) {
  static const std::array<abi::NamedValue, 2> all = [] {
    constexpr std::string_view newest = "stablehlo_current_version",
                               oldest = "stablehlo_minimum_version";
    std::array<abi::NamedValue, 2> values{};
    attribute_of(newest.data(), newest.size(), newest_stablehlo, values[0]);
    attribute_of(oldest.data(), oldest.size(), oldest_stablehlo, values[1]);
    return values;
  }();
  call.attributes = all.data();
  call.num_attributes = all.size();
}

std::string text_of(const abi::NamedValue& value) {
  switch (value.kind) {
    case abi::text_value:
      return {value.text, value.value_size};
    case abi::int64_value:
      return cat(value.int64);
    case abi::float_value:
      return cat(value.float32);
    case abi::bool_value:
      return value.boolean ? "true" : "false";
    case abi::int64_list_value:
      break;
  }
  throw_user_error(cat("option ", std::string_view(value.name, value.name_size),
                       ": expected a text or a number, found a list"));
}

void create(abi::ClientCreate& call) {
  std::map<std::string, std::string> options;
  for (std::size_t k = 0; k < call.num_options; ++k)
    options[std::string(call.options[k].name, call.options[k].name_size)] =
        text_of(call.options[k]);
  call.client = new Client(options);
}

void destroy(abi::ClientDestroy& call) { delete call.client; }

void name(abi::ClientText& call) {
  call.text = platform_name.data();
  call.text_size = platform_name.size();
}

void version(abi::ClientText& call) {
  call.text = call.client->version.data();
  call.text_size = call.client->version.size();
}

void process_index(abi::ClientProcessIndex& call) { call.process_index = 0; }

void devices(abi::ClientDevices& call) {
  call.devices = call.client->devices.data();
  call.num_devices = call.client->devices.size();
}

void lookup(abi::ClientLookup& call) { call.device = call.client->device(call.id); }

void memories(abi::ClientMemories& call) {
  call.memories = call.client->memories.data();
  call.num_memories = call.client->memories.size();
}

void default_assignment(abi::ClientDefaultAssignment& call) {
  const int wanted = call.num_replicas * call.num_partitions;
  if (wanted > int(call.client->devices.size()) || std::size_t(wanted) > call.assignment_size)
    throw Failure(abi::invalid_argument, cat("expected at most ", call.client->devices.size(),
                                             " devices, found ", wanted));
  for (int k = 0; k < wanted; ++k) call.assignment[k] = k;
}

/// Where nobody says: of accelerators where there are some, else of the device that is listed last, the host itself.
std::string default_target_here() {
  const std::vector<DeviceProfile> profiles = list_devices();
  for (const DeviceProfile& profile : profiles)
    if (!profile.is_cpu) return profile.backend;
  return profiles.empty() ? std::string(default_target) : profiles.back().backend;
}

/// As many as there are accelerators; a CPU is one.
int default_count(const std::string& target) {
  int count = 0;
  for (const DeviceProfile& profile : list_devices())
    if (profile.backend == target && !profile.is_cpu) ++count;
  return std::max(count, 1);
}

}  // namespace

Client::Client(const std::map<std::string, std::string>& given) {
  std::string devices_wanted = environment("PARTITA_NUM_DEVICES").value_or("");
  target = environment("PARTITA_TARGET").value_or("");
  options.runs = expected_runs;
  for (const auto& [key, value] : given) {
    if (key == "target")
      target = value;
    else if (key == "num_devices")
      devices_wanted = value;
    else
      continue;
  }
  if (target.empty()) target = default_target_here();
  options.target = target;
  for (const auto& [key, value] : given)
    if (key != "target" && key != "num_devices") driver::set_option(options, key, value);
  const int count = devices_wanted.empty()
                        ? default_count(target)
                        : int(parse_number(devices_wanted, "PARTITA_NUM_DEVICES", most_devices));
  for (std::unique_ptr<Device>& device :
       open_devices({.backend = target, .devices_per_rank = count})) {
    DeviceHandle& handle = *owned.emplace_back(std::make_unique<DeviceHandle>());
    handle.client = this;
    handle.id = int(owned.size()) - 1;
    handle.stream = std::make_shared<Stream>(std::move(device));
    handle.kind = handle.stream->profile().name;
    handle.text = cat(platform_name, ":", handle.id, " (", target, ", ", handle.kind, ")");
    handle.memory = {&handle, cat("memory of ", platform_name, ":", handle.id)};
    handle.memories = &handle.memory;
    handle.self = &handle;
    devices.push_back(&handle);
    memories.push_back(&handle.memory);
  }
  version = cat("partita ", PARTITA_VERSION, " on ", target, ", ",
                compiler_identity(given, devices.front()->stream->profile()));
}

DeviceHandle* Client::device(int id) const {
  if (id < 0 || std::size_t(id) >= devices.size())
    throw Failure(abi::invalid_argument,
                  cat("expected a device below ", devices.size(), ", found ", id));
  return devices[std::size_t(id)];
}

void add_client_functions(abi::Table& table) {
  table.Plugin_Initialize = call<initialize>;
  table.Plugin_Attributes = call<attributes>;
  table.Client_Create = call<create>;
  table.Client_Destroy = call<destroy>;
  table.Client_PlatformName = call<name>;
  table.Client_PlatformVersion = call<version>;
  table.Client_ProcessIndex = call<process_index>;
  table.Client_Devices = call<devices>;
  table.Client_AddressableDevices = call<devices>;
  table.Client_LookupDevice = call<lookup>;
  table.Client_LookupAddressableDevice = call<lookup>;
  table.Client_AddressableMemories = call<memories>;
  table.Client_DefaultDeviceAssignment = call<default_assignment>;
}

}  // namespace partita::pjrt
