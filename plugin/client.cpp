// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/client.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/base/log.hpp"
#include "plugin/error.hpp"
#include "plugin/functions.hpp"
#include "plugin/hand_out.hpp"
#include "plugin/store.hpp"

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
  call.client =
      new Client(ClientOptions(options_by_name({call.options, call.num_options})), store_of(call));
}

void destroy(abi::ClientDestroy& call) { delete call.client; }

void name(abi::ClientText& call) { set_text(call, platform_name); }

void version(abi::ClientText& call) { set_text(call, call.client->topology.version()); }

void process_index(abi::ClientProcessIndex& call) {
  call.process_index = call.client->topology.options().process;
}

void devices(abi::ClientDevices& call) {
  call.devices = call.client->devices.data();
  call.num_devices = call.client->devices.size();
}

void own_devices(abi::ClientDevices& call) {
  call.devices = call.client->own_devices.data();
  call.num_devices = call.client->own_devices.size();
}

void lookup(abi::ClientLookup& call) { call.device = call.client->device(call.id); }

void lookup_own(abi::ClientLookup& call) {
  const std::vector<DeviceHandle*>& own = call.client->own_devices;
  if (call.id < 0 || std::size_t(call.id) >= own.size())
    throw Failure(abi::invalid_argument,
                  cat("expected a device of this process below ", own.size(), ", found ", call.id));
  call.device = own[std::size_t(call.id)];
}

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

// Which processes there are and how they are: those of a job hear of each other's failures by themselves.
void update_processes(abi::ClientDestroy&) {}

void topology(abi::ClientTopology& call) { call.topology = &call.client->topology; }

/// Whether MPI connects the processes: its launcher may have started something else with them in it, or MPI not be there.
bool is_job_of_mpi(int processes) {
  if (!launched_by_mpi()) return false;
  try {
    return mpi_ranks() == processes;
  } catch (const partita::Error& error) {
    log(LogLevel::info, cat("jax.distributed: without MPI: ", error.what()));
    return false;
  }
}

/// Meets the other processes of the job, each with `count` devices.
std::shared_ptr<Job> join_job(const ClientOptions& options, int count, const SharedStore& store) {
  if (!is_job_of_mpi(options.processes)) {
    if (!store.put)
      throw_user_error(cat("expected processes of MPI or of jax.distributed, ", options.processes,
                           " of them, found neither"));
    return Job::over_tcp(count, options.process, options.processes, store);
  }
  std::shared_ptr<Job> job = Job::over_mpi(count);
  if (job->process() != options.process)
    throw_user_error(cat("jax.distributed: expected process ", job->process(),
                         ", as is this one's rank of MPI, found ", options.process));
  return job;
}

constexpr std::size_t most_of_kind = 256;

/// The names of the devices of all processes, of which this one has `own`.
std::vector<std::string> kinds_of_all(Job& job, const std::vector<std::string>& own) {
  std::vector<int> devices(std::size_t(job.devices()));
  std::iota(devices.begin(), devices.end(), 0);
  const std::vector<std::size_t> sizes(devices.size(), most_of_kind);
  std::vector<std::vector<std::byte>> blocks;
  for (const std::string& kind : own) {
    std::vector<std::byte>& block = blocks.emplace_back(most_of_kind, std::byte{0});
    std::memcpy(block.data(), kind.data(), std::min(kind.size(), most_of_kind - 1));
  }
  const std::vector<std::byte> all =
      gather_by_all(*job.communicators(devices), blocks, sizes, "devices of the job");
  std::vector<std::string> kinds;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    kinds.emplace_back(reinterpret_cast<const char*>(all.data() + d * most_of_kind));
  return kinds;
}

}  // namespace

Client::Client(ClientOptions options, const SharedStore& store) : topology(std::move(options)) {
  const int count = topology.options().device_count(), process = topology.options().process;
  std::vector<std::unique_ptr<Device>> here =
      open_devices({.backend = topology.target(), .devices_per_rank = count});
  std::vector<std::string> kinds;
  for (const std::unique_ptr<Device>& device : here) kinds.push_back(device->profile().name);
  if (topology.options().processes > 1) {
    job_ = join_job(topology.options(), count, store);
    kinds = kinds_of_all(*job_, kinds);
  }
  for (std::size_t d = 0; d < kinds.size(); ++d) {
    DeviceHandle& handle = *owned.emplace_back(std::make_unique<DeviceHandle>());
    handle.client = this;
    handle.number = int(d) % count;
    const int of = int(d) / count;
    if (of == process)
      handle.stream = std::make_shared<Stream>(std::move(here[std::size_t(handle.number)]));
    handle.description = topology.describe(kinds[d], of);
    for (std::size_t k = 0; k < memory_kinds.size(); ++k) {
      Memory& memory = handle.owned_memories[k];
      memory = {&handle, MemoryKind(k),
                cat(memory_kinds[k], " memory of ", platform_name, ":", handle.description->id)};
      handle.memories[k] = &memory;
      if (of == process) memories.push_back(&memory);
    }
    handle.self = &handle;
    devices.push_back(&handle);
    if (of == process) own_devices.push_back(&handle);
  }
  topology.identify(own_devices.front()->stream->profile());
}

std::shared_ptr<Communicators> Client::job_of(const std::vector<DeviceHandle*>& on) const {
  if (std::ranges::all_of(on, [](const DeviceHandle* device) { return device->stream != nullptr; }))
    return nullptr;
  std::vector<int> numbers;
  for (const DeviceHandle* const device : on) numbers.push_back(device->description->id);
  return job_->communicators(numbers);
}

void DeviceHandle::expect_here() const {
  if (!stream)
    throw Failure(abi::invalid_argument,
                  cat("expected a device of this process, ", client->topology.options().process,
                      ", found ", description->text, " of process ", description->process));
}

int Memory::id() const { return device->description->id * int(memory_kinds.size()) + int(kind); }

const std::shared_ptr<Stream>& Memory::stream() const {
  device->expect_here();
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
  table.Client_AddressableDevices = call<own_devices>;
  table.Client_LookupDevice = call<lookup>;
  table.Client_LookupAddressableDevice = call<lookup_own>;
  table.Client_AddressableMemories = call<memories>;
  table.Client_UpdateGlobalProcessInfo = call<update_processes>;
  table.Client_DefaultDeviceAssignment = call<default_assignment>;
}

}  // namespace partita::pjrt
