// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/program.hpp"

#include <utility>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/called_functions.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::build {

struct Program::Impl {
  ir::Module module;
};

Program::Program(const std::map<std::string, std::int64_t>& placements, std::string name)
    : impl_(std::make_unique<Impl>()) {
  impl_->module.name = std::move(name);
  impl_->module.file = "<builder>";
  if (placements.empty()) return;
  ir::Dict sizes;
  for (const auto& [placement, n] : placements) {
    if (n <= 0) refuse("Program", cat("at least 1 partition of ", placement), cat(n));
    sizes.set(placement, n);
  }
  impl_->module.attrs.set("mr.placements", sizes);
}

Program::~Program() = default;

void Program::mesh(const std::vector<std::pair<std::string, std::int64_t>>& axes) {
  if (!ir::meshes(impl_->module).empty()) refuse("Program::mesh", "one mesh", "a second");
  ir::Mesh mesh;
  for (const auto& [name, size] : axes) {
    if (size <= 0) refuse("Program::mesh", cat("at least 1 shard along ", name), cat(size));
    if (mesh.find(name)) refuse("Program::mesh", "each axis once", cat(name, " twice"));
    mesh.axes.push_back({.name = name, .size = size});
  }
  if (mesh.axes.empty()) refuse("Program::mesh", "at least 1 axis", "none");
  static_cast<void>(mesh.size());  // refuses one that is too large
  ir::declare_mesh(impl_->module, mesh_symbol, mesh);
}

void Program::function(const std::string& name, const std::vector<Type>& arguments,
                       const Body& body, const std::vector<std::string>& names) {
  if (impl_->module.find(name) != nullptr)
    refuse("Program", "a function name that is not taken", cat("@", name));
  Scope scope(impl_->module, Scope::Captures::as_arguments);
  Arrays inside;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    inside.emplace_back(
        scope.graph().add_argument(arguments[k], k < names.size() ? names[k] : std::string()),
        scope.id());
  scope.fill(inside, body);
  if (!scope.captured().empty())
    refuse(cat("function @", name), "arrays of its own",
           "one of another function that is being built");
  auto function = std::make_unique<ir::Function>();
  function->name = name;
  function->body = scope.close();
  for (const ir::Value& v : function->body->results) function->result_types.push_back(v.type());
  function->arg_attrs.resize(arguments.size());
  function->res_attrs.resize(function->result_types.size());
  impl_->module.functions.push_back(std::move(function));
  // Bodies that are still being built are in no function yet.
  if (!Scope::is_any_open()) ir::remove_uncalled_functions(impl_->module);
}

const ir::Module& Program::module() const {
  ir::verify(impl_->module);
  return impl_->module;
}

std::string Program::text() const { return ir::print_module(module()); }

}  // namespace partita::build
