// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/analysis/named_shardings.hpp"

#include <algorithm>

namespace partita::passes {

namespace {

using Visit = std::function<void(const ir::Sharding&)>;

void visit(const ir::Dict& attrs, const Visit& f) {
  for (const ir::NamedAttribute& attribute : attrs.items()) {
    if (const ir::Sharding* one = ir::sharding_in(&attribute.value)) f(*one);
    for (const ir::Sharding& one : ir::shardings_in(&attribute.value)) f(one);
  }
}

void edit(ir::Dict& attrs, const std::function<void(ir::Sharding&)>& f) {
  std::vector<ir::NamedAttribute> changed;
  for (const ir::NamedAttribute& attribute : attrs.items()) {
    if (const ir::Sharding* found = ir::sharding_in(&attribute.value)) {
      ir::Sharding one = *found;
      f(one);
      changed.push_back({attribute.name, ir::to_attribute(std::move(one))});
    } else if (attribute.value.get_if<ir::ShardingsRef>()) {
      std::vector<ir::Sharding> all = ir::shardings_in(&attribute.value);
      for (ir::Sharding& one : all) f(one);
      changed.push_back({attribute.name, ir::to_attribute(std::move(all))});
    }
  }
  for (ir::NamedAttribute& attribute : changed)
    attrs.set(attribute.name, std::move(attribute.value));
}

bool has_part(const std::vector<ir::AxisRef>& axes) {
  return std::ranges::any_of(axes, [](const ir::AxisRef& ref) { return ref.size != 0; });
}

bool has_part(const ir::Sharding& sharding) {
  return has_part(sharding.replicated) || has_part(sharding.unreduced) ||
         std::ranges::any_of(sharding.dims,
                             [](const ir::DimSharding& dim) { return has_part(dim.axes); });
}

}  // namespace

void edit_shardings(ir::Module& module, const std::function<void(ir::Sharding&)>& f) {
  for (const auto& function : module.functions) {
    for (auto* ports : {&function->arg_attrs, &function->res_attrs})
      for (ir::Dict& attrs : *ports) edit(attrs, f);
    ir::walk(*function->body, [&](ir::Node& node) { edit(node.attrs, f); });
  }
}

void visit_shardings(const ir::Module& module, const Visit& f) {
  for (const auto& function : module.functions) {
    for (const auto* ports : {&function->arg_attrs, &function->res_attrs})
      for (const ir::Dict& attrs : *ports) visit(attrs, f);
    ir::walk(*function->body, [&](ir::Node& node) { visit(node.attrs, f); });
  }
}

bool names_one_mesh(const ir::Module& module) {
  const std::vector<ir::Mesh> declared = ir::meshes(module);
  const auto is_wide = [](const ir::Mesh& mesh) { return mesh.size() > 1; };
  if (declared.size() > 1 && std::ranges::any_of(declared, is_wide)) return false;
  bool is_one = true;
  visit_shardings(
      module, [&](const ir::Sharding& said) { is_one = is_one && !said.inner && !has_part(said); });
  return is_one;
}

std::set<std::string> used_placements(const ir::Module& module) {
  std::set<std::string> names;
  for (const auto& f : module.functions)
    ir::walk(*f->body, [&](ir::Node& node) {
      if (node.name().starts_with("mr.")) names.insert(node.attrs.text("placement", ""));
    });
  return names;
}

}  // namespace partita::passes
