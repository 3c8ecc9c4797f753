// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The order of passes, said once.
#include <algorithm>
#include <array>

#include "driver/choose_target_info.hpp"
#include "driver/schedule.hpp"
#include "partita/base/error.hpp"
#include "partita/driver/pipelines.hpp"

namespace partita::driver {

using namespace kernel;
namespace {

struct NamedPipeline {
  std::string_view name;
  std::array<std::string_view, 4> parts;  ///< one after the other; empty: none
};

/// Up to the IR that an artifact keeps and `inspect` shows, in two parts.  What differentiating leaves is simplified
/// again; where it leaves nothing new, that is skipped (see run_passes).
constexpr std::string_view raised =
    "inline name-mesh refine-mesh expand-manual batch-processes raise simplify-loops simplify "
    "differentiate simplify-loops simplify";
constexpr std::string_view cut = "partition simplify";
/// Between the two, for a program whose placements are dimensions like any other
/// (CompileOptions::keeps_placements).
constexpr std::string_view vectorized = "expand-reductions vectorize-maps simplify";
/// From placement ops to loops over this shard's partitions and collectives.
constexpr std::string_view placement =
    "expand-ops expand-reductions order-sums fuse-maps place simplify distribute expand-sorts "
    "widen-products form-attention stream-rows start-collectives";

constexpr NamedPipeline pipelines[] = {{"frontend", {raised, cut}},
                                       {"vectorized-frontend", {raised, vectorized, cut}},
                                       {"placement", {placement}},
                                       {"compile", {raised, cut, placement}},
                                       {"vectorized", {raised, vectorized, cut, placement}}};

/// From the draft that lowering leaves to what is printed.
constexpr std::string_view tidy = "remove-copies remove-dead-steps remove-copies";
constexpr std::string_view finish = "prove-independence";

constexpr std::string_view schedule_prefix = "schedule-";

}  // namespace

std::vector<PassRun> schedule_pipeline(const TargetInfo& target, const CompileOptions& options) {
  const std::string launch = cat("{launch-elements=", target.launch_elements(), "}");
  const bool is_simt = target.device_class == DeviceClass::simt;
  std::string text(tidy);
  if (is_simt) text += cat(" launch-copies{group=", target.preferred_group, "}");
  text += cat(" fuse-launches", launch, " remove-unread-stores");
  if (is_simt)
    text += cat(" widen-items{least-items=", target.busy_items(), "} guard-loops");
  else if (target.has_row_launches)
    text += cat(" launch-rows{vector-bytes=", target.vector_bytes, "} pack-launches", launch);
  if (options.shares_arena) text += " advance-launches reuse-donated update-in-place";
  if (target.library_convolves) text += " follow-calls";
  text += options.shares_arena ? " assign-arena " : " assign-arena{share=no} ";
  return manager::parse_runs(cat(text, finish));
}

std::vector<PassRun> named_pipeline(std::string_view name) {
  for (const NamedPipeline& p : pipelines)
    if (p.name == name) {
      std::string text;
      for (const std::string_view part : p.parts) text += cat(part, " ");
      return manager::parse_runs(text);
    }
  for (const std::string& target : built_targets())
    if (name == cat(schedule_prefix, target)) {
      const CompileOptions options{.target = target};
      return schedule_pipeline(choose_target_info(options, find_target(target)), options);
    }
  std::string known;
  for (const std::string& n : pipeline_names()) known += cat(known.empty() ? "" : ", ", n);
  throw_user_error(cat("--pipeline: unknown pipeline '", name, "'; known: ", known));
}

std::vector<std::string> pipeline_names() {
  std::vector<std::string> names;
  for (const NamedPipeline& p : pipelines) names.emplace_back(p.name);
  for (const std::string& target : built_targets()) names.push_back(cat(schedule_prefix, target));
  return names;
}

}  // namespace partita::driver
