// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What an artifact says of how it was compiled.
#pragma once

#include <cstdint>
#include <string>

#include "driver/choose_tuning.hpp"
#include "kernel/ast/plan_draft.hpp"
#include "partita/driver/compile.hpp"
#include "partita/ir/graph.hpp"
#include "partita/passes/pass.hpp"

namespace partita::driver {

using namespace kernel;
using namespace passes;

/// Bytes of one shard: "C + sum of B * block(P)" over placements; evaluated for one shard too.
struct PlannedBytes {
  std::string formula;
  std::int64_t one_shard = 0;
};
[[nodiscard]] PlannedBytes planned_bytes(const Plan& plan);

/// What a compilation has come to, before its kernels are printed.
struct CompiledProgram {
  const ir::Module& module;
  const PassContext& context;
  const TargetInfo& target;
  const ChosenTuning& tuning;
  const PlanDraft& draft;
};

/// Adds to `artifact` what was asked for, what was decided and why, and what the library is to be told.
void describe(const CompiledProgram& program, const CompileOptions& options,
              const PlannedBytes& planned, Artifact& artifact);

}  // namespace partita::driver
