// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/driver/compile.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>

#include "driver/choose_tuning.hpp"
#include "kernel/schedule/arena.hpp"
#include "kernel/schedule/fuse_launches.hpp"
#include "kernel/schedule/independence.hpp"
#include "kernel/schedule/launch_rows.hpp"
#include "kernel/schedule/pack_launches.hpp"
#include "lowering/context/context.hpp"
#include "lowering/values/tuning_model.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "partita_generated/backends.hpp"

namespace partita::passes {

#define PARTITA_DECLARE(name) const Target& target_##name();
PARTITA_BACKENDS(PARTITA_DECLARE)
#undef PARTITA_DECLARE

namespace {

std::vector<const Target*> targets() {
  std::vector<const Target*> all;
#define PARTITA_LIST(name) all.push_back(&target_##name());
  PARTITA_BACKENDS(PARTITA_LIST)
#undef PARTITA_LIST
  return all;
}

/// Multiply-adds from which a product by the library is faster than one by interpreted kernels.
constexpr std::int64_t interpreted_threshold = 64;

ValuePolicy policy_for(const CompileOptions& options, const Target& target) {
  const TileSize tiles = target.tiles(options);
  ValuePolicy policy{
      .tiles = {.vector_bytes = tiles.vector_bytes, .rows = tiles.rows, .vectors = tiles.vectors}};
  policy.library_threshold = target.library_threshold;
  policy.packing_threshold = target.packing_threshold;
  if (target.compiles != nullptr && !target.compiles(options)) {
    policy.tiles.vector_bytes = 0;
    policy.library_threshold = std::min(policy.library_threshold, interpreted_threshold);
  }
  policy.multiplies_bf16 = target.multiplies_bf16 != nullptr && target.multiplies_bf16(options);
  const bool is_library = options.gemm == "library" || options.gemm == "clblast";
  if (is_library) policy.library_threshold = 1;
  if (options.gemm == "generated")
    policy.library_threshold = std::numeric_limits<std::int64_t>::max();
  if (options.gemm == "auto" || options.gemm == "generated" || is_library) return policy;
  throw_user_error(
      cat("--gemm: expected auto, library (or clblast) or generated, found '", options.gemm, "'"));
}

/// Decides by what was measured; `--gemm` still has the last word on the library.
void use_tuning(const ChosenTuning& chosen, const CompileOptions& options, ValuePolicy& policy) {
  if (!chosen.tuning) return;
  policy.tuning = std::make_shared<TuningModel>(*chosen.tuning);
  policy.asks_tuning = options.gemm == "auto";
}

/// Parameters of the library travel with the calls that need them.
void add_library_settings(const ChosenTuning& chosen, const PlanDraft& draft, Artifact& artifact) {
  const auto calls = draft.counts.find("library_calls");
  if (!chosen.tuning || calls == draft.counts.end() || calls->second == 0 ||
      chosen.tuning->parameters.empty())
    return;
  artifact.library = {.devices = chosen.tuning->device.covers,
                      .parameters = chosen.tuning->parameters};
}

/// Bytes of one shard: "C + sum of B * block(P)" over placements; evaluated for one shard too.
struct PlannedBytes {
  std::string formula;
  std::int64_t one_shard = 0;
};

PlannedBytes planned_bytes(const Plan& plan) {
  std::vector<std::int64_t> variables(plan.variables.size(), 0);
  const auto total = [&] {
    std::int64_t bytes = plan.arena_bytes;
    for (const Buffer& b : plan.buffers)
      if (b.kind != BufferKind::arena)
        bytes += b.count.evaluate(variables) * std::int64_t(byte_size(b.dtype));
    return bytes;
  };
  const std::int64_t constant = total();
  PlannedBytes result{cat(constant, " bytes"), constant};
  for (const Placement& p : plan.placements) {
    variables[std::size_t(p.end_variable)] = 1;
    const std::int64_t each = total() - constant;
    variables[std::size_t(p.end_variable)] = 0;
    result.formula += cat(" + ", each, " bytes * block(", p.name, ")");
    result.one_shard += each * p.size;
  }
  return result;
}

std::int64_t count_nodes(const ir::Module& module) {
  std::int64_t n = 0;
  for (const auto& f : module.functions) ir::walk(*f->body, [&](ir::Node&) { ++n; });
  return n;
}

/// Why so many partitions are taken at a time, by placement.
std::map<std::string, std::string> block_reasons(const ir::Module& module) {
  std::map<std::string, std::string> reasons;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](const ir::Node& node) {
      if (node.is("mr.foreach") && node.attrs.find("mr.block_reason") != nullptr)
        reasons[node.attrs.text("placement")] = node.attrs.text("mr.block_reason");
    });
  return reasons;
}

