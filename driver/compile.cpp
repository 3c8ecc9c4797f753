// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/compile.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <span>

#include "driver/choose_target_info.hpp"
#include "driver/choose_tuning.hpp"
#include "driver/lower.hpp"
#include "driver/mesh_option.hpp"
#include "driver/properties.hpp"
#include "driver/schedule.hpp"
#include "driver/suggest_placement.hpp"
#include "kernel/draft_pass.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/called_functions.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/token_ports.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;
namespace {

std::string_view frontend_of(const CompileOptions& options) {
  return options.keeps_placements ? "frontend" : "vectorized-frontend";
}

void check_wire(const CompileOptions& options) {
  const bool is_rounded = options.wire.format != WireFormat::exact;
  if (is_rounded && options.is_reproducible)
    throw_user_error(
        "--reproducible: expected no --allreduce-dtype of fewer bits, whose sums depend on the "
        "ranks");
  if (options.wire.feeds_back && !is_rounded)
    throw_user_error("--allreduce-feedback: expected an --allreduce-dtype bf16, f16 or int8");
}

void check_dumps(const CompileOptions& options, const std::vector<PassRun>& schedule) {
  const RunOptions& dumps = options.dumps;
  std::vector<std::string> known{"all"};
  const auto add = [&](const std::vector<PassRun>& runs) {
    for (const PassRun& run : runs)
      if (std::ranges::find(known, run.name) == known.end()) known.push_back(run.name);
  };
  add(named_pipeline(frontend_of(options)));
  add(named_pipeline("placement"));
  add({{std::string(lower_name), {}}});
  add(schedule);
  for (const std::string& name : dumps.dump_after) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (const std::string& k : known) list += cat(list.empty() ? "" : ", ", k);
    throw_user_error(cat("--dump-after: expected one of ", list, ", found '", name, "'"));
  }
}

std::int64_t count_nodes(const ir::Module& module) {
  std::int64_t n = 0;
  for (const auto& f : module.functions) ir::walk(*f->body, [&](ir::Node&) { ++n; });
  return n;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void expect_within_budget(const PlannedBytes& planned, std::int64_t budget) {
  if (budget > 0 && planned.one_shard > budget)
    throw_user_error(cat("--memory-budget: expected at most ", budget,
                         " bytes on one shard, found ", planned.one_shard, " (", planned.formula,
                         ")"));
}

/// Runs pipelines one after the other, with one numbering of dumps and one list of times.
class Pipelines {
 public:
  Pipelines(const RunOptions& dumps, std::vector<PassTiming>& timings)
      : dumps_(dumps), timings_(timings) {}
  /// `run`: gives the times of its passes.
  void run(const std::function<std::vector<PassTiming>(const RunOptions&)>& run) {
    const std::vector<PassTiming> times = run(dumps_);
    dumps_.passes_before += times.size();
    timings_.insert(timings_.end(), times.begin(), times.end());
  }

 private:
  RunOptions dumps_;
  std::vector<PassTiming>& timings_;
};

/// Constants of more elements are hexadecimal in the artifact's text of the program.
constexpr std::int64_t long_constant = 64;

/// Where a compilation begins and what others may begin with.
struct Start {
  const ir::Module& module;
  bool is_behind_frontend = false;
  /// Is given the module behind the front end.
  std::function<void(const ir::Module&)> on_frontend = {};
};

Artifact compile_once(const Start& start, const CompileOptions& options, CompileReport& r) {
  const Target& target = find_target(options.target);
  const ChosenTuning tuning = choose_tuning(options, target);
  const TargetInfo info = choose_target_info(options, target);
  const std::vector<PassRun> schedule = schedule_pipeline(info, options);
  check_dumps(options, schedule);
  check_wire(options);
  const std::unique_ptr<ir::Module> module = ir::clone_module(start.module);
  ir::keep_function(*module, options.function);
  ir::replace_token_ports(module->entry(options.function));
  r.counts["nodes"] = count_nodes(start.module);

  PassContext context{.function = options.function,
                      .placements = options.placements,
                      .layout = options.layout,
                      .shards = options.shards,
                      .is_reproducible = options.is_reproducible,
                      .wire = options.wire,
                      .target = info};
  Artifact artifact;
  artifact.target = target.name;
  artifact.name = options.function;
  artifact.device_class = info.device_class;
  artifact.module_name = start.module.name;
  Pipelines pipelines(options.dumps, r.timings);
  const auto run_over_module = [&](std::string_view name) {
    pipelines.run([&](const RunOptions& dumps) {
      return run_passes(*module, named_pipeline(name), context, dumps);
    });
  };
  if (!start.is_behind_frontend) {
    declare_mesh(*module, options.mesh);
    run_over_module(frontend_of(options));
  }
  for (const std::string& line : context.shardings) artifact.shardings += cat(line, "\n");
  if (start.on_frontend) start.on_frontend(*module);
  artifact.ir = ir::print_module(*module, {.max_dense_elements = long_constant});
  run_over_module("placement");
  r.remarks = context.remarks;
  r.notes = context.notes;
  r.counts.insert(context.counts.begin(), context.counts.end());

  const Lowering lowering{*module, options, info, tuning};
  PlanDraft draft;
  DraftVerifier verifier;
  pipelines.run(
      [&](const RunOptions& dumps) { return run_lowering(lowering, draft, dumps, verifier); });
  pipelines.run([&](const RunOptions& dumps) {
    return run_draft_passes(
        draft, schedule, [&] { return source_of(lower(lowering)); }, dumps, verifier);
  });
  const PlannedBytes planned = planned_bytes(draft.plan);
  expect_within_budget(planned, options.memory_budget);
  const double codegen_seconds = seconds_of([&] {
    artifact.plan = draft.plan;
    for (HostArray& constant : draft.constants)
      artifact.constants.push_back(std::make_shared<HostArray>(std::move(constant)));
    target.generate(draft, options, info, artifact);
  });
  r.timings.push_back({"codegen", codegen_seconds});
  describe({*module, context, info, tuning, draft}, options, planned, artifact);

  r.counts.insert(draft.counts.begin(), draft.counts.end());
  r.counts["kernels"] = std::int64_t(artifact.kernels.size());
  r.planned_bytes = planned.formula;
  r.planned_one_shard = planned.one_shard;
  r.arena_bytes = artifact.plan.arena_bytes;
  r.tuning = tuning.text;
  for (const auto& [name, how] : draft.contractions) r.contractions.push_back(cat(name, ": ", how));
  return artifact;
}

/// By the first of several options that can say what the program does; an error of the last is one.
Artifact compile_by_first(const ir::Module& original, std::span<const CompileOptions> all,
                          CompileReport& report) {
  for (const CompileOptions& options : all.first(all.size() - 1)) {
    CompileReport own;
    try {
      Artifact artifact = compile_once({original}, options, own);
      report = std::move(own);
      return artifact;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::user) throw;
    }
  }
  report = {};
  return compile_once({original}, all.back(), report);
}

