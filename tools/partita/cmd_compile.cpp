// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita compile`: ahead-of-time compilation of a program to an artifact.
#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <iterator>

#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "partita/base/parse.hpp"
#include "partita/compile.hpp"
#include "partita/driver/object.hpp"
#include "partita/driver/target.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/device_choice.hpp"
#include "tools/partita/prebuild.hpp"
#include "tools/partita/program_options.hpp"

namespace partita::tool {
namespace {

struct CompileArguments {
  std::string input, output, memory_budget, emit = "artifact";
  DeviceChoice device;
  std::vector<std::string> placements, dump_after;
  TargetValues target_values;
  std::string dump_directory;
  bool strict = false, names_function = false, prebuilds = false;
  driver::CompileOptions options;
};

void print_summary(const driver::CompileReport& report) {
  const auto count = [&](const std::string& key) {
    const auto it = report.counts.find(key);
    return it == report.counts.end() ? 0 : it->second;
  };
  std::cout << "nodes " << count("nodes") << ", maps recovered " << count("maps_recovered")
            << ", kernels " << count("kernels") << ", library calls " << count("library_calls")
            << ", collectives " << count("collectives") << "\n"
            << "planned bytes " << report.planned_bytes << " (arena " << report.arena_bytes
            << ")\n";
  std::cout << "tuning " << report.tuning << "\n";
  for (const std::string& contraction : report.contractions)
    std::cout << "contraction " << contraction << "\n";
  if (report.counts.contains("residual_bytes"))
    std::cout << "residuals " << count("residual_bytes") << " bytes\n";
  for (const std::string& note : report.notes) std::cout << note << "\n";
  std::cout << std::fixed << std::setprecision(1);
  double total = 0;
  std::cout << "time";
  for (const auto& t : report.timings) {
    std::cout << " " << t.name << " " << t.seconds * 1e3 << " ms,";
    total += t.seconds;
  }
  std::cout << " in all " << total * 1e3 << " ms\n";
  for (const std::string& remark : report.remarks)
    std::cout << "not recovered or fused: " << remark << "\n";
}

void print_summary_of_function(const driver::CompileReport& report) {
  std::cout << "function " << report.function << "\n";
  print_summary(report);
}

void check_strict(const CompileArguments& arguments, const driver::CompileReport& report) {
  if (arguments.strict && !report.remarks.empty())
    throw_user_error(
        cat("--strict: expected everything recovered and fused, found: ", report.remarks.front()));
  for (const driver::CompileReport& further : report.more_functions)
    check_strict(arguments, further);
}

/// The named function, else all public ones.
std::vector<std::string> chosen_functions(const CompileArguments& arguments,
                                          const ir::Module& module) {
  std::vector<std::string> functions;
  if (arguments.names_function) {
    functions.push_back(arguments.options.function);
    std::ranges::copy(arguments.options.more_functions, std::back_inserter(functions));
    return functions;
  }
  for (const auto& f : module.functions)
    if (f->is_public) functions.push_back(f->name);
  if (functions.empty())
    throw_user_error(cat(arguments.input, ": expected a public function, found none"));
  return functions;
}

/// C text of one function.
driver::ObjectCode compile_to_c(const CompileArguments& arguments, const ir::Module& module,
                                const std::vector<std::string>& functions,
                                driver::CompileReport& report) {
  if (functions.size() > 1)
    throw_user_error(cat(arguments.input, ": expected one public function for --emit c, found ",
                         functions.size(), "; --function names one"));
  driver::CompileOptions options = arguments.options;
  options.function = functions.front();
  const std::filesystem::path output = arguments.output;
  return driver::compile_c(module, output.stem().string(), options, &report);
}

/// Writes an object, or C text, and its header.
int compile_to_link(const CompileArguments& arguments) {
  const std::filesystem::path object = arguments.output;
  std::filesystem::path header = object;
  header.replace_extension(".h");
  const bool is_c = arguments.emit == "c";
  if (header == object || object.stem().empty())
    throw_user_error(cat("--output: expected the name of ", is_c ? "a C" : "an object",
                         " file, found ", arguments.output));
  check_writable(header);
  const auto module = ir::read_module(arguments.input, arguments.options.open);
  const std::vector<std::string> functions = chosen_functions(arguments, *module);
  std::vector<driver::CompileReport> reports(is_c ? 1 : 0);
  const driver::ObjectCode code =
      is_c ? compile_to_c(arguments, *module, functions, reports.front())
           : driver::compile_object(*module, object.stem().string(), functions, arguments.options,
                                    &reports);
  for (const driver::CompileReport& report : reports) check_strict(arguments, report);
  write_file(object, code.object);
  write_file(header, code.header);
  for (const driver::CompileReport& report : reports) print_summary_of_function(report);
  std::cout << "links with libc, libm";
  for (const std::string& n : code.needs) std::cout << ", " << n << " (BLAS)";
  std::cout << "\n";
  return 0;
}

int compile(CompileArguments& arguments) {
  arguments.options.placements = parse_placements(arguments.placements);
  if (!arguments.memory_budget.empty())
    arguments.options.memory_budget = parse_bytes(arguments.memory_budget, "--memory-budget");
  arguments.options.dumps.dump_after = arguments.dump_after;
  arguments.options.dumps.dump_directory = arguments.dump_directory;
  // Whether the target exists is known before anything is read.
  const auto targets = driver::built_targets();
  if (std::find(targets.begin(), targets.end(), arguments.options.target) == targets.end()) {
    throw_user_error(cat("--target: '", arguments.options.target,
                         "' is not built in; built in: ", join(targets)));
  }
  apply(arguments.target_values, arguments.options);
  apply(arguments.device, arguments.options);
  check_writable(arguments.output);
  if (arguments.prebuilds && arguments.emit != "artifact")
    throw_user_error(cat("--prebuild: expected --emit artifact, found ", arguments.emit));
  if (arguments.emit == "object" || arguments.emit == "c") return compile_to_link(arguments);
  if (arguments.emit != "artifact")
    throw_user_error(cat("--emit: expected artifact, object or c, found '", arguments.emit, "'"));
  const auto module = ir::read_module(arguments.input, arguments.options.open);
  auto [artifact, report] = partita::compile(*module, arguments.options);
  check_strict(arguments, report);
  const std::string prebuilt =
      arguments.prebuilds ? cat(prebuild(artifact, default_jobs()), "\n") : std::string();
  save_artifact(artifact, arguments.output);
  if (report.more_functions.empty())
    print_summary(report);
  else
    print_summary_of_function(report);
  for (const driver::CompileReport& further : report.more_functions)
    print_summary_of_function(further);
  std::cout << prebuilt;
  return 0;
}

/// Those that make objects.
std::vector<std::string> emitting_targets() {
  std::vector<std::string> names;
  for (const driver::Target* target : driver::all_targets())
    if (target->emit_object != nullptr) names.push_back(target->name);
  return names;
}

}  // namespace

void add_compile_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App* command = app.add_subcommand("compile", "Compile a program ahead of time");
  command->add_option("input", arguments->input, "Program (.mlir)")->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "Artifact (.pta), object (.o) or C text (.c) to write")
      ->required();
  command
      ->add_option("--target", arguments->options.target,
                   "Code generator: " + join(driver::built_targets()))
      ->required();
  command->add_option("--emit", arguments->emit,
                      cat("artifact (the default); for target ", one_of(emitting_targets()),
                          ", object, to be linked without a runtime, or c, the C text of one; both "
                          "with a C header"));
  command
      ->add_option("--placement", arguments->placements,
                   "NAME=N: size of a placement; where the program does not name its axis, the "
                   "size to look for")
      ->allow_extra_args(false);
  add_open_options(*command, arguments->options.open);
  command->add_option("--layout", arguments->options.layout, "loop, batch[:B] or auto");
  command->add_option("--mesh", arguments->options.mesh,
                      "NAME=N,…: axes of a mesh, for a program that declares none");
  command->add_flag("!--no-sharding", arguments->options.shards,
                    "A program with a mesh is for one device, which holds everything");
  command->add_flag("!--no-placement-constraints", arguments->options.keeps_placements,
                    "For comparison: partitions are a dimension of whole arrays, cut by the axis "
                    "of --mesh with the "
                    "placement's name as propagation from the arguments has it");
  command->add_flag("--reproducible", arguments->options.is_reproducible,
                    "The same bits on any number of ranks and devices, for more memory");
  const auto add_by_name = [&](const std::string& name, const std::string& help) {
    command->add_option_function<std::string>(
        "--" + name,
        [arguments, name](const std::string& value) {
          driver::set_option(arguments->options, name, value);
        },
        help);
  };
  add_by_name(
      "allreduce-dtype",
      "bf16, f16 or int8: how sums of f32 over placements travel between ranks, where they have at "
      "least 1024 elements (default: f32)");
  command->add_flag("--allreduce-feedback", arguments->options.wire.feeds_back,
                    "With it: each rank keeps what rounding takes away for the step's next sum");
  command->add_option("--gemm", arguments->options.gemm, gemm_help());
  add_by_name(
      "f32-products",
      "f32 (the default) or tf32: what products of f32 are multiplied as on matrix units of GPUs, "
      "where the program asks for no precision above HIGH");
  add_device_options(*command, arguments->device);
  command->add_flag("--prebuild", arguments->prebuilds,
                    "Builds the kernels for this machine's device too, as `partita prebuild` does");
  add_target_options(*command, arguments->target_values, OptionsOf::compile);
  command
      ->add_option("--runs", arguments->options.runs,
                   "How often the artifact will run about, for --tier auto (default: often)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--memory-budget", arguments->memory_budget,
                      "Most bytes of one shard, such as 8GiB");
  const CLI::Option* function = command->add_option_function<std::string>(
      "--function",
      [arguments](const std::string& value) {
        driver::set_option(arguments->options, "function", value);
      },
      "NAME,…: functions to compile, the first of which is the one that is meant where none is "
      "named (default: main)");
  command->add_option("--dump-after", arguments->dump_after, "Pass whose result to write, or all")
      ->allow_extra_args(false);
  command->add_option("--dump-dir", arguments->dump_directory, "Where dumps go");
  command->add_flag("--strict", arguments->strict, "What is not recovered or fused is an error");
  command->callback([&action, arguments, function] {
    arguments->names_function = function->count() > 0;
    action = [arguments] { return compile(*arguments); };
  });
}

}  // namespace partita::tool
