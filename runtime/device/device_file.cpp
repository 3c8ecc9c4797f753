// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/device/device_file.hpp"

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "runtime/artifact/json_archive.hpp"

namespace partita {
namespace {

constexpr std::string_view format_name = "partita device";
constexpr int format_version = 1;

}  // namespace

/// What a file holds.
struct DeviceFile {
  std::string format{format_name};
  int version = format_version;
  DeviceProfile device;
};

template <class A, class T>
using Ref = typename A::template Ref<T>;

template <class A>
static void fields(A& a, Ref<A, DeviceProfile> x) {
  a("backend", x.backend);
  a("name", x.name);
  a("vendor", x.vendor);
  a("driver", x.driver);
  a("platform", x.platform);
  a("compute_units", x.compute_units);
  a("global_bytes", x.global_bytes);
  a("max_allocation_bytes", x.max_allocation_bytes);
  a("local_bytes", x.local_bytes);
  a("max_work_group", x.max_work_group);
  a("fp64", x.has_fp64);
  a("fp16", x.has_fp16);
  a("subgroups", x.has_subgroups);
  a("is_cpu", x.is_cpu);
}

template <class A>
static void fields(A& a, Ref<A, DeviceFile> x) {
  a("format", x.format);
  a("version", x.version);
  a("device", x.device);
}

std::string device_to_json(const DeviceProfile& profile) {
  DeviceFile file;
  file.device = profile;
  return json::pretty(json::Writer::value_of(file));
}

DeviceProfile device_from_json(std::string_view text, const std::string& name_for_errors) {
  const boost::json::value value = json::parse(text, name_for_errors);
  const json::Path root{.name = name_for_errors};
  const auto fail = [&](const std::string& message) {
    throw_user_error(message, {.file = name_for_errors});
  };
  if (!value.is_object() || value.get_object().if_contains("format") == nullptr)
    fail("expected a device file of partita devices, found another JSON document");
  DeviceFile file;
  json::Reader reader(value, root);
  reader("format", file.format);
  if (file.format != format_name)
    fail(cat("expected a device file of partita devices, found format '", file.format, "'"));
  reader("version", file.version);  // first: what follows may be another version's
  if (file.version != format_version)
    fail(cat("expected version ", format_version, " of device files, found version ", file.version,
             file.version > format_version ? " (a newer partita wrote it)" : ""));
  fields(reader, file);
  const DeviceProfile& d = file.device;
  if (d.name.empty()) fail("device.name: expected a name, found none");
  if (d.compute_units < 1)
    fail(cat("device.compute_units: expected at least 1, found ", d.compute_units));
  for (const std::int64_t size :
       {d.global_bytes, d.max_allocation_bytes, d.local_bytes, d.max_work_group})
    if (size < 0) fail(cat("device: expected sizes of at least 0, found ", size));
  return std::move(file.device);
}

DeviceProfile load_device(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return device_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                          path.string());
}

}  // namespace partita
