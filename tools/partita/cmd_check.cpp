// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita check`: runs programs and compares their results with recorded ones, and functions that
// check themselves.
#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

#include "partita/artifact/npz.hpp"
#include "partita/base/error.hpp"
#include "partita/exec/inputs.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "tools/partita/check/compare.hpp"
#include "tools/partita/check/per_op.hpp"
#include "tools/partita/check/self.hpp"
#include "tools/partita/check/shrink.hpp"
#include "tools/partita/check/targets.hpp"
#include "tools/partita/commands.hpp"
#include "tools/partita/program_options.hpp"
#include "tools/partita/report.hpp"

namespace partita::tool {

namespace {

struct CheckOptions {
  std::vector<std::string> files, placements;
  std::string target = "interpreter", io, function = "main", shrink;
  CompileSettings settings;
  ToleranceOptions tolerance;
  std::int64_t shards = 0;  ///< 0: as modules say
  bool per_op = false;
};

void declare_shards(ir::Module& module, std::int64_t shards) {
  if (shards == 0 || module.attrs.contains("mhlo.num_partitions") ||
      module.attrs.contains("mhlo.num_replicas"))
    return;
  module.attrs.set("mhlo.num_partitions", ir::Integer{.value = shards, .type = "i32"});
}

/// STEM.io.npz or STEM.npz beside the program, STEM being its name up to the first dot; or nothing.
std::string find_recording(const std::filesystem::path& program) {
  const std::string name = program.filename().string();
  const std::string stem = name.substr(0, name.find('.'));
  for (const char* suffix : {".io.npz", ".npz"}) {
    const std::filesystem::path path = program.parent_path() / (stem + suffix);
    if (std::filesystem::exists(path)) return path.string();
  }
  return {};
}

/// Results by position only: names of results may be taken by inputs.
std::vector<PortInfo> ports(const std::vector<Type>& types) {
  std::vector<PortInfo> all;
  for (const Type& type : types) all.push_back({.name = {}, .type = type});
  return all;
}

std::vector<PortInfo> argument_ports(const ir::Function& function) {
  std::vector<PortInfo> all = ports(function.argument_types());
  for (std::size_t k = 0; k < all.size(); ++k) all[k].name = function.body->argument_hint(int(k));
  return all;
}

class Checker {
 public:
  explicit Checker(const CheckOptions& options)
      : options_(options), targets_(choose_targets(options.target, options.settings)) {}

  int run() {
    if (!options_.io.empty() && options_.files.size() > 1)
      throw_user_error(cat("--io: expected one program, found ", options_.files.size()));
    if ((explains() || options_.settings.poisons) &&
        std::ranges::all_of(targets_, &CheckTarget::is_interpreter))
      throw_user_error(cat(options_.settings.poisons
                               ? "--poison: expected a compiled target, found "
                               : "--per-op, --shrink: expected a target to "
                                 "compare with the interpreter, found ",
                           options_.target));
    if (options_.target == "all")
      for (const std::string& name : missing_targets())
        std::cout << "target " << name << ": not built in\n";
    for (const std::string& file : options_.files) guard(file, [&] { check_file(file); });
    // An error alone is reported as by any other command.
    if (passed_ + failed_ == 0 && refused_ == 1) std::rethrow_exception(first_refusal_);
    std::cout << held_back_ << passed_ << " passed, " << failed_ << " failed"
              << (refused_ > 0 ? cat(", ", refused_, " refused") : std::string()) << "\n"
              << std::flush;
    return refused_ > 0 ? refusal_code_ : failed_ > 0 ? 1 : 0;
  }

 private:
  /// Runs `check`; what it throws does not keep the rest from being checked.
  void guard(const std::string& what, const std::function<void()>& check) {
    try {
      check();
    } catch (...) {
      refuse(what);
    }
  }

  /// In a catch block: counts and says that something could not be checked.
  void refuse(const std::string& what) {
    const ErrorSummary error = summarize_current_exception();
    if (refused_++ == 0) first_refusal_ = std::current_exception();
    refusal_code_ = std::max(refusal_code_, error.exit_code);
    const std::string text = cat("refused ", what, "\n  ", error.text, "\n");
    if (passed_ + failed_ == 0 && refused_ == 1)
      held_back_ = text;
    else
      say(text);
  }

  void say(const std::string& text) {
    std::cout << std::exchange(held_back_, {}) << text << std::flush;
  }

  void refuse_unread(const std::string& file, const ir::PartialModule& module) {
    for (const ir::Refusal& refusal : module.refusals)
      guard(refusal.function.empty() ? file : cat(file, " @", refusal.function),
            [&] { std::rethrow_exception(refusal.error); });
  }

  void check_file(const std::string& file) {
    const auto modules = ir::read_partial_modules(file);
    for (const ir::PartialModule& read : modules)
      if (read.module) declare_shards(*read.module, options_.shards);
    const std::string recording = options_.io.empty() ? find_recording(file) : options_.io;
    bool has_checks = false;
    for (const ir::PartialModule& read : modules) {
      refuse_unread(file, read);
      has_checks = has_checks || !read.refusals.empty();
      if (!read.module) continue;
      for (const auto& function : read.module->functions)
        if (checks_itself(*function)) {
          has_checks = true;
          for (const CheckTarget& target : targets_)
            guard(cat(file, " @", function->name, " (", target.name, ")"),
                  [&] { check_self(file, *read.module, *function, target); });
        }
    }
    if (!recording.empty()) {
      if (modules.size() != 1)
        throw_user_error(
            cat("expected one module to compare with ", recording, ", found ", modules.size()),
            {.file = file});
      if (modules.front().refusals.empty())
        check_recording(file, *modules.front().module, recording);
    } else if (!has_checks) {
      throw_user_error(
          "expected check.* ops in a function without arguments, or recorded results "
          "(STEM.io.npz), found none",
          {.file = file});
    }
  }

