// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// interpreter.run_parallel: the op by which StableHLO's own tests run several processes.  Its
// programs are a grid of functions, replicas × partitions; operands and results are those of the
// first process, of the second, and so on.
#include <algorithm>

#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

using Programs = std::vector<std::vector<std::string>>;

Programs programs_of(const InferContext& c) {
  Programs programs;
  const auto* rows = c.attrs.find("programs")->get_if<List>();
  for (const Attribute& row : rows->items) {
    auto& names = programs.emplace_back();
    const auto* list = row.get_if<List>();
    c.expect(list != nullptr && !list->items.empty(), "lists of functions in programs", "another");
    for (const Attribute& item : list->items) {
      const auto* symbol = item.get_if<SymbolRef>();
      c.expect(symbol != nullptr, "names of functions in programs", "another attribute");
      names.push_back(symbol->name);
    }
    c.expect(names.size() == programs[0].size(), "as many partitions of each replica",
             cat(names.size(), " and ", programs[0].size()));
  }
  c.expect(!programs.empty(), "at least 1 program", "none");
  c.expect(!c.attrs.contains("infeed"), "programs without infeed", "one with it");
  return programs;
}

std::vector<Type> infer(const InferContext& c) {
  const Programs programs = programs_of(c);
  if (!c.module) return {c.declared_results.begin(), c.declared_results.end()};
  std::vector<Type> arguments, results;
  for (const auto& row : programs)
    for (const std::string& name : row) {
      const Function* function = c.module->find(name);
      c.expect(function != nullptr, "the name of a function", cat("@", name));
      for (const Type& t : function->argument_types()) arguments.push_back(t);
      results.insert(results.end(), function->result_types.begin(), function->result_types.end());
    }
  c.expect(std::ranges::equal(arguments, c.operands),
           cat(arguments.size(), " operands of the types of the programs' arguments"),
           cat(c.operands.size(), " operands"));
  return results;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const Module& module = c.interpreter.module();
  std::vector<const Function*> functions;
  std::vector<std::vector<Tensor>> arguments;
  const auto* rows = c.node.attrs.find("programs")->get_if<List>();
  std::size_t at = 0;
  for (const Attribute& row : rows->items)
    for (const Attribute& item : row.get_if<List>()->items) {
      functions.push_back(module.find(item.get_if<SymbolRef>()->name));
      auto& own = arguments.emplace_back();
      for (int k = 0; k < functions.back()->body->argument_count(); ++k)
        own.push_back(c.operands[at++]);
    }
  const auto replicas = std::ssize(rows->items);
  ProcessGrid grid(replicas, std::ssize(functions) / replicas);
  const auto values = c.interpreter.run_processes(grid, [&](Interpreter& one) {
    const auto id = std::size_t(one.process.id);
    return one.run(*functions[id], arguments[id]);
  });
  std::vector<Tensor> results;
  for (const auto& own : values) results.insert(results.end(), own.begin(), own.end());
  return results;
}

}  // namespace

void register_run_parallel(OpRegistry& registry) {
  OpDef op;
  op.name = "interpreter.run_parallel";
  op.doc = "Runs functions as the processes of a grid.";
  op.attrs = {AttrSpec{.name = "programs", .kind = AttrKind::list}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::none("runs programs of its own");
  op.has_side_effect = true;
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
