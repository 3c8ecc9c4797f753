// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita record`: writes what a program gives on random inputs, for `partita check` on another machine.
#include <limits>

#include "partita/base/file.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/check/recording.hpp"
#include "tools/partita/check/targets.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {
namespace {

struct RecordOptions {
  std::string program, output, target = "interpreter";
  std::vector<std::string> placements;
  std::uint64_t seed = 1;
  std::int64_t samples = 0;
};

int record(const RecordOptions& options) {
  CompileSettings settings;
  settings.placements = parse_placements(options.placements);
  const std::vector<CheckTarget> targets = choose_targets(options.target, settings);
  if (targets.size() != 1) throw_user_error("--target: expected one target, found all");
  check_writable(options.output);
  const auto module = ir::read_module(options.program);
  const ir::Function& function = module->entry("main");
  const auto inputs = random_arrays(argument_ports(*module, function), options.seed);
  const auto results = targets.front().run(*module, function, inputs);
  write_recording(options.output, options.seed, results, options.samples);
  return 0;
}

}  // namespace

void add_record_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<RecordOptions>();
  CLI::App* c =
      app.add_subcommand("record", "Write what a program gives on random inputs, for check");
  c->add_option("program", o->program, "Program (.mlir)")->required();
  c->add_option("-o,--output", o->output, "File to write (STEM.io.npz is what check looks for)")
      ->required();
  c->add_option("--target", o->target, "What computes it: interpreter (the default) or a target");
  c->add_option("--placement", o->placements, "NAME=N: a placement to look for")
      ->allow_extra_args(false);
  c->add_option("--seed", o->seed, "Of the inputs (default: 1)")
      ->check(CLI::Range(std::int64_t(0), std::numeric_limits<std::int64_t>::max()));
  c->add_option("--samples", o->samples,
                "Keep about so many elements of larger results (default: 0, all)")
      ->check(CLI::Range(std::int64_t(0), std::numeric_limits<std::int64_t>::max()));
  c->callback([&action, o] { action = [o] { return record(*o); }; });
}

}  // namespace partita::tool
