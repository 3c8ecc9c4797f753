// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita devices`: what there is to run on.
#include <algorithm>
#include <iostream>
#include <memory>

#include "partita/artifact/describe.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/device/backend.hpp"
#include "partita/device/device_file.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/device_choice.hpp"
#include "tools/partita/local_device.hpp"

namespace partita::tool {

namespace {

struct DevicesArguments {
  std::string output, target{default_target};
  int device = 0;
};

/// The device that a run on this machine takes, or another one by its number.
DeviceProfile chosen_device(const DevicesArguments& arguments) {
  const auto backends = all_backends();
  if (std::ranges::find(backends, arguments.target, &Backend::name) == backends.end())
    throw_user_error(cat("--target: expected device 0 of one of ", backend_names(),
                         ", found device ", arguments.device, " of ", arguments.target));
  return local_device(arguments.target, arguments.device);
}

int devices(const DevicesArguments& arguments) {
  if (!arguments.output.empty()) {
    check_writable(arguments.output);
    write_file(arguments.output, device_to_json({.device = chosen_device(arguments), .facts = {}}));
    return 0;
  }
  const auto profiles = list_devices();
  for (const DeviceProfile& p : profiles)
    std::cout << p.backend << ": " << p.name << " (" << p.vendor << ")\n"
              << "  platform        " << p.platform << "\n  driver          " << p.driver
              << "\n  compute units   " << p.compute_units << "\n  memory          "
              << format_bytes(p.global_bytes) << ", at most "
              << format_bytes(p.max_allocation_bytes) << " at once, local "
              << format_bytes(p.local_bytes) << "\n  work-group      at most " << p.max_work_group
              << "\n  fp64 " << (p.has_fp64 ? "yes" : "no") << ", fp16 "
              << (p.has_fp16 ? "yes" : "no") << ", subgroups " << (p.has_subgroups ? "yes" : "no")
              << "\n";
  for (const Backend& backend : all_backends())
    if (std::ranges::find(profiles, backend.name, &DeviceProfile::backend) == profiles.end())
      std::cout << backend.name
                << cat(": none", backend.hint.empty() ? "" : cat(" (", backend.hint, ")"), "\n");
  return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this machine");
  auto arguments = std::make_shared<DevicesArguments>();
  command->add_option("-o,--output", arguments->output,
                      "File to write a device's description to, for compile --device");
  command->add_option("--target", arguments->target, "Of which it is a device: " + backend_names());
  command->add_option("--device", arguments->device, "Number of the device among the target's")
      ->check(CLI::NonNegativeNumber);
  command->callback([&action, arguments] { action = [arguments] { return devices(*arguments); }; });
}

}  // namespace partita::tool
