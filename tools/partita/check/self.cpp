// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/check/self.hpp"

#include "partita/base/error.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/op.hpp"

namespace partita::tool {

namespace {

bool is_check(const ir::Node& node) {
  return node.name().starts_with("check.") ||
         node.op().name.starts_with("stablehlo.custom_call @check.");
}

// Runs on the host when a compiled target has computed its operands: checks, and probes, whose
// result is their operand.
bool runs_afterwards(const ir::Node& node) {
  return is_check(node) || node.is("interpreter.probe");
}

void expect_no_uses(const ir::Graph& graph) {
  const auto uses = ir::count_uses(graph);
  for (ir::Node* node : graph.nodes())
    for (int k = 0; runs_afterwards(*node) && k < node->result_count(); ++k)
      if (uses.contains(node->result(k)))
        throw_user_error(cat(node->name(),
                             ": expected a result without uses, found one with uses, which only "
                             "the interpreter supports"),
                         node->location());
}

}  // namespace

bool checks_itself(const ir::Function& function) {
  if (function.body->argument_count() > 0) return false;
  bool found = false;
  ir::walk(*function.body, [&](const ir::Node& node) { found = found || is_check(node); });
  return found;
}

std::unique_ptr<ir::Module> with_checked_values(const ir::Module& module,
                                                const ir::Function& function) {
  auto copy = ir::clone_module(module);
  ir::Function& values = *copy->find(function.name);
  ir::Graph& body = *values.body;
  body.results.clear();
  for (ir::Node* node : body.nodes()) {
    if (!runs_afterwards(*node)) continue;
    body.results.insert(body.results.end(), node->operands().begin(), node->operands().end());
    if (!is_check(*node)) body.replace_uses(node->result(), node->operand(0));
  }
  expect_no_uses(body);
  body.erase_if(runs_afterwards);
  ir::walk(body, [&](const ir::Node& node) {
    if (runs_afterwards(node))
      throw_user_error(cat(node.name(),
                           ": expected at the top level of a function, found in a region, which "
                           "only the interpreter supports"),
                       node.location());
  });
  values.result_types.clear();
  for (const ir::Value& v : values.body->results) values.result_types.push_back(v.type());
  values.res_attrs.assign(values.result_types.size(), {});
  return copy;
}

std::vector<std::string> self_check_failures(const ir::Module& module, const ir::Function& function,
                                             const CheckTarget& target) {
  if (target.is_interpreter) return interpret(module, function, {}).failures;
  const auto copy = with_checked_values(module, function);
  const std::vector<HostArray> results = target.run(*copy, *copy->find(function.name), {});

  ir::Interpreter interpreter(module);
  std::size_t next = 0;
  for (const ir::Node* node : function.body->nodes()) {
    if (!runs_afterwards(*node)) continue;
    std::vector<ir::Tensor> operands;
    for (std::size_t k = 0; k < node->operands().size(); ++k)
      operands.push_back(std::make_shared<const HostArray>(results.at(next++)));
    node->op().eval({.node = *node, .operands = operands, .interpreter = interpreter});
  }
  return interpreter.check_failures;
}

}  // namespace partita::tool
