// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/device_choice.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"
#include "partita/base/nearest_name.hpp"
#include "partita/device/backend.hpp"
#include "partita/device/device_file.hpp"
#include "partita/driver/options.hpp"
#include "partita/driver/target.hpp"
#include "tools/partita/local_device.hpp"

namespace partita::tool {

void add_device_options(CLI::App& command, DeviceChoice& choice) {
  command.add_option("--device", choice.device,
                     "Device to compile for: generic (the default), local, the name of one that is "
                     "built in or begins as those that a tuning file covers, a name that "
                     "`partita devices` gives, or a file (.json) of `partita devices -o`");
  command.add_option("--tuning", choice.tuning, "File of `partita tune` to decide by");
}

namespace {

/// The device that a file describes; nothing where a name was given.
std::optional<DeviceFile> described_device(const std::string& choice) {
  std::error_code ignored;
  const std::filesystem::path path = choice;
  if (path.extension() != ".json" && !std::filesystem::is_regular_file(path, ignored))
    return std::nullopt;
  return load_device(path);
}

void use_device(const DeviceFile& file, const std::string& source, const std::string& path,
                driver::CompileOptions& options) {
  options.device = file.device.name;
  TargetInfo info = driver::target_info(options, file.device.device_class);
  describe(file, path, info);
  info.source = source;
  options.device_info = std::move(info);
}

void use_file(const DeviceFile& file, const std::string& path, driver::CompileOptions& options) {
  const DeviceProfile& device = file.device;
  if (device.backend != options.target)
    throw_user_error(cat("--device: expected a device of target ", options.target,
                         ", found one of ", device.backend),
                     {.file = path});
  if (const auto use_driver = driver::find_target(options.target).use_driver)
    use_driver(device.driver, path, options);
  Hasher hasher;
  hasher.add(std::string_view(device_to_json(file)));
  use_device(file, cat("device file, driver ", device.driver, ", hash ", hasher.hex()), path,
             options);
}

bool is_built_in(const std::string& name, const driver::CompileOptions& options) {
  const auto known = driver::known_devices(options.target);
  const auto covered = driver::covered_devices(options.target);
  return std::ranges::find(known, name) != known.end() ||
         std::ranges::any_of(covered, [&](const auto& b) { return name.starts_with(b); }) ||
         (options.tuning && coverage(*options.tuning, name) >= 0);
}

/// What `name` may have been meant to be; for a beginning of names, with dots.
std::string similar_devices(const std::string& name, const std::string& target,
                            const std::vector<std::string>& here) {
  std::vector<std::string> known{"generic", "local"};
  for (const auto& names : {driver::known_devices(target), here})
    known.insert(known.end(), names.begin(), names.end());
  std::vector<std::string> near = nearest_names(name, known);
  for (const std::string& beginning : driver::covered_devices(target)) {
    const std::string same = name.substr(0, beginning.size());
    if (!nearest_names(same, std::span(&beginning, 1)).empty() ||
        (same.size() > 3 && beginning.starts_with(same)))
      near.push_back(beginning + "…");
  }
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(near.size(), 3); ++k)
    text += cat(k == 0 ? "" : ", ", near[k]);
  return text;
}

[[noreturn]] void refuse_unknown(const std::string& name, const std::string& target,
                                 const std::vector<std::string>& here) {
  std::string expected = similar_devices(name, target, here);
  if (!expected.empty()) {
    expected += " or another known device (see partita compile --help)";
  } else {
    expected = "generic, local, ";
    for (const std::string& known : driver::known_devices(target)) expected += known + ", ";
    expected += "a name that `partita devices` gives or a file (.json) of `partita devices -o`";
  }
  throw_user_error(cat("--device: expected ", expected, ", found '", name.substr(0, 100), "'"));
}

/// The device of this machine that a name means; nothing for names that are built in.
std::optional<DeviceProfile> device_here(const std::string& name,
                                         const driver::CompileOptions& options) {
  if (name == "local") return local_device(options.target);
  if (name == "generic" || is_built_in(name, options)) return std::nullopt;
  std::vector<std::string> names;  // asked last, because drivers take their time
  for (DeviceProfile& p : list_devices()) {
    if (p.backend != options.target) continue;
    if (name == p.name) return std::move(p);
    names.push_back(std::move(p.name));
  }
  refuse_unknown(name, options.target, names);
}

}  // namespace

void apply(const DeviceChoice& choice, driver::CompileOptions& options) {
  if (!choice.tuning.empty()) driver::set_option(options, "tuning", choice.tuning);
  if (const auto file = described_device(choice.device))
    use_file(*file, choice.device, options);
  else if (const auto device = device_here(choice.device, options))
    use_device({.device = *device, .facts = {}}, cat("of this machine, driver ", device->driver),
               "--device", options);
  else
    options.device = choice.device;
}

}  // namespace partita::tool
