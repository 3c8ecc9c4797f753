// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/device_choice.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "partita/base/cpu_levels.hpp"
#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"
#include "partita/device/device_file.hpp"

namespace partita::tool {

void add_device_options(CLI::App& command, DeviceChoice& choice) {
  command.add_option("--device", choice.device,
                     "Device to compile for: generic (the default), local, the name of one that is "
                     "built in, a name that `partita devices` gives, or a file (.json) of "
                     "`partita devices -o`");
  command.add_option("--tuning", choice.tuning, "File of `partita tune` to decide by");
}

namespace {

/// The device that a file describes; nothing where a name was given.
std::optional<DeviceProfile> described_device(const std::string& choice) {
  std::error_code ignored;
  const std::filesystem::path path = choice;
  if (path.extension() != ".json" && !std::filesystem::is_regular_file(path, ignored))
    return std::nullopt;
  return load_device(path);
}

void apply(const DeviceProfile& device, const std::string& file, passes::CompileOptions& options) {
  if (device.backend != options.target)
    throw_user_error(cat("--device: expected a device of target ", options.target,
                         ", found one of ", device.backend),
                     {.file = file});
  Hasher hasher;
  hasher.add(std::string_view(device_to_json(device)));
  options.device = device.name;
  options.device_profile = cat(device.name, " (", device.driver, "), hash ", hasher.hex());
  options.has_fp64 = device.has_fp64;
  if (device.backend != "cpu") return;
  const auto known = cpu_levels();
  if (std::ranges::find(known, device.driver) == known.end())
    throw_user_error(
        cat("device.driver: expected an instruction set of this architecture, such as ",
            known.back(), ", found '", device.driver, "'"),
        {.file = file});
  std::ranges::replace(options.cpu_levels, "native", device.driver);
}

}  // namespace

DeviceProfile local_device(int index) {
  std::vector<DeviceProfile> found;
  const auto wanted = environment("PARTITA_OPENCL_DEVICE");
  for (DeviceProfile& p : list_devices()) {
    const bool is_wanted =
        !wanted || cat(p.platform.substr(0, p.platform.find(',')), ": ", p.name).find(*wanted) !=
                       std::string::npos;
    if (p.backend == "opencl" && is_wanted) found.push_back(std::move(p));
  }
  if (found.empty())
    throw_device_error(
        "no OpenCL device found; install a driver, for example the package pocl-opencl-icd "
        "(OpenCL on the CPU), and see `clinfo`");
  if (std::size_t(index) >= found.size())
    throw_user_error(
        cat("--device: expected local or a number below ", found.size(), ", found ", index));
  return found[std::size_t(index)];
}

void apply(const DeviceChoice& choice, passes::CompileOptions& options) {
  options.device = choice.device;
  if (const auto device = described_device(choice.device))
    apply(*device, choice.device, options);
  else if (choice.device == "local" && options.target == "opencl")
    options.device = local_device().name;
  if (choice.tuning.empty()) return;
  options.tuning = std::make_shared<Tuning>(load_tuning(choice.tuning));
  options.tuning_name = choice.tuning;
}

}  // namespace partita::tool
