// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/device_choice.hpp"

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"

namespace partita::tool {

void add_device_options(CLI::App& command, DeviceChoice& choice) {
  command.add_option("--device", choice.device,
                     "Device to decide on contractions for: generic (the default), local, the name "
                     "of one that is built in, or a name that `partita devices` gives");
  command.add_option("--tuning", choice.tuning, "File of `partita tune` to decide by");
}

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
  if (choice.device == "local" && options.target == "opencl") options.device = local_device().name;
  if (choice.tuning.empty()) return;
  options.tuning = std::make_shared<Tuning>(load_tuning(choice.tuning));
  options.tuning_name = choice.tuning;
}

}  // namespace partita::tool
