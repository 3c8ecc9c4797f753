// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/client.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "partita/base/error.hpp"
#include "plugin/error.hpp"
#include "plugin/functions.hpp"
#include "plugin/hand_out.hpp"

namespace partita::pjrt {

namespace {

/// The versions of StableHLO that programs may have; JAX writes them in the newest of these that it knows.
constexpr std::array<std::int64_t, 3> newest_stablehlo{1, 20, 0}, oldest_stablehlo{0, 9, 0};

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

void create(abi::ClientCreate& call) {
  call.client = new Client(ClientOptions(options_by_name({call.options, call.num_options})));
}

void destroy(abi::ClientDestroy& call) { delete call.client; }

void name(abi::ClientText& call) { set_text(call, platform_name); }

void version(abi::ClientText& call) { set_text(call, call.client->topology.version()); }

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

void topology(abi::ClientTopology& call) { call.topology = &call.client->topology; }

}  // namespace

Client::Client(ClientOptions options) : topology(std::move(options)) {
  for (std::unique_ptr<Device>& device : open_devices(
           {.backend = topology.target(), .devices_per_rank = topology.options().device_count()})) {
    DeviceHandle& handle = *owned.emplace_back(std::make_unique<DeviceHandle>());
    handle.client = this;
    handle.stream = std::make_shared<Stream>(std::move(device));
    handle.description = topology.describe(handle.stream->profile().name);
    for (std::size_t k = 0; k < memory_kinds.size(); ++k) {
      Memory& memory = handle.owned_memories[k];
      memory = {&handle, MemoryKind(k),
                cat(memory_kinds[k], " memory of ", platform_name, ":", handle.description->id)};
      handle.memories[k] = &memory;
      memories.push_back(&memory);
    }
    handle.self = &handle;
    devices.push_back(&handle);
  }
  topology.identify(devices.front()->stream->profile());
}

int Memory::id() const { return device->description->id * int(memory_kinds.size()) + int(kind); }

const std::shared_ptr<Stream>& Memory::stream() const {
  return kind == MemoryKind::device || device->client->topology.target() == "cpu"
             ? device->stream
             : device->client->host_stream();
}

const std::shared_ptr<Stream>& Client::host_stream() {
  std::call_once(host_is_open_, [this] {
    host_ = std::make_shared<Stream>(std::move(open_devices({.backend = "cpu"}).front()));
  });
  return host_;
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
  table.Client_TopologyDescription = call<topology>;
  table.Client_Devices = call<devices>;
  table.Client_AddressableDevices = call<devices>;
  table.Client_LookupDevice = call<lookup>;
  table.Client_LookupAddressableDevice = call<lookup>;
  table.Client_AddressableMemories = call<memories>;
  table.Client_DefaultDeviceAssignment = call<default_assignment>;
}

}  // namespace partita::pjrt
