// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/choose_target_info.hpp"

#include <algorithm>

#include "driver/choose_tuning.hpp"
#include "partita/base/error.hpp"

namespace partita::driver {

using namespace kernel;
namespace {

/// Null where there is none of that name.
const TargetProfile* find_profile(const Target& target, std::string_view name) {
  const auto found =
      std::ranges::find_if(target.profiles, [&](const TargetProfile& p) { return p.name == name; });
  return found == target.profiles.end() ? nullptr : &*found;
}

/// The profile of a name; else that of the devices which a built-in tuning file, or a profile, covers.
const TargetProfile* profile_of(const Target& target, const std::string& device) {
  if (const TargetProfile* named = find_profile(target, device)) return named;
  if (const Target::TuningText* covering = find_built_in(target, device))
    return find_profile(target, covering->device);
  const auto covering = std::ranges::find_if(target.profiles, [&](const TargetProfile& p) {
    return std::ranges::any_of(p.begins, [&](auto begin) { return device.starts_with(begin); });
  });
  return covering == target.profiles.end() ? nullptr : &*covering;
}

}  // namespace

TargetInfo target_info(const CompileOptions& options, DeviceClass unknown) {
  const Target& target = find_target(options.target);
  TargetInfo info = target.default_info(options);
  info.source = cat("default of target ", target.name);
  const TargetProfile* profile = profile_of(target, options.device);
  if (profile == nullptr && unknown == DeviceClass::simt)
    profile = find_profile(target, target.simt_profile);
  if (profile != nullptr) {
    profile->set(info);
    info.name = profile->name;
    info.source = "built in";
  }
  return info;
}

Multiprocessors multiprocessors_of(const Target& target, const std::string& device) {
  const TargetProfile* profile = profile_of(target, device);
  return profile == nullptr ? Multiprocessors{} : profile->multiprocessors;
}

TargetInfo choose_target_info(const CompileOptions& options, const Target& target) {
  TargetInfo info = options.device_info ? *options.device_info : target_info(options);
  if (target.adapt != nullptr) target.adapt(options, info);
  return info;
}

}  // namespace partita::driver