/// Nothing is known of the device.
bool wants_variants(const CompileOptions& options, const Target& target) {
  return options.has_variants && !target.simt_profile.empty() && options.device == "generic" &&
         !options.device_info && !options.tuning && !options.text_only;
}

/// With a variant for devices of many items; without it, and a remark, where it cannot be made.  The two have the
/// front end in common; from there on each is made on a thread of its own.
Artifact compile_variants(const ir::Module& original, const CompileOptions& options,
                          const Target& target, CompileReport& report) {
  CompileOptions other = options;
  other.device = target.simt_profile;
  other.memory_budget = 0;  // of the variant that is reported
  other.dumps = {};
  std::unique_ptr<ir::Module> module;
  std::future<Artifact> variant;
  const auto begin_variant = [&](const ir::Module& behind_frontend) {
    module = ir::clone_module(behind_frontend);
    variant = std::async([&] {
      CompileReport unused;
      return compile_once({*module, true}, other, unused);
    });
  };
  Artifact artifact = compile_once({original, false, begin_variant}, options, report);
  try {
    add_variant(artifact, variant.get());
  } catch (const Error& error) {
    report.remarks.push_back(cat("no variant for ", other.device, ": ", error.what()));
  }
  return artifact;
}

/// The one that the options name.
Artifact compile_function(const ir::Module& original, const CompileOptions& options,
                          CompileReport& r) {
  const Target& target = find_target(options.target);
  std::vector<CompileOptions> others;
  // Dumps are written once.
  if (target.alternatives != nullptr && options.runs > 0 && options.dumps.dump_after.empty())
    others = target.alternatives(options);
  if (others.empty()) {
    CompileOptions fixed = options;
    fixed.runs = 0;
    Artifact artifact = wants_variants(options, target)
                            ? compile_variants(original, fixed, target, r)
                            : compile_once({original}, fixed, r);
    const auto plan = [&](const CompileOptions& other) {
      CompileReport planned;
      (void)compile_once({original}, other, planned);
      return planned;
    };
    if (std::string remark = suggest_placement(original, fixed, r, plan); !remark.empty())
      r.remarks.push_back(std::move(remark));
    return artifact;
  }
  Artifact artifact = compile_once({original}, options, r);
  if (artifact.kernels.empty() || !artifact.binaries.empty()) return artifact;
  return compile_by_first(original, others, r);
}

}  // namespace

Artifact compile_module(const ir::Module& original, const CompileOptions& options,
                        CompileReport* report) {
  check_target_options(find_target(options.target), options);
  if (!options.more_functions.empty() && !options.dumps.dump_after.empty())
    throw_user_error(
        cat("--dump-after: expected one --function, found ", options.more_functions.size() + 1));
  CompileReport all;
  Artifact artifact = compile_function(original, options, all);
  all.function = options.function;
  for (const std::string& name : options.more_functions) {
    CompileOptions own = options;
    own.function = name;
    CompileReport& further = all.more_functions.emplace_back();
    add_functions(artifact, compile_function(original, own, further));
    further.function = name;
  }
  if (report != nullptr) *report = std::move(all);
  return artifact;
}

}  // namespace partita::driver
