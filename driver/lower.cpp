// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "driver/lower.hpp"

#include <memory>

#include "kernel/draft_pass.hpp"
#include "kernel/text/draft_text.hpp"
#include "lowering/context/context.hpp"
#include "lowering/values/tuning_model.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "passes/stages.hpp"

namespace partita::driver {

using namespace kernel;
using namespace lowering;
using namespace passes;
namespace {

/// `--gemm` has the last word on the library.
LibraryUse library_use(const std::string& gemm) {
  if (asks_for_library(gemm)) return LibraryUse::always;
  return gemm == "generated" ? LibraryUse::never : LibraryUse::where_faster;
}

}  // namespace

std::vector<std::string> lower_options() { return {"target", "gemm"}; }

PlanDraft lower(const Lowering& lowering) {
  const CompileOptions& options = lowering.options;
  ValuePolicy policy{.target = lowering.target,
                     .library = library_use(options.gemm),
                     .may_call_host = !options.text_only,
                     .is_reproducible = options.is_reproducible,
                     .rounds_to_tf32 = options.rounds_to_tf32};
  if (const auto& tuning = lowering.tuning.tuning)
    policy.tuning = std::make_shared<TuningModel>(*tuning);
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

}  // namespace partita::driver
