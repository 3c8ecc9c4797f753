// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program with a mesh becomes the program of one of its shards: types of parts, and communication where
// parts do not suffice.  Axis by axis: where it shall cut each value (axis_plan), then the nodes anew
// (axis_rewrite).
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/ir/op.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/program_mesh.hpp"
#include "passes/rewrites/host_calls.hpp"
#include "passes/rewrites/reduction_operands.hpp"
#include "passes/rewrites/sharding_constraints.hpp"
#include "passes/transforms/partition/axis_rewrite.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Node;
using ir::Value;

std::string mesh_symbol(const ir::Module& module) {
  for (const ir::ModuleItem& item : module.items)
    if (item.op == "sdy.mesh") return item.symbol;
  return "mesh";
}

/// What could travel in the time that a collective takes for nothing: some 6 µs at 10 GB/s.
constexpr double default_call_bytes = 64 << 10;

double call_bytes(const PassContext& context) {
  const auto option = context.options.find("call-bytes");
  if (option == context.options.end()) return default_call_bytes;
  return double(parse_number(option->second, "call-bytes", std::int64_t(1) << 40));
}

void partition(ir::Function& f, const ir::Mesh& mesh, const std::string& symbol, double call_bytes,
               std::vector<std::string>& lines) {
  PortShardings ports;
  for (const Value& v : f.body->arguments()) ports.arguments.emplace_back(v.type());
  for (const Value& v : f.body->results) ports.results.emplace_back(v.type());
  for (std::size_t axis = 0; axis < mesh.axes.size(); ++axis)
    cut_along(f, {.mesh = mesh, .axis = axis, .call_bytes = call_bytes}, ports, lines);
  remove_sharding_constraints(*f.body);
  for (std::size_t k = 0; k < ports.arguments.size(); ++k)
    ports.arguments[k].write(f.arg_attrs[k], symbol);
  for (std::size_t k = 0; k < ports.results.size(); ++k)
    ports.results[k].write(f.res_attrs[k], symbol);
}

/// Whether values are those of one shard already: pieces of them are made nowhere.
bool is_of_one_shard(const ir::Module& module) {
  if (!ir::shard_mesh(module)) return false;
  bool has_pieces = false;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](Node& node) { has_pieces |= is_piece_op(node); });
  return !has_pieces;
}

void run(ir::Module& module, PassContext& context) {
  const auto mesh = context.shards ? program_mesh(module) : std::nullopt;
  if (!mesh || is_of_one_shard(module)) {
    for (const auto& f : module.functions) remove_sharding_constraints(*f->body);
    return;
  }
  ir::Function& f = module.entry(context.function);
  separate_reductions(*f.body);
  share_results_of_host_calls(*f.body, *mesh);
  partition(f, *mesh, mesh_symbol(module), call_bytes(context), context.shardings);
  ir::set_shard_mesh(module, *mesh);
  context.counts["mesh_shards"] = mesh->size();
}

}  // namespace

PassInfo pass_partition();
PassInfo pass_partition() {
  return {.name = "partition",
          .doc = "Makes a program with a mesh that of one shard: types of parts, and collectives.",
          .needs = Stage::raised,
          .gives = Stage::raised,
          .idempotent = true,
          .options = {"call-bytes"},
          .run = run};
}

}  // namespace partita::passes::transforms
