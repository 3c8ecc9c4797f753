// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/device/device_file.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "partita/artifact/target_facts.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "runtime/artifact/json_archive.hpp"

namespace partita {
namespace {

constexpr std::string_view format_name = "partita device";
constexpr int format_version = 1;
constexpr std::string_view facts_name = "target";

}  // namespace

/// The members before what is stated.
struct DeviceFileHead {
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
static void fields(A& a, Ref<A, DeviceFileHead> x) {
  a("format", x.format);
  a("version", x.version);
  a("device", x.device);
}

std::string device_to_json(const DeviceFile& file) {
  boost::json::value whole = json::Writer::value_of(DeviceFileHead{.device = file.device});
  if (!file.facts.empty())
    whole.get_object().emplace(facts_name, json::parse(file.facts, std::string(facts_name)));
  return json::pretty(whole);
}

namespace {

void check(const DeviceProfile& d, const std::string& name_for_errors) {
  const auto fail = [&](const std::string& message) {
    throw_user_error(message, {.file = name_for_errors});
  };
  if (d.name.empty()) fail("device.name: expected a name, found none");
  if (d.compute_units < 1)
    fail(cat("device.compute_units: expected at least 1, found ", d.compute_units));
  for (const std::int64_t size :
       {d.global_bytes, d.max_allocation_bytes, d.local_bytes, d.max_work_group})
    if (size < 0) fail(cat("device: expected sizes of at least 0, found ", size));
}

}  // namespace

DeviceFile device_from_json(std::string_view text, const std::string& name_for_errors) {
  const boost::json::value value = json::parse(text, name_for_errors);
  const json::Path root{.name = name_for_errors};
  const auto fail = [&](const std::string& message) {
    throw_user_error(message, {.file = name_for_errors});
  };
  if (!value.is_object() || value.get_object().if_contains("format") == nullptr)
    fail("expected a device file of partita devices, found another JSON document");
  DeviceFileHead head;
  json::Reader reader(value, root);
  reader("format", head.format);
  if (head.format != format_name)
    fail(cat("expected a device file of partita devices, found format '", head.format, "'"));
  reader("version", head.version);  // first: what follows may be another version's
  if (head.version != format_version)
    fail(cat("expected version ", format_version, " of device files, found version ", head.version,
             head.version > format_version ? " (a newer partita wrote it)" : ""));
  fields(reader, head);
  boost::json::value known = json::Writer::value_of(head);
  known.get_object().emplace(facts_name, nullptr);
  json::expect_known_members(value, known.get_object(), root);
  check(head.device, name_for_errors);
  const boost::json::value* stated = value.get_object().if_contains(facts_name);
  DeviceFile file{.device = std::move(head.device),
                  .facts = stated == nullptr ? "" : boost::json::serialize(*stated)};
  TargetInfo checked;  // by what it is filled with
  describe(file, name_for_errors, checked);
  return file;
}

DeviceFile load_device(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return device_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                          path.string());
}

void describe(const DeviceFile& file, const std::string& name_for_errors, TargetInfo& info) {
  const DeviceProfile& d = file.device;
  info.name = d.name;
  info.device_class = d.is_cpu ? DeviceClass::multicore : DeviceClass::simt;
  info.compute_units = d.compute_units;
  info.local_bytes = d.local_bytes;
  info.memory_bytes = d.global_bytes;
  // Drivers of a device without groups say 1.
  if (d.max_work_group > 1) info.most_group = d.max_work_group;
  info.preferred_group = std::min(info.preferred_group, info.most_group);
  info.subgroup_width = std::min(info.subgroup_width, info.most_group);
  info.has_f64 = d.has_fp64;
  info.has_f16 = d.has_fp16;
  if (d.has_subgroups) info.features.insert("subgroups");
  if (!file.facts.empty()) apply_facts(file.facts, name_for_errors, info);
}

}  // namespace partita
