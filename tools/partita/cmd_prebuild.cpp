// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita prebuild`: builds an artifact's kernels for this machine's device and keeps them in it.
#include <iostream>
#include <memory>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/parse.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/prebuild.hpp"

namespace partita::tool {
namespace {

struct PrebuildArguments {
  std::string artifact, output, one;
  int jobs = 0;
};

int run(const PrebuildArguments& arguments) {
  if (!arguments.one.empty()) {
    const std::vector<std::string> words = split(arguments.one, '/');
    constexpr int most = 1 << 20;
    if (words.size() != 2)
      throw_user_error(cat("--one: expected FUNCTION/NUMBER, found '", arguments.one, "'"));
    prebuild_one(arguments.artifact, int(parse_number(words[0], "--one", most)),
                 int(parse_number(words[1], "--one", most)), arguments.output);
    return 0;
  }
  const std::string& output = arguments.output.empty() ? arguments.artifact : arguments.output;
  check_writable(output);
  Artifact artifact = load_artifact(arguments.artifact);
  const std::string done = prebuild(artifact, arguments.jobs > 0 ? arguments.jobs : default_jobs());
  save_artifact(artifact, output);
  std::cout << done << "\n";
  return 0;
}

}  // namespace

void add_prebuild_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<PrebuildArguments>();
  CLI::App* command = app.add_subcommand(
      "prebuild", "Build an artifact's kernels for this machine's device and keep them in it");
  command->add_option("artifact", arguments->artifact, "Artifact (.pta)")->required();
  command->add_option("-o,--output", arguments->output,
                      "Artifact to write (default: the one that is read)");
  command
      ->add_option("--jobs", arguments->jobs, "Processes at work at once (default: one per core)")
      ->check(CLI::PositiveNumber);
  command->add_option("--one", arguments->one)->group("");  // one of its own processes
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace partita::tool
