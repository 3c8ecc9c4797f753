// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes: functions over a module, one file each in passes/transforms/, found by folder, run by
// name.  The manager verifies after each, removes dead nodes, times, dumps, and on an internal error
// writes a crash file with the command that replays it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partita/ir/graph.hpp"

namespace partita::passes {

/// Invariants a module has reached; each pass needs some and establishes some.
enum class Stage : std::uint8_t {
  parsed,       ///< as read: calls, composites
  inlined,      ///< no func.call; composites only partita.* ; while canonical
  raised,       ///< placement in mr ops; no partita.* composites
  placed,       ///< no mr.broadcast, mr.map, mr.reduce_*: mr.foreach instead
  distributed,  ///< reductions and gathers over placements are explicit collectives
};

/// What passes share; everything a later pass needs beyond this is in the module itself.
struct PassContext {
  std::string function = "main";
  std::map<std::string, std::int64_t> placements;  ///< --placement NAME=N
  std::string layout = "auto";                     ///< loop | batch[:B] | auto
  std::map<std::string, std::string> options;      ///< of this pass: name{key=value}
  std::vector<std::string> remarks;                ///< what was not recovered or fused, and why
  std::vector<std::string> notes;                  ///< what else the summary says
  std::map<std::string, std::int64_t> counts;      ///< for the summary: maps_recovered, …
};

struct PassInfo {
  std::string name, doc;
  Stage needs = Stage::parsed, gives = Stage::parsed;
  bool idempotent = false;
  std::function<void(ir::Module&, PassContext&)> run;
};

[[nodiscard]] std::vector<PassInfo> all_passes();  ///< generated list, by name
[[nodiscard]] const PassInfo& find_pass(std::string_view name);

struct PassRun {
  std::string name;
  std::map<std::string, std::string> options;
};
/// "inline raise{k=v other=w} simplify" -> runs; unknown names and bad syntax are user errors.
[[nodiscard]] std::vector<PassRun> parse_pipeline(std::string_view text);
/// "compile" (everything), "frontend" (inline, raise, simplify), …
[[nodiscard]] std::vector<PassRun> named_pipeline(std::string_view name);

struct PassTiming {
  std::string name;
  double seconds = 0;
};
struct RunOptions {
  std::vector<std::string> dump_after;   ///< names or "all"
  std::filesystem::path dump_directory;  ///< empty: the working directory
  std::size_t passes_before = 0;  ///< files are numbered NN-pass.mlir from the next number on
};
/// Runs in order.  A pass whose needed stage is not reached is a user error that names both.
std::vector<PassTiming> run_passes(ir::Module& module, const std::vector<PassRun>& passes,
                                   PassContext& context, const RunOptions& options = {});

}  // namespace partita::passes
