// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The order of passes, said once.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes {
namespace {

struct NamedPipeline {
  std::string_view name, passes;
};

constexpr NamedPipeline pipelines[] = {
    // Up to the IR that an artifact keeps and `inspect` shows.
    {"frontend",
     "inline processes-to-lanes raise simplify-loops simplify differentiate simplify-loops "
     "simplify"},
    // From placement ops to loops over this shard's partitions and collectives.
    {"placement",
     "expand-ops expand-reductions fuse-maps place simplify distribute expand-sorts "
     "widen-products"},
    {"compile",
     "inline processes-to-lanes raise simplify-loops simplify differentiate simplify-loops "
     "simplify expand-ops expand-reductions fuse-maps place simplify distribute expand-sorts "
     "widen-products"},
};

}  // namespace

std::vector<PassRun> named_pipeline(std::string_view name) {
  std::string known;
  for (const NamedPipeline& p : pipelines) {
    if (p.name == name) return parse_pipeline(p.passes);
    known += cat(known.empty() ? "" : ", ", p.name);
  }
  throw_user_error(cat("--pipeline: unknown pipeline '", name, "'; known: ", known));
}

}  // namespace partita::passes
