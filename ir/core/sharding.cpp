// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/ir/sharding.hpp"

#include <algorithm>

#include "ir/core/sharding_scanner.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::ir {

std::int64_t Mesh::size() const {
  Dims sizes;
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  return device_count(sizes);
}

std::optional<std::size_t> Mesh::find(std::string_view axis) const {
  for (std::size_t k = 0; k < axes.size(); ++k)
    if (axes[k].name == axis) return k;
  return std::nullopt;
}

I64s Mesh::coordinates(std::int64_t device) const {
  std::int64_t position = device;
  if (!device_ids.empty()) position = std::ranges::find(device_ids, device) - device_ids.begin();
  I64s index(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    index[k] = position % axes[k].size;
    position /= axes[k].size;
  }
  return index;
}

std::int64_t Mesh::device(const I64s& coordinates) const {
  std::int64_t position = 0;
  for (std::size_t k = 0; k < axes.size(); ++k) position = position * axes[k].size + coordinates[k];
  return device_ids.empty() ? position : device_ids[std::size_t(position)];
}

void declare_mesh(Module& module, const std::string& symbol, const Mesh& mesh) {
  module.items.push_back({.op = "sdy.mesh",
                          .symbol = symbol,
                          .attrs = {},
                          .raw = cat("@", symbol, " = ", to_text(mesh))});
}

std::vector<Mesh> meshes(const Module& module) {
  std::vector<Mesh> all;
  for (const ModuleItem& item : module.items)
    if (item.op == "sdy.mesh")
      if (auto mesh = find_mesh(module, item.symbol)) all.push_back(std::move(*mesh));
  return all;
}

std::optional<Mesh> find_mesh(const Module& module, const Sharding& sharding) {
  return sharding.inner ? sharding.inner : find_mesh(module, sharding.mesh);
}

std::optional<Mesh> find_mesh(const Module& module, std::string_view symbol) {
  for (const ModuleItem& item : module.items) {
    if (item.op != "sdy.mesh" || item.symbol != symbol) continue;
    return parse_mesh(
        std::string_view(item.raw).substr(std::min(item.raw.find('<'), item.raw.size())));
  }
  return std::nullopt;
}

bool Sharding::names(std::string_view axis) const {
  const auto has = [&](const std::vector<AxisRef>& axes) {
    return std::ranges::find(axes, axis, &AxisRef::name) != axes.end();
  };
  return has(replicated) || has(unreduced) ||
         std::ranges::any_of(dims, [&](const DimSharding& d) { return has(d.axes); });
}

namespace {

/// What an axis or a part of one is, with its extent; a user error where the mesh has no such thing.
AxisRef known_axis(const AxisRef& ref, const Mesh& mesh) {
  const auto axis = mesh.find(ref.name);
  if (!axis)
    throw_user_error(cat("sharding: expected an axis of the mesh, found \"", ref.name, "\""));
  const std::int64_t whole = mesh.axes[*axis].size, size = ref.size == 0 ? whole : ref.size;
  if (ref.pre < 1 || size < 1 || ref.pre > whole || size > whole || whole % (ref.pre * size) != 0)
    throw_user_error(cat("sharding: expected a part of axis \"", ref.name, "\" of ", whole,
                         ", found (", ref.pre, ")", ref.size));
  return {.name = ref.name, .pre = ref.pre, .size = size};
}

bool overlap(const AxisRef& a, const AxisRef& b) {
  return a.name == b.name && a.pre < b.pre * b.size && b.pre < a.pre * a.size;
}

}  // namespace

void check_axes(const Sharding& sharding, const Mesh& mesh) {
  std::vector<AxisRef> used;
  const auto add = [&](const std::vector<AxisRef>& axes) {
    for (const AxisRef& ref : axes) {
      const AxisRef axis = known_axis(ref, mesh);
      for (const AxisRef& other : used)
        if (overlap(axis, other))
          throw_user_error(
              cat("sharding: expected each axis once, found \"", ref.name, "\" twice"));
      used.push_back(axis);
    }
  };
  for (const DimSharding& dim : sharding.dims) add(dim.axes);
  add(sharding.replicated);
  add(sharding.unreduced);
}

void check_sharding(const Sharding& sharding, std::int64_t rank, const Module* module) {
  if (std::ssize(sharding.dims) != rank)
    throw_user_error(cat("sharding: expected one of ", rank, " dimensions, found ",
                         to_text(sharding), " of ", sharding.dims.size()));
  std::optional<Mesh> mesh = module == nullptr ? sharding.inner : find_mesh(*module, sharding);
  if (!mesh && module == nullptr) return;
  if (!mesh) mesh = shard_mesh(*module);
  if (!mesh)
    throw_user_error(cat("sharding: expected a mesh of the module, found @", sharding.mesh));
  check_axes(sharding, *mesh);
}

void drop_shardings_of_one_device(Module& module) {
  constexpr std::string_view name = "sdy.sharding";
  const auto is_of_one = [&](const Sharding& sharding) {
    const std::optional<Mesh> mesh = find_mesh(module, sharding);
    return sharding.dims.empty() && mesh && mesh->axes.empty();
  };
  const auto clean = [&](Dict& attrs) {
    const Attribute* const found = attrs.find(name);
    const Sharding* const one = sharding_in(found);
    if ((one != nullptr && is_of_one(*one)) || std::ranges::any_of(shardings_in(found), is_of_one))
      attrs.erase(name);
  };
  for (const auto& function : module.functions) {
    for (std::vector<Dict>* ports : {&function->arg_attrs, &function->res_attrs})
      std::ranges::for_each(*ports, clean);
    walk(*function->body, [&](Node& node) { clean(node.attrs); });
  }
}

Cut::Cut(const Sharding& sharding, const Mesh& mesh, const std::vector<std::string>& only)
    : pieces_(sharding.dims.size(), 1),
      by_device_(std::size_t(mesh.size()), Dims(sharding.dims.size(), 0)),
      manual_(by_device_.size(), 0) {
  check_axes(sharding, mesh);
  for (std::size_t d = 0; d < sharding.dims.size(); ++d)
    for (const AxisRef& ref : sharding.dims[d].axes) {
      if (std::ranges::find(only, ref.name) == only.end()) continue;
      const std::size_t axis = *mesh.find(ref.name);
      const AxisRef part = known_axis(ref, mesh);
      const std::int64_t inner = mesh.axes[axis].size / (part.pre * part.size);
      pieces_[d] *= part.size;
      for (std::size_t k = 0; k < by_device_.size(); ++k) {
        const std::int64_t at = mesh.coordinates(std::int64_t(k))[axis];
        by_device_[k][d] = by_device_[k][d] * part.size + at / inner % part.size;
      }
    }
}

I64s Cut::group_of(std::int64_t device) const {
  I64s group;
  for (std::size_t other = 0; other < manual_.size(); ++other)
    if (manual_[other] == manual_[std::size_t(device)]) group.push_back(std::int64_t(other));
  return group;
}

void Cut::keep(const std::vector<bool>& keep) {
  for (std::size_t d = 0; d < pieces_.size(); ++d) {
    if (keep[d]) continue;
    pieces_[d] = 1;
    for (Dims& piece : by_device_) piece[d] = 0;
  }
}

}  // namespace partita::ir
