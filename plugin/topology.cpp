// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "plugin/topology.hpp"

#include <algorithm>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/base/parse.hpp"
#include "partita/driver/options.hpp"
#include "partita_generated/backends.hpp"
#include "plugin/compiler_identity.hpp"
#include "plugin/error.hpp"
#include "plugin/functions.hpp"
#include "plugin/hand_out.hpp"
#include "plugin/protobuf.hpp"

namespace partita::pjrt {

namespace {

/// Executions that a compilation reckons with: what is jitted runs more than once, most of what runs eagerly is small.
constexpr std::int64_t expected_runs = 1000;

constexpr std::int64_t most_devices = 1024;

constexpr const char* target_option = "target";
constexpr const char* count_option = "num_devices";

// What jax.distributed says of a job.
constexpr const char* process_option = "node_id";
constexpr const char* processes_option = "num_nodes";
/// Of processes that have a network of their own: passed over.
constexpr const char* slice_option = "partition_index";
constexpr std::int64_t most_processes = std::int64_t(1) << 20;

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

/// Where nobody says: of accelerators where there are some, else of the device that is listed last, the host itself.
std::string default_target_here() {
  const std::vector<DeviceProfile> profiles = list_devices();
  for (const DeviceProfile& profile : profiles)
    if (!profile.is_cpu) return profile.backend;
  return profiles.empty() ? std::string(default_target) : profiles.back().backend;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// What the name of a topology says, where the options do not.
std::map<std::string, std::string> with_name(std::string_view name,
                                             std::map<std::string, std::string> options) {
  const std::size_t colon = name.find(':');
  const std::string_view front = name.substr(0, colon),
                         count = colon != name.npos ? name.substr(colon + 1)
                                 : is_number(front) ? front
                                                    : std::string_view();
  const std::string_view target = colon == name.npos && is_number(front) ? "" : front;
  const std::vector<std::string> targets = driver::built_targets();
  if ((colon != name.npos && !is_number(count)) ||
      (!target.empty() && std::ranges::find(targets, target) == targets.end()))
    throw_user_error(cat("topology: expected N, TARGET or TARGET:N of the targets ",
                         expected_names(target, targets), ", found '", name.substr(0, 100), "'"));
  if (!target.empty()) options.emplace(target_option, target);
  if (!count.empty()) options.emplace(count_option, count);
  return options;
}

}  // namespace

std::map<std::string, std::string> options_by_name(std::span<const abi::NamedValue> options) {
  std::map<std::string, std::string> all;
  for (const abi::NamedValue& option : options)
    all[std::string(option.name, option.name_size)] = text_of(option);
  return all;
}

ClientOptions::ClientOptions(std::map<std::string, std::string> options)
    : given(std::move(options)) {
  const auto said = [&](const char* name, const char* variable) {
    const auto found = given.find(name);
    return found != given.end() ? found->second : environment(variable).value_or("");
  };
  target = said(target_option, "PARTITA_TARGET");
  if (target.empty()) target = default_target_here();
  if (const std::string wanted = said(count_option, "PARTITA_NUM_DEVICES"); !wanted.empty())
    count = int(parse_number(wanted, "number of devices", most_devices));
  if (count == 0) throw_user_error("number of devices: expected at least 1, found 0");
  const auto taken = [&](const char* name, int usual) {
    const auto found = given.find(name);
    if (found == given.end()) return usual;
    const std::string text = std::move(found->second);
    given.erase(found);
    return int(parse_number(text, name, most_processes));
  };
  process = taken(process_option, 0);
  processes = taken(processes_option, 1);
  static_cast<void>(taken(slice_option, 0));
  if (process >= processes)
    throw_user_error(cat(process_option, ": expected less than ", processes_option, ", ", processes,
                         ", found ", process));
  compile.runs = expected_runs;
  compile.target = target;
  for (const auto& [name, value] : given)
    if (name != target_option && name != count_option) driver::set_option(compile, name, value);
}

int ClientOptions::device_count() const {
  if (count) return *count;
  if (target == "cpu") return 1;  // nobody asks OpenCL's drivers
  int accelerators = 0;
  for (const DeviceProfile& profile : list_devices())
    if (profile.backend == target && !profile.is_cpu) ++accelerators;
  return std::max(accelerators, 1);
}

Topology::Topology(std::string_view name, std::map<std::string, std::string> options)
    : Topology(ClientOptions(with_name(name, std::move(options)))) {
  options_.count = options_.device_count();
  for (int k = 0; k < *options_.count; ++k) describe(options_.compile.device);
  DeviceProfile profile;
  profile.backend = target();
  profile.name = options_.compile.device;
  identify(profile);
}

DeviceDescription* Topology::describe(const std::string& kind, int process) {
  DeviceDescription& device = *owned_.emplace_back(std::make_unique<DeviceDescription>());
  device.id = int(descriptions_.size());
  device.process = process;
  device.kind = kind;
  device.text = cat(platform_name, ":", device.id, " (", target(), ", ", kind, ")");
  return descriptions_.emplace_back(&device);
}

void Topology::identify(const DeviceProfile& device) {
  version_ = cat("partita ", PARTITA_VERSION, " on ", target(), ", ",
                 compiler_identity(options_.given, device));
}

// --- As bytes ---------------------------------------------------------------------------------------------

namespace {

// Fields of our own message, of which options have a name and a value each; the numbers stay.
constexpr int target_field = 1, count_field = 2, name_field = 3, value_field = 4;

}  // namespace

std::string Topology::serialize() const {
  MessageWriter message;
  message.bytes(target_field, target()).number(count_field, std::int64_t(descriptions_.size()));
  for (const auto& [name, value] : options_.given)
    message.bytes(name_field, name).bytes(value_field, value);
  return message.text();
}

std::unique_ptr<Topology> Topology::deserialize(std::string_view bytes) {
  std::map<std::string, std::string> options;
  std::string name;
  for (const WireField& field : read_message(bytes)) {
    const std::string text(field.bytes.value_or(""));
    if (field.number == target_field) options[target_option] = text;
    if (field.number == count_field) options[count_option] = cat(field.value);
    if (field.number == name_field) name = text;
    if (field.number == value_field) options.emplace(name, text);
  }
  return std::make_unique<Topology>("", std::move(options));
}

// --- Functions --------------------------------------------------------------------------------------------

namespace {

void create(abi::TopologyCreate& call) {
  call.topology =
      new Topology({call.name, call.name_size}, options_by_name({call.options, call.num_options}));
}

void deserialize_topology(abi::TopologyDeserialize& call) {
  call.topology = Topology::deserialize({call.bytes, call.bytes_size}).release();
}

void destroy(abi::TopologyDestroy& call) { delete call.topology; }

void name(abi::TopologyText& call) { set_text(call, platform_name); }

void version(abi::TopologyText& call) { set_text(call, call.topology->version()); }

void descriptions(abi::TopologyDevices& call) {
  call.devices = call.topology->descriptions().data();
  call.num_devices = call.topology->descriptions().size();
}

void attributes(abi::TopologyAttributes& call) {
  call.attributes = nullptr;
  call.num_attributes = 0;
}

void serialize_topology(abi::Serialized<const Topology>& call) {
  hand_out(call, call.executable->serialize());
}

}  // namespace

void add_topology_functions(abi::Table& table) {
  table.TopologyDescription_Create = call<create>;
  table.TopologyDescription_Deserialize = call<deserialize_topology>;
  table.TopologyDescription_Destroy = call<destroy>;
  table.TopologyDescription_PlatformName = call<name>;
  table.TopologyDescription_PlatformVersion = call<version>;
  table.TopologyDescription_GetDeviceDescriptions = call<descriptions>;
  table.TopologyDescription_Serialize = call<serialize_topology>;
  table.TopologyDescription_Attributes = call<attributes>;
}

}  // namespace partita::pjrt
