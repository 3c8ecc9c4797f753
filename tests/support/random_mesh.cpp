// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/random_mesh.hpp"

#include <array>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::testing {

namespace {

ir::Mesh random_mesh(std::mt19937& random) {
  static const std::array<ir::Mesh, 7> choices{
      ir::Mesh{.axes = {{"x", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 3}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 2}, {"y", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 2}, {"y", 3}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 4}, {"y", 2}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 6}}, .device_ids = {}},
      ir::Mesh{.axes = {{"x", 8}}, .device_ids = {}}};
  return choices[random() % choices.size()];
}

/// The factor by which an axis is split; 1: it is a prime.
std::int64_t first_factor(std::int64_t size) { return size % 2 == 0 && size > 2 ? 2 : 1; }

/// A mesh of the same devices in the same order: all of them along one axis, or the first factors of axes as axes.
ir::Mesh other_mesh(const ir::Mesh& mesh, std::mt19937& random) {
  ir::Mesh other;
  if (random() % 2 == 0) {
    other.axes.push_back({.name = "all", .size = mesh.size()});
    return other;
  }
  for (const ir::MeshAxis& axis : mesh.axes) {
    const std::int64_t factor = first_factor(axis.size);
    if (factor != 1) other.axes.push_back({.name = axis.name + axis.name, .size = factor});
    other.axes.push_back({.name = cat(axis.name, "_"), .size = axis.size / factor});
  }
  return other;
}

/// Whole axes and parts of axes of a mesh, some of them left out.
std::vector<ir::AxisRef> random_axes(const ir::Mesh& mesh, std::mt19937& random) {
  std::vector<ir::AxisRef> axes;
  for (const ir::MeshAxis& axis : mesh.axes) {
    const std::int64_t factor = first_factor(axis.size);
    if (factor != 1 && random() % 3 == 0) {
      axes.push_back({.name = axis.name, .pre = 1, .size = factor});
      axes.push_back({.name = axis.name, .pre = factor, .size = axis.size / factor});
    } else {
      axes.push_back({.name = axis.name});
    }
  }
  std::erase_if(axes, [&](const ir::AxisRef&) { return random() % 4 == 0; });
  return axes;
}

/// Each axis cuts one dimension, or none; several may cut one, in any order.  Some dimensions have priorities.
ir::Sharding random_sharding(const ir::Mesh& mesh, std::string symbol, std::size_t rank,
                             std::mt19937& random) {
  ir::Sharding sharding{.mesh = std::move(symbol)};
  sharding.dims.resize(rank);
  for (ir::DimSharding& dim : sharding.dims) {
    dim.is_open = random() % 3 == 0;
    if (random() % 4 == 0) dim.priority = std::int64_t(random() % 3);
  }
  for (ir::AxisRef& axis : random_axes(mesh, random)) {
    if (rank == 0) continue;
    std::vector<ir::AxisRef>& axes = sharding.dims[random() % rank].axes;
    axes.insert(random() % 2 == 0 ? axes.begin() : axes.end(), std::move(axis));
  }
  return sharding;
}

}  // namespace

std::string shard_at_random(ir::Module& module, ir::Function& f, std::mt19937& random) {
  const ir::Mesh mesh = random_mesh(random);
  const ir::Mesh other = other_mesh(mesh, random);
  std::string text = ir::to_text(mesh);
  ir::declare_mesh(module, "mesh", mesh);
  const bool has_other = random() % 4 == 0;
  if (has_other) {
    ir::declare_mesh(module, "other", other);
    text += cat(" and ", ir::to_text(other));
  }
  const auto say = [&](ir::Dict& attrs, const Type& type) {
    if (type.is_token || random() % 3 == 0) return;
    const bool is_other = has_other && random() % 2 == 0;
    const ir::Sharding sharding = random_sharding(
        is_other ? other : mesh, is_other ? "other" : "mesh", type.dims.size(), random);
    attrs.set("sdy.sharding", ir::to_attribute(sharding));
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
