// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes by name: pipelines, and running them over modules and over text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "partita/frontend/stablehlo.hpp"
#include "partita/manager/manager.hpp"
#include "partita/passes/pass.hpp"

namespace partita::driver {

using manager::PassRun;
using manager::PassTiming;
using manager::RunOptions;

/// "inline raise{k=v other=w} simplify" -> runs over a module; unknown names and bad syntax are user
/// errors.
[[nodiscard]] std::vector<PassRun> parse_pipeline(std::string_view text);
/// "compile" (all passes over modules), "frontend" (inline, raise, simplify), …; "schedule-TARGET": what
/// a draft goes through after lowering for a target.
[[nodiscard]] std::vector<PassRun> named_pipeline(std::string_view name);
[[nodiscard]] std::vector<std::string> pipeline_names();

/// Runs in order; after each pass nodes and functions that nothing uses go, and the module is verified.
/// A pass whose needed stage is not reached is a user error that names both.
std::vector<PassTiming> run_passes(ir::Module& module, const std::vector<PassRun>& passes,
                                   passes::PassContext& context, const RunOptions& options = {});

/// What `partita opt` does with a file.
struct OptRequest {
  /// Over modules; from `lower` on over drafts.  A file that ends in .draft holds a draft.
  std::vector<PassRun> passes;
  passes::PassContext context;  ///< remarks, notes and counts of all modules are added to it
  bool locations = false;
  ir::OpenArguments open;  ///< for which extents the file is read
};

/// The text of what the passes leave of a file's modules, "// -----" between them, or of its draft.
/// Passes of one kind on the other, and an unknown pass, are user errors.
[[nodiscard]] std::string run_passes_on_file(const std::filesystem::path& path,
                                             OptRequest& request);

}  // namespace partita::driver
