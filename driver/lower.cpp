// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/lower.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "kernel/draft_pass.hpp"
#include "kernel/text/draft_text.hpp"
#include "lowering/context/context.hpp"
#include "lowering/values/tuning_model.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/target.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "passes/stages.hpp"

namespace partita::passes {
namespace {

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
  if (asks_for_library(options.gemm)) policy.library_threshold = 1;
  if (options.gemm == "generated")
    policy.library_threshold = std::numeric_limits<std::int64_t>::max();
  return policy;
}

/// Decides by what was measured; `--gemm` still has the last word on the library.
void use_tuning(const ChosenTuning& chosen, const CompileOptions& options, ValuePolicy& policy) {
  if (!chosen.tuning) return;
  policy.tuning = std::make_shared<TuningModel>(*chosen.tuning);
  policy.asks_tuning = options.gemm == "auto";
}

}  // namespace

std::vector<std::string> lower_options() { return {"target", "gemm"}; }

PlanDraft lower(const Lowering& lowering) {
  const CompileOptions& options = lowering.options;
  ValuePolicy policy = policy_for(options, find_target(options.target));
  use_tuning(lowering.tuning, options, policy);
  const ir::Module& module = lowering.module;
  return Context(module, module.entry(options.function), policy).lower();
}

std::vector<PassTiming> run_lowering(const Lowering& lowering, PlanDraft& draft,
                                     const RunOptions& options, DraftVerifier& verifier) {
  const ir::Module& module = lowering.module;
  const manager::Pass pass{.options = lower_options(),
                           .missing = [&] { return missing_for(module, Stage::distributed); },
                           .run =
                               [&](const PassRun&) {
                                 draft = lower(lowering);
                                 verifier.verify(draft);
                               }};
  const PassRun run{std::string(lower_name),
                    {{"target", lowering.options.target}, {"gemm", lowering.options.gemm}}};
  return manager::run({.ending = "draft",
                       .text = [&] { return print_draft(draft); },
                       .find = [&](const std::string&) { return pass; },
                       .original =
                           [&] {
                             return manager::Source{"mlir", ir::print_module(module)};
                           }},
                      {run}, options);
}

manager::Source source_of(const PlanDraft& draft) { return {"draft", print_draft(draft)}; }

}  // namespace partita::passes