  void report(const std::string& what, const std::vector<std::string>& failures) {
    std::string text = cat(failures.empty() ? "pass " : "FAIL ", what, "\n");
    for (const std::string& failure : failures) text += cat("  ", failure, "\n");
    say(text);
    (failures.empty() ? passed_ : failed_)++;
  }

  void check_self(const std::string& file, const ir::Module& module, const ir::Function& function,
                  const CheckTarget& target) {
    std::vector<std::string> failures;
    try {
      failures = self_check_failures(module, function, target);
    } catch (const PoisonFound& found) {
      failures = {found.what()};
    }
    report(cat(file, " @", function.name, " (", target.name, ")"), failures);
    if (failures.empty() || target.is_interpreter || !explains()) return;
    const auto copy = with_checked_values(module, function);
    explain({.module = *copy,
             .function = *copy->find(function.name),
             .inputs = {},
             .target = target,
             .tolerance = options_.tolerance});
  }

  [[nodiscard]] bool explains() const { return options_.per_op || !options_.shrink.empty(); }

  /// Where and on how little a compiled program fails, as far as that is asked for.
  void explain(const Comparison& comparison) {
    try {
      if (options_.per_op) std::cout << "  " << first_departure(comparison) << "\n";
    } catch (const PoisonFound& found) {
      std::cout << "  with all values kept: " << found.what() << "\n";
    }
    if (!options_.shrink.empty())
      std::cout << "  " << shrink_to(comparison, options_.shrink) << "\n";
  }

  void check_recording(const std::string& file, const ir::Module& module,
                       const std::string& recording) {
    const ir::Function& function = module.entry(options_.function);
    const auto arrays = read_npz(recording);
    const auto inputs = bind_arrays(argument_ports(function), "in", arrays, recording);
    const auto expected = bind_arrays(ports(function.result_types), "out", arrays, recording);
    const std::vector<CoarseFloat> sources = coarse_sources(module, function);
    for (const CheckTarget& target : targets_)
      guard(cat(file, " (", target.name, ")"), [&] {
        std::vector<HostArray> results;
        std::vector<std::string> failures;
        try {
          results = target.run(module, function, inputs);
        } catch (const PoisonFound& found) {
          failures = {found.what()};
        }
        for (std::size_t k = 0; k < results.size(); ++k) {
          const auto tolerance =
              tolerance_for(expected[k].type.dtype, sources[k], options_.tolerance);
          if (const auto text = difference(results[k], expected[k], tolerance))
            failures.push_back(
                cat("out", k, " of type ", to_string(expected[k].type), ": ", *text));
        }
        report(cat(file, " (", target.name, ")"), failures);
        if (!failures.empty() && !target.is_interpreter)
          explain({.module = module,
                   .function = function,
                   .inputs = inputs,
                   .target = target,
                   .tolerance = options_.tolerance});
      });
  }

  const CheckOptions& options_;
  std::vector<CheckTarget> targets_;
  int passed_ = 0, failed_ = 0, refused_ = 0, refusal_code_ = exit_user_error;
  std::exception_ptr first_refusal_;
  std::string held_back_;  ///< of the first refusal, until something else is reported
};

/// "interpreter, X or all".
std::string target_choices() {
  std::vector<std::string> names = driver::built_targets();
  names.insert(names.begin(), "interpreter");
  names.emplace_back("all");
  return one_of(names);
}

}  // namespace

void add_check_command(CLI::App& app, Action& action) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* c = app.add_subcommand(
      "check", "Run programs and compare with recorded results, or run their own checks");
  c->add_option("programs", o->files, "Programs (.mlir)")->required();
  c->add_option("--target", o->target, target_choices());
  c->add_option("--io", o->io, "File with in0, …, out0, … (default: STEM.io.npz, else STEM.npz)");
  c->add_option("--function", o->function, "Entry function");
  c->add_option("--rtol", o->tolerance.relative, "Relative tolerance")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--atol", o->tolerance.absolute, "Absolute tolerance")
      ->check(CLI::NonNegativeNumber);
  c->add_option("--shards", o->shards, "Simulated shards of modules that do not say how many")
      ->check(CLI::PositiveNumber);
  c->add_option("--placement", o->placements, "NAME=N: a placement to look for")
      ->allow_extra_args(false);
  c->add_option("--layout", o->settings.layout, "loop, batch[:B] or auto");
  c->add_option("--gemm", o->settings.gemm, "auto, library or generated");
  c->add_flag("--poison", o->settings.poisons,
              "Run over memory filled with two patterns, also with each temporary in memory of its "
              "own: results must be the same bits, and nothing be written outside of its array");
  c->add_flag("--per-op", o->per_op,
              "On failure name the first op that departs from the interpreter");
  c->add_option("--shrink", o->shrink, "On failure write the smallest program that still fails");
  c->callback([&action, o] {
    action = [o] {
      o->settings.placements = parse_placements(o->placements);
      return Checker(*o).run();
    };
  });
}

}  // namespace partita::tool
