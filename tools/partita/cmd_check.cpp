// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita check`: runs programs and compares their results with recorded ones, and functions that
// check themselves.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/mesh.hpp"
#include "tools/partita/check/compare.hpp"
#include "tools/partita/check/per_op.hpp"
#include "tools/partita/check/recording.hpp"
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
  std::string target = "interpreter", io, function = "main", shrink, artifacts;
  CompileSettings settings;
  ToleranceOptions tolerance;
  ir::OpenArguments open;
  std::int64_t shards = 0;  ///< 0: as modules say
  bool per_op = false;
};

void declare_shards(ir::Module& module, std::int64_t shards) {
  if (shards == 0 || module.attrs.contains("mhlo.num_partitions") ||
      module.attrs.contains("mhlo.num_replicas"))
    return;
  module.attrs.set("mhlo.num_partitions", ir::Integer{.value = shards, .type = "i32"});
}

class Checker {
 public:
  explicit Checker(const CheckOptions& options)
      : options_(options), targets_(choose_targets(options.target, options.settings)) {}

  int run() {
    if (!options_.artifacts.empty() && (explains() || options_.settings.poisons))
      throw_user_error("--artifacts: expected neither --per-op, --shrink nor --poison beside it");
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

  /// Those of the command, or the artifact that the program was compiled to.
  [[nodiscard]] std::vector<CheckTarget> targets_of(const std::string& file) const {
    if (options_.artifacts.empty()) return targets_;
    const std::string name = std::filesystem::path(file).filename().string();
    return {artifact_target(std::filesystem::path(options_.artifacts) /
                            (name.substr(0, name.find('.')) + ".pta"))};
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
    const std::string recording = options_.io.empty() ? find_recording(file) : options_.io;
    auto modules = ir::read_partial_modules(file, options_.open);
    const bool is_refused = std::ranges::any_of(
        modules, [](const ir::PartialModule& read) { return !read.refusals.empty(); });
    if (is_refused && !recording.empty())  // it may leave extents open
      modules = ir::read_partial_modules(file, recorded_shapes(recording, options_.open));
    for (const ir::PartialModule& read : modules)
      if (read.module) declare_shards(*read.module, options_.shards);
    bool has_checks = false;
    for (const ir::PartialModule& read : modules) {
      refuse_unread(file, read);
      has_checks = has_checks || !read.refusals.empty();
      if (!read.module) continue;
      for (const auto& function : read.module->functions)
        if (checks_itself(*function) && options_.artifacts.empty()) {
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
    const Recording recorded = read_recording(recording, argument_ports(module, function),
                                              ir::whole_result_types(module, function));
    for (const CheckTarget& target : targets_of(file))
      guard(cat(file, " (", target.name, ")"), [&] {
        std::vector<std::string> failures;
        try {
          failures = departures(module, function, target.run(module, function, recorded.inputs),
                                recorded, options_.tolerance);
        } catch (const PoisonFound& found) {
          failures = {found.what()};
        }
        report(cat(file, " (", target.name, ")"), failures);
        if (!failures.empty() && !target.is_interpreter)
          explain({.module = module,
                   .function = function,
                   .inputs = recorded.inputs,
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
  c->add_option("--artifacts", o->artifacts,
                "Folder: run STEM.pta of it, compiled earlier, in place of compiling STEM.mlir");
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
  add_open_options(*c, o->open);
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
