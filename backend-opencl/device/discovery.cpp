// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/discovery.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "backend-opencl/device/check.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/log.hpp"

namespace partita::opencl {
namespace {

constexpr cl_int no_platform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

std::string hexadecimal(cl_uint value) {
  char digits[8];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, 16);
  return {digits, end};
}

template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  T value{};
  check(clGetDeviceInfo(device, what, sizeof value, &value, nullptr),
        cat("clGetDeviceInfo(0x", hexadecimal(what), ")"));
  return value;
}

// The text without the terminating zero that OpenCL counts.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string device_text(cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  PARTITA_CL(clGetDeviceInfo(device, what, 0, nullptr, &size));
  std::string text(size, '\0');
  PARTITA_CL(clGetDeviceInfo(device, what, size, text.data(), nullptr));
  return trimmed(std::move(text));
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  PARTITA_CL(clGetPlatformInfo(platform, what, 0, nullptr, &size));
  std::string text(size, '\0');
  PARTITA_CL(clGetPlatformInfo(platform, what, size, text.data(), nullptr));
  return trimmed(std::move(text));
}

// Extensions are words separated by spaces; a name may be the beginning of another.
bool has_extension(const std::string& extensions, std::string_view name) {
  return cat(' ', extensions, ' ').find(cat(' ', name, ' ')) != std::string::npos;
}

bool is_cpu(cl_device_id device) {
  return (device_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
}

std::vector<cl_platform_id> find_platforms() {
  cl_uint count = 0;
  const cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == no_platform || count == 0) return {};
  check(code, "clGetPlatformIDs");
  std::vector<cl_platform_id> platforms(count);
  PARTITA_CL(clGetPlatformIDs(count, platforms.data(), nullptr));
  return platforms;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || count == 0) return {};
  check(code, "clGetDeviceIDs");
  std::vector<cl_device_id> devices(count);
  PARTITA_CL(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr));
  return devices;
}

std::string full_name(const DeviceSlot& slot) {
  return cat(platform_text(slot.platform, CL_PLATFORM_NAME), ": ",
             device_text(slot.device, CL_DEVICE_NAME));
}

// The devices that shards may use, by the rule of assign_devices().
std::vector<DeviceSlot> choose_devices() {
  std::vector<DeviceSlot> all = find_devices();
  if (all.empty()) throw_no_device();
  if (const auto wanted = environment(device_variable)) {
    std::string found;
    for (const DeviceSlot& slot : all) found += cat(found.empty() ? "" : "; ", full_name(slot));
    std::erase_if(all, [&](const DeviceSlot& slot) {
      return full_name(slot).find(*wanted) == std::string::npos;
    });
    if (all.empty())
      throw_device_error(
          cat("no OpenCL device matches ", device_variable, "='", *wanted, "', found: ", found));
    return all;
  }
  if (is_cpu(all.front().device)) {
    all.resize(1);  // CPU platforms side by side all mean the same cores
    return all;
  }
  std::erase_if(all, [](const DeviceSlot& slot) { return is_cpu(slot.device); });
  return all;
}

// Cores [begin of shard, end of shard) as sub-device `shard` of `shards`, or nothing where the
// device cannot be split that way.
DeviceHandle split_by_core(cl_device_id device, int cores, int shard, int shards) {
  std::vector<cl_device_partition_property> properties{CL_DEVICE_PARTITION_BY_COUNTS};
  for (int s = 0; s < shards; ++s) {
    const BlockRange block = block_of(cores, s, shards);
    properties.push_back(block.end - block.begin);
  }
  properties.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  properties.push_back(0);
  std::vector<cl_device_id> parts(shards, nullptr);
  const cl_int code =
      clCreateSubDevices(device, properties.data(), cl_uint(shards), parts.data(), nullptr);
  if (code != CL_SUCCESS) {
    log(LogLevel::info, cat("clCreateSubDevices for ", shards, " parts failed with ",
                            describe_code(code), "; the shards share the device"));
    return {};
  }
  std::vector<DeviceHandle> owners;
  for (cl_device_id part : parts) owners.emplace_back(part);
  return std::move(owners[std::size_t(shard)]);
}

}  // namespace

void throw_no_device() {
  throw_device_error(
      "no OpenCL device found; install a driver, for example the package pocl-opencl-icd "
      "(OpenCL on the CPU), and see `clinfo`");
}

