// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita opt`: runs passes on text.
#include <iostream>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/driver/pipelines.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {

namespace {

struct OptOptions {
  std::string input, passes, pipeline, output, function = "main", layout = "auto";
  std::vector<std::string> placements;
  bool locations = false, remarks = false;
  ir::OpenArguments open;
};

std::vector<driver::PassRun> chosen_passes(const OptOptions& options) {
  if (!options.passes.empty() && !options.pipeline.empty())
    throw_user_error("opt: expected --passes or --pipeline, found both");
  return options.pipeline.empty() ? manager::parse_runs(options.passes)
                                  : driver::named_pipeline(options.pipeline);
}

int optimize(const OptOptions& options) {
  driver::OptRequest request{.passes = chosen_passes(options)};
  request.context.function = options.function;
  request.context.placements = parse_placements(options.placements);
  request.context.layout = options.layout;
  request.locations = options.locations;
  request.open = options.open;
  if (!options.output.empty()) check_writable(options.output);
  const std::string text = driver::run_passes_on_file(options.input, request);
  if (options.remarks) {
    for (const std::string& r : request.context.remarks) std::cerr << "remark: " << r << "\n";
    for (const std::string& n : request.context.notes) std::cerr << "note: " << n << "\n";
  }
  if (options.output.empty())
    std::cout << text;
  else
    write_file(options.output, text);
  return 0;
}

}  // namespace

void add_opt_command(CLI::App& app, Action& action) {
  auto options = std::make_shared<OptOptions>();
  CLI::App* command = app.add_subcommand("opt", "Run passes on a program and print it");
  command->add_option("program", options->input, "Program (.mlir), or the draft of a plan (.draft)")
      ->required();
  command->add_option(
      "--passes", options->passes,
      "Passes in order: \"inline raise{k=v other=w} simplify\"; from lower{target=NAME} on over "
      "the draft of a plan");
  command->add_option("--pipeline", options->pipeline, "A named sequence of passes");
  command->add_option("-o,--output", options->output, "File to write (default: standard output)");
  command->add_option("--function", options->function, "Entry function");
  command->add_option("--placement", options->placements, "NAME=N: a placement to look for")
      ->allow_extra_args(false);
  add_open_options(*command, options->open);
  command->add_option("--layout", options->layout, "loop, batch[:B] or auto");
  command->add_flag("--locations", options->locations, "Print locations");
  command->add_flag(
      "--remarks", options->remarks,
      "Print to standard error what passes could not do, and why, and what derivatives keep");
  command->callback([&action, options] { action = [options] { return optimize(*options); }; });
}

}  // namespace partita::tool
