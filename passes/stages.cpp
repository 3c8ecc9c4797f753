// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/stages.hpp"

#include <algorithm>

#include "partita/base/error.hpp"

namespace partita::passes {
namespace {

bool is_placement_op(const ir::Node& node) {
  return node.is("mr.broadcast") || node.is("mr.map") || node.name().starts_with("mr.reduce_") ||
         node.is("mr.partition_index");
}

bool is_undone(const ir::Node& node, Stage stage) {
  if (stage >= Stage::inlined && node.is("func.call")) return true;
  if (stage >= Stage::inlined && node.is("stablehlo.composite")) {
    if (stage >= Stage::raised) return true;
    return !node.attrs.text("name", "").starts_with("partita.");
  }
  if (stage >= Stage::raised && node.is("sdy.manual_computation")) return true;
  if (stage >= Stage::placed && node.is("sdy.sharding_constraint")) return true;
  return stage >= Stage::placed && is_placement_op(node);
}

/// Name of the pass that establishes a stage.
std::string pass_that_reaches(Stage stage) {
  switch (stage) {
    case Stage::parsed:
      return "parsing";
    case Stage::inlined:
      return "inline";
    case Stage::raised:
      return "raise";
    case Stage::placed:
      return "place";
    case Stage::distributed:
      return "distribute";
  }
  return {};
}

}  // namespace

std::string why_not_reached(const ir::Module& module, Stage stage) {
  std::string found;
  for (const auto& f : module.functions) {
    if (!f->is_public) continue;
    ir::walk(*f->body, [&](ir::Node& node) {
      if (found.empty() && is_undone(node, stage)) found = cat(node.name(), " in @", f->name);
    });
  }
  return found;
}

std::string missing_for(const ir::Module& module, Stage stage) {
  const std::string found = why_not_reached(module, stage);
  if (found.empty()) return {};
  return cat("expected a module after ", pass_that_reaches(stage), ", found ", found);
}

}  // namespace partita::passes