/// What derivatives keep from forward to reverse, as notes say it: "residuals of WHERE: BYTES".
void add_residuals(const PassContext& context, Artifact& artifact) {
  if (context.notes.empty()) return;
  const auto total = context.counts.find("residual_bytes");
  artifact.properties.emplace_back(
      "residuals", cat(total == context.counts.end() ? 0 : total->second, " bytes"));
  for (const std::string& note : context.notes) {
    const std::size_t colon = note.find(": ");
    PARTITA_ASSERT(colon != std::string::npos);
    artifact.properties.emplace_back(note.substr(0, colon), note.substr(colon + 2));
  }
}

/// What was asked for and decided, as the manifest and `inspect` say it.
void add_properties(const ir::Module& module, const CompileOptions& options, const PlanDraft& draft,
                    Artifact& artifact) {
  for (const auto& [name, size] : options.placements)
    artifact.properties.emplace_back("placement." + name, std::to_string(size));
  for (const auto& [placement, reason] : block_reasons(module))
    artifact.properties.emplace_back("block." + placement, reason);
  for (const auto& [name, how] : draft.contractions)
    artifact.properties.emplace_back("contraction." + name, how);
  artifact.properties.emplace_back("device", options.device);
  if (!options.device_profile.empty())
    artifact.properties.emplace_back("device_profile", options.device_profile);
  artifact.properties.emplace_back("function", options.function);
  artifact.properties.emplace_back("gemm", options.gemm);
  artifact.properties.emplace_back("layout", options.layout);
}

/// From what lowering leaves to what is printed.
void schedule(const CompileOptions& options, const Target& target, PlanDraft& draft) {
  remove_copies(draft);
  remove_dead_steps(draft);
  remove_copies(draft);
  fuse_launches(draft);
  remove_unread_stores(draft);
  if (target.has_row_launches) {
    launch_rows(draft, target.tiles(options).vector_bytes);
    pack_launches(draft);
  }
  assign_arena(draft, options.shares_arena);
  prove_independence(draft);
}

void check_dumps(const RunOptions& dumps) {
  std::vector<std::string> known{"all"};
  for (const PassRun& run : named_pipeline("compile"))
    if (std::ranges::find(known, run.name) == known.end()) known.push_back(run.name);
  for (const std::string& name : dumps.dump_after) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::string list;
    for (const std::string& k : known) list += cat(list.empty() ? "" : ", ", k);
    throw_user_error(cat("--dump-after: expected one of ", list, ", found '", name, "'"));
  }
}

