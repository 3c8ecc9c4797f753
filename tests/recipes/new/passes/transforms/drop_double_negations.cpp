// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// -(-x) becomes x.
#include <vector>

#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Node;
using ir::Value;

void run(ir::Module& module, PassContext& context) {
  for (const auto& f : module.functions) {
    std::vector<Node*> negations;
    ir::walk(*f->body, [&](Node& node) {
      if (node.is("stablehlo.negate")) negations.push_back(&node);
    });
    for (Node* node : negations) {
      Node* inner = node->operand(0).node;
      if (inner == nullptr || !inner->is("stablehlo.negate")) continue;
      f->body->replace_uses({{node->result(0), inner->operand(0)}});
      ++context.counts["negations_dropped"];
    }
  }
}

}  // namespace

PassInfo pass_drop_double_negations();
PassInfo pass_drop_double_negations() {
  return {.name = "drop-double-negations",
          .doc = "Writes the negation of a negation as what was negated.",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
