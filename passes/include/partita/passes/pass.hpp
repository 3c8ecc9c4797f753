// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Passes: functions over a module, one file or folder each in passes/transforms/, found by folder, run
// by name (partita/driver/pipelines.hpp).
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "partita/base/target_info.hpp"
#include "partita/base/wire.hpp"
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
  bool shards = true;                              ///< a program with a mesh becomes a shard's
  bool is_reproducible = false;                ///< sums have the same bits on any number of shards
  Wire wire = {};                              ///< how sums over placements travel
  TargetInfo target = {};                      ///< what is compiled for
  std::map<std::string, std::string> options;  ///< of this pass: name{key=value}
  std::vector<std::string> remarks;            ///< what was not recovered or fused, and why
  std::vector<std::string> notes;              ///< what else the summary says
  std::vector<std::string> shardings;          ///< how a mesh cuts each value, and why
  std::map<std::string, std::int64_t> counts;  ///< for the summary: maps_recovered, …
};

struct PassInfo {
  std::string name, doc;
  Stage needs = Stage::parsed, gives = Stage::parsed;
  bool idempotent = false;
  std::vector<std::string> options = {};  ///< that it knows
  std::function<void(ir::Module&, PassContext&)> run;
};

[[nodiscard]] std::vector<PassInfo> all_passes();  ///< generated list, by name
[[nodiscard]] const PassInfo& find_pass(std::string_view name);

}  // namespace partita::passes
