// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_mesh.hpp"

#include <array>

#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::testing {

namespace {

ir::Mesh random_mesh(std::mt19937& random) {
  static const std::array<ir::Mesh, 6> choices{
      ir::Mesh{.axes = {{"x", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 3}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 2}, {"y", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 2}, {"y", 3}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 4}, {"y", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 8}}, .device_ids = {}}};
  return choices[random() % choices.size()];
}

/// Each axis cuts one dimension, or none; several may cut one, in any order.
ir::Sharding random_sharding(const ir::Mesh& mesh, std::size_t rank, std::mt19937& random) {
  ir::Sharding sharding{.mesh = "mesh"};
  sharding.dims.resize(rank);
  for (ir::DimSharding& dim : sharding.dims) dim.is_open = random() % 3 == 0;
  for (const ir::MeshAxis& axis : mesh.axes) {
    if (rank == 0 || random() % 4 == 0) continue;
    std::vector<ir::AxisRef>& axes = sharding.dims[random() % rank].axes;
    axes.insert(random() % 2 == 0 ? axes.begin() : axes.end(), {.name = axis.name});
  }
  return sharding;
}

}  // namespace

std::string shard_at_random(ir::Module& module, ir::Function& f, std::mt19937& random) {
  const ir::Mesh mesh = random_mesh(random);
  const std::string text = ir::to_text(mesh);
  module.items.push_back(
      {.op = "sdy.mesh", .symbol = "mesh", .attrs = {}, .raw = "@mesh = " + text});
  const auto say = [&](ir::Dict& attrs, const Type& type) {
    if (type.is_token || random() % 3 == 0) return;
    const ir::Sharding sharding = random_sharding(mesh, type.dims.size(), random);
    attrs.set("sdy.sharding", ir::RawAttr{ir::to_text(sharding)});
  };
  f.arg_attrs.resize(std::size_t(f.body->argument_count()));
  f.res_attrs.resize(f.body->results.size());
  for (std::size_t k = 0; k < f.arg_attrs.size(); ++k)
    say(f.arg_attrs[k], f.body->argument(int(k)).type());
  for (std::size_t k = 0; k < f.res_attrs.size(); ++k)
    say(f.res_attrs[k], f.body->results[k].type());
  return text;
}

bool can_be_sharded(const ir::Module& module) {
  bool found = false;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](ir::Node& node) {
      found |= node.op().asks_process || node.name().starts_with("check.") || node.is("mr.check") ||
               node.name().starts_with("mr.mesh") || node.name().starts_with("sdy.") ||
               node.is("interpreter.run_parallel") || node.is("stablehlo.custom_call");
    });
  return !found && module.items.empty();
}

}  // namespace partita::testing
