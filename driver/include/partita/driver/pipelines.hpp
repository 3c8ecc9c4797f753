// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes over modules by name: pipelines, and running them.
#pragma once

#include "partita/manager/manager.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes {

using manager::PassRun;
using manager::PassTiming;
using manager::RunOptions;

/// "inline raise{k=v other=w} simplify" -> runs; unknown names and bad syntax are user errors.
[[nodiscard]] std::vector<PassRun> parse_pipeline(std::string_view text);
/// "compile" (everything), "frontend" (inline, raise, simplify), …
[[nodiscard]] std::vector<PassRun> named_pipeline(std::string_view name);

/// Runs in order; after each pass nodes and functions that nothing uses go, and the module is verified.
/// A pass whose needed stage is not reached is a user error that names both.
std::vector<PassTiming> run_passes(ir::Module& module, const std::vector<PassRun>& passes,
                                   PassContext& context, const RunOptions& options = {});

}  // namespace partita::passes
