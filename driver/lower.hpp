// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// From a module to the draft of a plan: the step between passes over graphs and passes over drafts, run
// as a pass too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "driver/choose_tuning.hpp"
#include "kernel/ast/plan_draft.hpp"
#include "kernel/draft_pass.hpp"
#include "partita/driver/compile.hpp"
#include "partita/ir/graph.hpp"

namespace partita::driver {

using namespace kernel;

/// Its name as a pass.
inline constexpr std::string_view lower_name = "lower";
/// What it can be told as a pass; the rest is as `partita compile` has it by default.
[[nodiscard]] std::vector<std::string> lower_options();

/// What is lowered: the entry function of a module that all passes over graphs have been over.
struct Lowering {
  const ir::Module& module;
  const CompileOptions& options;
  const TargetInfo& target;
  const ChosenTuning& tuning;
};

[[nodiscard]] PlanDraft lower(const Lowering& lowering);
/// The same for a manager: timed, dumped, verified; what breaks leaves the module in a crash file.  A
/// module before the last stage is a user error.
std::vector<PassTiming> run_lowering(const Lowering& lowering, PlanDraft& draft,
                                     const RunOptions& options, DraftVerifier& verifier);

/// A draft for a file.
[[nodiscard]] manager::Source source_of(const PlanDraft& draft);

}  // namespace partita::driver
