// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs for the devices of a mesh become programs for one: what each process computes is batched
// over all of them, and collectives become movement and reduction along that dimension.
#include <algorithm>
#include <optional>
#include <set>

#include "partita/base/error.hpp"
#include "partita/ir/batched_processes.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/manual_computation.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/process_grid.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// What a process sees.
Value of_process(Graph& graph, const ir::BatchedValue& v, std::int64_t process,
                 Node* before = nullptr) {
  if (!v.batched) return v.value;
  const ir::Maker make{graph, before};
  const Dims& dims = v.value.type().dims;
  return make.reshape(make.part(v.value, 0, process, 1), {dims.begin() + 1, dims.end()});
}

void batch_function(ir::Module& module, ir::Function& f) {
  const ir::GridSize size = ir::grid_size(module);
  const ir::ProcessGrid grid(size.replicas, size.partitions);  // refuses one that is too large
  const ir::BatchedProcesses rule(module, size.replicas, size.partitions);
  auto body = std::make_unique<Graph>();
  ir::BatchMap map;
  for (int k = 0; k < f.body->argument_count(); ++k) {
    const Value argument = f.body->argument(k);
    map[argument] = {body->add_argument(argument.type(), f.body->argument_hint(k)), false};
  }
  const auto values =
      ir::batch_body(*f.body, map, {.into = *body, .size = grid.size(), .special = rule});
  for (const ir::BatchedValue& v : values) body->results.push_back(of_process(*body, v, 0));
  f.body = std::move(body);
}

void batch_computations(ir::Module& module, Graph& graph) {
  ir::ValueMap<Value> replaced;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    if (!node->is("sdy.manual_computation")) {
      for (const auto& region : node->regions()) batch_computations(module, *region);
      continue;
    }
    const auto manual = ir::read_manual_computation(node->attrs, &module);
    PARTITA_ASSERT(manual.has_value());
    const std::int64_t replicas = ir::grid_size(module).replicas;
    const ir::ProcessGrid grid(replicas, manual->mesh.size());
    const ir::BatchedProcesses rule(module, replicas, manual->mesh.size());
    ir::BatchMap map;
    for (const Value v : node->operands()) {
      const auto found = replaced.find(v);
      map[v] = {found == replaced.end() ? v : found->second, false};
    }
    const ir::BatchContext context{
        .into = graph, .size = grid.size(), .before = node, .special = rule};
    rule(*node, map, context);
    for (int k = 0; k < node->result_count(); ++k) {
      replaced[node->result(k)] = of_process(graph, map.at(node->result(k)), 0, node);
    }
  }
  graph.replace_uses(replaced);
  graph.erase_if([](const Node& node) { return node.is("sdy.manual_computation"); });
}

/// The processes of an interpreter.run_parallel, where all of them run one function.
struct Processes {
  const ir::Function* program = nullptr;
  std::int64_t replicas = 0, partitions = 0;
};

std::optional<Processes> processes_of(const ir::Module& module, const Node& node) {
  if (!node.is("interpreter.run_parallel")) return std::nullopt;
  Processes p;
  for (const ir::Attribute& row : node.attrs.find("programs")->get_if<ir::List>()->items) {
    const auto& names = row.get_if<ir::List>()->items;
    ++p.replicas;
    p.partitions = std::ssize(names);
    for (const ir::Attribute& name : names) {
      const ir::Function* program = module.find(name.get_if<ir::SymbolRef>()->name);
      if (p.program == nullptr) p.program = program;
      if (program != p.program) return std::nullopt;
    }
  }
  return p;
}

/// A new leading dimension with one value of each process.
Value stacked(Graph& graph, const std::vector<Value>& values, Node* before) {
  Type one = values[0].type();
  one.dims.insert(one.dims.begin(), 1);
  std::vector<Value> rows;
  for (const Value& v : values)
    rows.push_back(ir::create_value(graph, "stablehlo.reshape", {v}, {}, {&one, 1}, before));
  if (rows.size() == 1) return rows[0];
  return ir::create_value(graph, "stablehlo.concatenate", rows, {{"dimension", std::int64_t{0}}},
                          {}, before);
}

/// What a function gives in all processes, those of the first process first.
std::vector<Value> batched_results(const ir::Module& module, const Processes& p, Node& node,
                                   const std::vector<Value>& operands) {
  Graph& graph = *node.graph();
  const ir::ProcessGrid grid(p.replicas, p.partitions);
  const ir::BatchedProcesses rule(module, p.replicas, p.partitions);
  const int arguments = p.program->body->argument_count();
  ir::BatchMap map;
  for (int k = 0; k < arguments; ++k) {
    std::vector<Value> own;
    for (std::int64_t id = 0; id < grid.size(); ++id)
      own.push_back(operands[std::size_t(id * arguments + k)]);
    map[p.program->body->argument(k)] = {stacked(graph, own, &node), true};
  }
  const auto values =
      ir::batch_body(*p.program->body, map,
                     {.into = graph, .size = grid.size(), .before = &node, .special = rule});
  std::vector<Value> results;
  for (std::int64_t id = 0; id < grid.size(); ++id)
    for (const ir::BatchedValue& v : values) results.push_back(of_process(graph, v, id, &node));
  return results;
}

/// Batches processes where all run one function; others stay.
void expand_processes(const ir::Module& module, Graph& graph, ir::ValueMap<Value>& replaced) {
  std::set<const Node*> done;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) expand_processes(module, *region, replaced);
    const auto processes = processes_of(module, *node);
    if (!processes) continue;
    std::vector<Value> operands;
    for (const Value v : node->operands()) {
      const auto found = replaced.find(v);
      operands.push_back(found == replaced.end() ? v : found->second);
    }
    const std::vector<Value> results = batched_results(module, *processes, *node, operands);
    for (std::size_t k = 0; k < results.size(); ++k) replaced[node->result(int(k))] = results[k];
    done.insert(node);
  }
  if (done.empty()) return;
  graph.replace_uses(replaced);
  graph.erase_if([&](const Node& node) { return done.contains(&node); });
}

void run(ir::Module& module, PassContext& context) {
  if (ir::shard_mesh(module)) return;
  const bool has_entry = module.find(context.function) != nullptr;
  // First, while the functions that processes run are as they were written.
  for (const auto& f : module.functions) {
    if (has_entry && f->name != context.function) continue;
    ir::ValueMap<Value> replaced;
    expand_processes(module, *f->body, replaced);
  }
  for (const auto& f : module.functions) {
    if (has_entry && f->name != context.function) continue;
    if (ir::needs_processes(module, *f))
      batch_function(module, *f);
    else
      batch_computations(module, *f->body);
    ir::remove_dead_nodes(*f->body);
  }
}

}  // namespace

PassInfo pass_batch_processes();
PassInfo pass_batch_processes() {
  return {.name = "batch-processes",
          .doc = "Runs what is for the devices of a mesh as slices of a batch on one.",
          .needs = Stage::inlined,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
