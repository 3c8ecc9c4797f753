// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs for the devices of a mesh become programs for one: what each process computes is batched
// over all of them, and collectives become movement and reduction along that dimension.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/manual_computation.hpp"
#include "partita/ir/process_grid.hpp"
#include "partita/ir/process_lanes.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// What the first process sees.
Value of_first(Graph& graph, const ir::BatchedValue& v, Node* before = nullptr) {
  if (!v.batched) return v.value;
  Dims limits = v.value.type().dims;
  const ir::I64s starts(limits.size(), 0), strides(limits.size(), 1);
  limits[0] = 1;
  const Value first = ir::create_value(
      graph, "stablehlo.slice", {v.value},
      {{"start_indices", starts}, {"limit_indices", limits}, {"strides", strides}}, {}, before);
  const Type type{.dtype = v.value.type().dtype, .dims = {limits.begin() + 1, limits.end()}};
  return ir::create_value(graph, "stablehlo.reshape", {first}, {}, {&type, 1}, before);
}

void batch_function(ir::Module& module, ir::Function& f) {
  const ir::GridSize size = ir::grid_size(module);
  const ir::ProcessGrid grid(size.replicas, size.partitions);  // refuses one that is too large
  const ir::ProcessLanes rule(module, size.replicas, size.partitions);
  auto body = std::make_unique<Graph>();
  ir::BatchMap map;
  for (int k = 0; k < f.body->argument_count(); ++k) {
    const Value argument = f.body->argument(k);
    map[argument] = {body->add_argument(argument.type(), f.body->argument_hint(k)), false};
  }
  const auto values =
      ir::batch_body(*f.body, map, {.into = *body, .size = grid.size(), .special = rule});
  for (const ir::BatchedValue& v : values) body->results.push_back(of_first(*body, v));
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
    const ir::ProcessLanes rule(module, replicas, manual->mesh.size());
    ir::BatchMap map;
    for (const Value v : node->operands()) {
      const auto found = replaced.find(v);
      map[v] = {found == replaced.end() ? v : found->second, false};
    }
    const ir::BatchContext context{
        .into = graph, .size = grid.size(), .before = node, .special = rule};
    rule(*node, map, context);
    for (int k = 0; k < node->result_count(); ++k) {
      replaced[node->result(k)] = of_first(graph, map.at(node->result(k)), node);
    }
  }
  graph.replace_uses(replaced);
  graph.erase_if([](const Node& node) { return node.is("sdy.manual_computation"); });
}

void run(ir::Module& module, PassContext& context) {
  const bool has_entry = module.find(context.function) != nullptr;
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

PassInfo pass_processes_to_lanes();
PassInfo pass_processes_to_lanes() {
  return {.name = "processes-to-lanes",
          .doc = "Runs what is for the devices of a mesh as lanes of one.",
          .needs = Stage::inlined,
          .gives = Stage::inlined,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
