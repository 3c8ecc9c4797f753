// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita inspect`: what is in an artifact.
#include <iostream>

#include "partita/artifact/describe.hpp"
#include "partita/base/error.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

namespace {

struct InspectOptions {
  std::string path, variant;
  bool sharding = false;
};

int inspect(const InspectOptions& options) {
  Artifact artifact = load_artifact(options.path);
  for (const DeviceClass c : {DeviceClass::multicore, DeviceClass::simt})
    if (options.variant == to_string(c)) select_variant(artifact, c);
  if (!options.variant.empty() && options.variant != to_string(artifact.device_class))
    throw_user_error(cat("--variant: expected ", options.variant, " in the artifact, found ",
                         to_string(artifact.device_class)),
                     {.file = options.path});
  std::cout << (options.sharding ? describe_sharding(artifact) : describe_artifact(artifact));
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Show what an artifact holds");
  command->add_option("artifact", options->path, "Artifact (.pta)")->required();
  command
      ->add_option("--variant", options->variant,
                   "Class of devices whose variant to show (default: the first)")
      ->check(CLI::IsMember({std::string(to_string(DeviceClass::multicore)),
                             std::string(to_string(DeviceClass::simt))}));
  command->add_flag("--sharding", options->sharding, "Show how values lie over the shards instead");
  command->callback([&action, options] { action = [options] { return inspect(*options); }; });
}

}  // namespace partita::tool