std::vector<DeviceSlot> find_devices() {
  std::vector<DeviceSlot> slots;
  for (cl_platform_id platform : find_platforms())
    for (cl_device_id device : devices_of(platform))
      slots.push_back({.platform = platform, .device = device, .owner = {}});
  std::ranges::stable_partition(slots, [](const DeviceSlot& s) { return !is_cpu(s.device); });
  return slots;
}

bool rounds_divide_sqrt(cl_device_id device) {
  const auto config = device_value<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG);
  return (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
}

static DeviceClass class_of(bool is_cpu) {
  const auto wanted = environment(class_variable);
  if (!wanted) return is_cpu ? DeviceClass::multicore : DeviceClass::simt;
  if (*wanted == "cpu") return DeviceClass::multicore;
  if (*wanted == "gpu") return DeviceClass::simt;
  throw_user_error(cat(class_variable, ": expected cpu or gpu, found '", *wanted, "'"));
}

static std::int64_t largest_buffer(cl_device_id device) {
  const auto allowed = std::int64_t(device_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  const auto wanted = environment(largest_variable);
  if (!wanted) return allowed;
  std::int64_t bytes = 0;
  const char* const end = wanted->data() + wanted->size();
  const auto [rest, error] = std::from_chars(wanted->data(), end, bytes);
  if (error != std::errc{} || rest != end || bytes < 1)
    throw_user_error(cat(largest_variable, ": expected a number of bytes, found '", *wanted, "'"));
  return std::min(allowed, bytes);
}

DeviceProfile query_profile(cl_platform_id platform, cl_device_id device) {
  const std::string extensions = device_text(device, CL_DEVICE_EXTENSIONS);
  DeviceProfile profile;
  profile.backend = "opencl";
  profile.name = device_text(device, CL_DEVICE_NAME);
  profile.vendor = device_text(device, CL_DEVICE_VENDOR);
  profile.driver = device_text(device, CL_DRIVER_VERSION);
  profile.platform = cat(platform_text(platform, CL_PLATFORM_NAME), ", ",
                         platform_text(platform, CL_PLATFORM_VERSION));
  profile.compute_units = int(device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS));
  profile.global_bytes = std::int64_t(device_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
  profile.max_allocation_bytes = largest_buffer(device);
  profile.local_bytes = std::int64_t(device_value<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE));
  profile.max_work_group =
      std::int64_t(device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  profile.has_fp64 = has_extension(extensions, "cl_khr_fp64");
  profile.has_fp16 = has_extension(extensions, "cl_khr_fp16");
  profile.has_subgroups = has_extension(extensions, "cl_khr_subgroups");
  profile.is_cpu = is_cpu(device);
  profile.device_class = class_of(profile.is_cpu);
  return profile;
}

std::vector<DeviceSlot> assign_devices(const DeviceRequest& request) {
  const int shards = request.local_ranks * request.devices_per_rank;
  const int first = request.local_rank * request.devices_per_rank;
  const std::vector<DeviceSlot> devices = choose_devices();
  const int cores = int(device_value<cl_uint>(devices.front().device, CL_DEVICE_MAX_COMPUTE_UNITS));
  const bool split =
      devices.size() == 1 && is_cpu(devices.front().device) && shards > 1 && cores >= shards;
  std::vector<DeviceSlot> slots;
  for (int shard = first; shard < first + request.devices_per_rank; ++shard) {
    const DeviceSlot& root =
        devices[std::size_t(shard / request.streams_per_device) % devices.size()];
    DeviceSlot slot{.platform = root.platform, .device = root.device, .owner = {}};
    if (split) slot.owner = split_by_core(root.device, cores, shard, shards);
    if (slot.owner) slot.device = slot.owner.get();
    slots.push_back(std::move(slot));
  }
  return slots;
}

int cores_to_split() try {
  const std::vector<DeviceSlot> devices = choose_devices();
  const cl_device_id device = devices.front().device;
  if (devices.size() != 1 || !is_cpu(device)) return 0;
  const auto cores = device_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  return device_value<cl_uint>(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) >= cores ? int(cores)
                                                                                     : 0;
} catch (const Error&) {
  return 0;  // opening says what is wrong
}

}  // namespace partita::opencl
