// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita devices`: what there is to run on.
#include <algorithm>
#include <iostream>

#include "partita/artifact/describe.hpp"
#include "partita/base/error.hpp"
#include "partita/device/device.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

namespace {

int devices() {
  const auto profiles = list_devices();
  for (const DeviceProfile& p : profiles) {
    std::cout << p.backend << ": " << p.name << " (" << p.vendor << ")\n"
              << "  platform        " << p.platform << "\n  driver          " << p.driver
              << "\n  compute units   " << p.compute_units << "\n  memory          "
              << format_bytes(p.global_bytes) << ", at most "
              << format_bytes(p.max_allocation_bytes) << " at once, local "
              << format_bytes(p.local_bytes) << "\n  work-group      at most " << p.max_work_group
              << "\n  fp64 " << (p.has_fp64 ? "yes" : "no") << ", fp16 "
              << (p.has_fp16 ? "yes" : "no") << ", subgroups " << (p.has_subgroups ? "yes" : "no")
              << "\n";
  }
  if (std::ranges::none_of(profiles, [](const auto& p) { return p.backend == "opencl"; }))
    std::cout << "opencl: none (install pocl-opencl-icd for the CPU)\n";
  return 0;
}

}  // namespace

void add_devices_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this machine");
  command->callback([&action] { action = devices; });
}

}  // namespace partita::tool