class Stopwatch {
 public:
  explicit Stopwatch(std::vector<PassTiming>& into) : into_(into) {}
  void time(const std::string& name, const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    into_.push_back(
        {name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  }

 private:
  std::vector<PassTiming>& into_;
};

}  // namespace

const Target& find_target(const std::string& name) {
  std::string known;
  for (const Target* t : targets()) {
    if (t->name == name) return *t;
    known += (known.empty() ? "" : ", ") + t->name;
  }
  throw_user_error(cat("target '", name, "' is not built in; built in: ", known));
}

std::vector<std::string> built_targets() {
  std::vector<std::string> names;
  for (const Target* t : targets()) names.push_back(t->name);
  return names;
}

std::vector<std::string> tuned_devices(const std::string& target) {
  std::vector<std::string> names;
  for (const Target::TuningText& t : find_target(target).tunings) names.emplace_back(t.device);
  return names;
}

std::vector<std::string> covered_devices(const std::string& target) {
  std::vector<std::string> beginnings;
  for (const Target::TuningText& t : find_target(target).tunings)
    for (std::string& b : tuning_from_json(t.text, std::string(t.device)).device.covers)
      beginnings.push_back(std::move(b));
  return beginnings;
}

namespace {

Artifact compile_once(const ir::Module& original, const CompileOptions& options, CompileReport& r) {
  const Target& target = find_target(options.target);
  ValuePolicy policy = policy_for(options, target);
  const ChosenTuning tuning = choose_tuning(options, target);
  use_tuning(tuning, options, policy);
  check_dumps(options.dumps);
  const std::unique_ptr<ir::Module> module = ir::clone_module(original);
  r.counts["nodes"] = count_nodes(original);

  PassContext context;
  context.function = options.function;
  context.placements = options.placements;
  context.layout = options.layout;
  Artifact artifact;
  artifact.target = target.name;
  artifact.module_name = original.name;
  RunOptions dumps = options.dumps;
  const auto front = run_passes(*module, named_pipeline("frontend"), context, dumps);
  artifact.ir = ir::print_module(*module);
  dumps.passes_before = front.size();
  const auto back = run_passes(*module, named_pipeline("placement"), context, dumps);
  r.timings.insert(r.timings.end(), front.begin(), front.end());
  r.timings.insert(r.timings.end(), back.begin(), back.end());
  r.remarks = context.remarks;
  r.notes = context.notes;
  r.counts.insert(context.counts.begin(), context.counts.end());

  Stopwatch watch(r.timings);
  PlanDraft draft;
  watch.time("form-kernels",
             [&] { draft = Context(*module, module->entry(options.function), policy).lower(); });
  watch.time("plan", [&] { schedule(options, target, draft); });
  watch.time("codegen", [&] {
    artifact.plan = draft.plan;
    artifact.constants = std::move(draft.constants);
    target.generate(draft, options, artifact);
    add_library_settings(tuning, draft, artifact);
  });
  r.counts.insert(draft.counts.begin(), draft.counts.end());
  r.counts["kernels"] = std::int64_t(artifact.kernels.size());
  const PlannedBytes planned = planned_bytes(artifact.plan);
  r.planned_bytes = planned.formula;
  r.arena_bytes = artifact.plan.arena_bytes;
  if (options.memory_budget > 0 && planned.one_shard > options.memory_budget)
    throw_user_error(cat("--memory-budget: expected at most ", options.memory_budget,
                         " bytes on one shard, found ", planned.one_shard, " (", planned.formula,
                         ")"));
  add_properties(*module, options, draft, artifact);
  r.tuning = tuning.text;
  for (const auto& [name, how] : draft.contractions) r.contractions.push_back(cat(name, ": ", how));
  add_residuals(context, artifact);
  artifact.properties.emplace_back("tuning", tuning.text);
  artifact.properties.emplace_back("planned_bytes", planned.formula);
  std::ranges::sort(artifact.properties);
  return artifact;
}

/// As tier 0, unless its code cannot say what the program does.
std::optional<Artifact> interpreted(const ir::Module& original, CompileOptions options,
                                    CompileReport& report) {
  options.tier = "0";
  CompileReport own;
  try {
    Artifact artifact = compile_once(original, options, own);
    report = std::move(own);
    return artifact;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::user) throw;
    return std::nullopt;
  }
}

}  // namespace

Artifact compile_module(const ir::Module& original, const CompileOptions& options,
                        CompileReport* report) {
  CompileReport unused;
  CompileReport& r = report != nullptr ? *report : unused;
  const Target& target = find_target(options.target);
  // Dumps are written once.
  const bool may_choose = target.compiles != nullptr && options.tier == "auto" &&
                          options.runs > 0 && options.dumps.dump_after.empty();
  if (!may_choose) {
    CompileOptions fixed = options;
    fixed.runs = 0;
    return compile_once(original, fixed, r);
  }
  Artifact artifact = compile_once(original, options, r);
  if (artifact.kernels.empty() || !artifact.binaries.empty()) return artifact;
  if (auto other = interpreted(original, options, r)) return std::move(*other);
  CompileOptions native = options;
  native.tier = "1";
  r = {};
  return compile_once(original, native, r);
}

}  // namespace partita::passes
