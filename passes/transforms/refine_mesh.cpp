// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// One mesh for all that a program says: where it names several meshes of the same devices, or parts of axes, every
// sharding is said by whole axes of the coarsest mesh of which all of them are made.
#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/mesh.hpp"
#include "partita/passes/pass.hpp"
#include "passes/analysis/named_shardings.hpp"
#include "passes/analysis/refined_axes.hpp"

namespace partita::passes::transforms {
namespace {

constexpr std::string_view why_not =
    "the program runs on one device, because no one mesh has the axes along which its values are "
    "cut";

/// The mesh that a sharding is on; nothing where it is not declared.
std::optional<ir::Mesh> mesh_of(const ir::Module& module, const ir::Sharding& sharding) {
  std::optional<ir::Mesh> mesh = ir::find_mesh(module, sharding);
  if (mesh && mesh->size() == 1) mesh->device_ids.clear();
  return mesh;
}

/// Meshes of several devices that shardings of a module are on: those that it declares first, in its order.
class UsedMeshes {
 public:
  explicit UsedMeshes(const ir::Module& module) : module_(module) {
    std::set<std::string> symbols;
    visit_shardings(module, [&](const ir::Sharding& said) {
      if (!said.inner) symbols.insert(said.mesh);
    });
    for (const ir::ModuleItem& item : module.items)
      if (item.op == "sdy.mesh" && symbols.contains(item.symbol)) {
        add(*ir::find_mesh(module, item.symbol));
        if (symbol_.empty() && !all_.empty()) symbol_ = item.symbol;
      }
    visit_shardings(module, [&](const ir::Sharding& said) { add_parts(said); });
  }

  [[nodiscard]] const std::vector<NamedMesh>& all() const { return all_; }
  /// What the first of them is called, or a name that no mesh has.
  [[nodiscard]] std::string symbol() const {
    std::string name = symbol_.empty() ? "mesh" : symbol_;
    while (symbol_.empty() && ir::find_mesh(module_, name)) name += "_";
    return name;
  }

 private:
  NamedMesh* add(const ir::Mesh& mesh) {
    if (mesh.size() == 1) return nullptr;
    const auto found = std::ranges::find(all_, mesh, &NamedMesh::mesh);
    if (found != all_.end()) return &*found;
    return &all_.emplace_back(NamedMesh{.mesh = mesh, .parts = {}});
  }

  void add_parts(const ir::Sharding& said) {
    const auto mesh = mesh_of(module_, said);
    NamedMesh* named = mesh ? add(*mesh) : nullptr;
    if (named == nullptr) return;
    const auto note = [&](const std::vector<ir::AxisRef>& axes) {
      for (const ir::AxisRef& ref : axes)
        if (ref.size != 0 && std::ranges::find(named->parts, ref) == named->parts.end())
          named->parts.push_back(ref);
    };
    for (const ir::DimSharding& dim : said.dims) note(dim.axes);
    note(said.replicated);
    note(said.unreduced);
  }

  const ir::Module& module_;
  std::vector<NamedMesh> all_;
  std::string symbol_;
};

class Renaming {
 public:
  Renaming(ir::Module& module, const RefinedAxes& axes, std::string symbol)
      : module_(module), axes_(axes), symbol_(std::move(symbol)) {}

  void run() {
    // Manual axes are those of the mesh that the edges are on.
    for (const auto& f : module_.functions)
      ir::walk(*f->body, [&](ir::Node& node) {
        if (node.is("sdy.manual_computation")) rename_manual(node);
      });
    edit_shardings(module_, [&](ir::Sharding& said) { rename(said); });
    std::erase_if(module_.items, [](const ir::ModuleItem& item) { return item.op == "sdy.mesh"; });
    ir::declare_mesh(module_, symbol_, axes_.mesh());
  }

 private:
  [[nodiscard]] std::vector<ir::AxisRef> renamed(const ir::Mesh& mesh,
                                                 const std::vector<ir::AxisRef>& axes) const {
    std::vector<ir::AxisRef> made;
    if (mesh.size() == 1) return made;
    for (const ir::AxisRef& ref : axes)
      for (ir::AxisRef& axis : axes_.axes(mesh, ref)) made.push_back(std::move(axis));
    return made;
  }

  void rename(ir::Sharding& said) const {
    const auto mesh = mesh_of(module_, said);
    if (!mesh) return;
    for (ir::DimSharding& dim : said.dims) dim.axes = renamed(*mesh, dim.axes);
    said.replicated = renamed(*mesh, said.replicated);
    said.unreduced = renamed(*mesh, said.unreduced);
    said.inner.reset();
    said.mesh = symbol_;
  }

  void rename_manual(ir::Node& node) const {
    ir::ManualAxes made;
    for (const char* name : {"in_shardings", "out_shardings"})
      for (const ir::Sharding& said : ir::shardings_in(node.attrs.find(name))) {
        const auto mesh = mesh_of(module_, said);
        if (!mesh || !made.names.empty()) continue;
        std::vector<ir::AxisRef> axes;
        for (const std::string& axis :
             node.attrs.find("manual_axes")->get_if<ir::ManualAxes>()->names)
          axes.push_back({.name = axis});
        for (ir::AxisRef& axis : renamed(*mesh, axes)) made.names.push_back(std::move(axis.name));
      }
    node.attrs.set("manual_axes", std::move(made));
  }

  ir::Module& module_;
  const RefinedAxes& axes_;
  std::string symbol_;
};

/// Computations for devices are each on as many as the mesh has.
bool has_computations_of_fewer(const ir::Module& module, std::int64_t devices) {
  bool found = false;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](ir::Node& node) {
      if (!node.is("sdy.manual_computation")) return;
      for (const char* name : {"in_shardings", "out_shardings"})
        for (const ir::Sharding& said : ir::shardings_in(node.attrs.find(name))) {
          const auto mesh = mesh_of(module, said);
          found |= !mesh || mesh->size() != devices;
        }
    });
  return found;
}

void run(ir::Module& module, PassContext& context) {
  if (!context.shards || ir::shard_mesh(module) || names_one_mesh(module)) return;
  const UsedMeshes used(module);
  if (used.all().empty()) return;
  std::set<std::string> placements = used_placements(module);
  for (const auto& [name, size] : context.placements) placements.insert(name);
  const auto refined = RefinedAxes::of(used.all(), placements);
  if (!refined || has_computations_of_fewer(module, refined->mesh().size())) {
    context.remarks.emplace_back(why_not);
    return;
  }
  Renaming(module, *refined, used.symbol()).run();
}

}  // namespace

PassInfo pass_refine_mesh();
PassInfo pass_refine_mesh() {
  return {
      .name = "refine-mesh",
      .doc = "Makes all that is said of several meshes and parts of axes whole axes of one mesh.",
      .needs = Stage::inlined,
      .gives = Stage::inlined,
      .idempotent = true,
      .run = run};
}

}  // namespace partita::passes::transforms
