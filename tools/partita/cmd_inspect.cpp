// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita inspect`: what is in an artifact.
#include <iostream>

#include "partita/artifact/describe.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

namespace {

struct InspectOptions {
  std::string path;
  bool sharding = false;
};

int inspect(const InspectOptions& options) {
  const Artifact artifact = load_artifact(options.path);
  std::cout << (options.sharding ? describe_sharding(artifact) : describe_artifact(artifact));
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand("inspect", "Show what an artifact holds");
  command->add_option("artifact", options->path, "Artifact (.pta)")->required();
  command->add_flag("--sharding", options->sharding, "Show how values lie over the shards instead");
  command->callback([&action, options] { action = [options] { return inspect(*options); }; });
}

}  // namespace partita::tool
