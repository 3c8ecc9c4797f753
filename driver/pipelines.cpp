// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The order of passes, said once.
#include <array>

#include "partita/base/error.hpp"
#include "partita/driver/pipelines.hpp"

namespace partita::passes {
namespace {

struct NamedPipeline {
  std::string_view name;
  std::array<std::string_view, 2> parts;
};

/// Up to the IR that an artifact keeps and `inspect` shows.  What differentiating leaves is simplified
/// again; where it leaves nothing new, that is skipped (see run_passes).
constexpr std::string_view frontend =
    "inline processes-to-lanes raise simplify-loops simplify differentiate simplify-loops simplify";
/// From placement ops to loops over this shard's partitions and collectives.
constexpr std::string_view placement =
    "expand-ops expand-reductions fuse-maps place simplify distribute expand-sorts widen-products";

constexpr NamedPipeline pipelines[] = {
    {"frontend", {frontend}}, {"placement", {placement}}, {"compile", {frontend, placement}}};

}  // namespace

std::vector<PassRun> named_pipeline(std::string_view name) {
  std::string known;
  for (const NamedPipeline& p : pipelines) {
    if (p.name == name) return parse_pipeline(cat(p.parts[0], " ", p.parts[1]));
    known += cat(known.empty() ? "" : ", ", p.name);
  }
  throw_user_error(cat("--pipeline: unknown pipeline '", name, "'; known: ", known));
}

}  // namespace partita::passes
