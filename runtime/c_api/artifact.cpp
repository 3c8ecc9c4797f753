// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Artifacts and their signatures in C.
#include "runtime/c_api/artifact.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "partita/base/nearest_name.hpp"
#include "runtime/c_api/boundary.hpp"

namespace {

using partita::cat;
using partita::DType;
using partita::PortInfo;
using partita::c_api::from_c;
using partita::c_api::guarded;
using partita::c_api::PortView;
using partita::c_api::require;
using partita::c_api::to_c;

std::vector<PortView> views_of(const partita::Plan& plan, const std::vector<PortInfo>& ports) {
  std::vector<PortView> views;
  for (const PortInfo& port : ports) {
    PortView& view = views.emplace_back();
    view.local_dims = local_type(plan, port).dims;
    if (port.placement >= 0) {
      const partita::Placement& p = plan.placements[std::size_t(port.placement)];
      view.axes.push_back({.name = p.name.c_str(), .dim = 0, .size = p.size, .is_placement = 1});
    }
    for (std::size_t d = 0; d < port.axes.size(); ++d)
      for (const int axis : port.axes[d]) {
        const partita::MeshAxis& of_mesh = plan.mesh[std::size_t(axis)];
        view.axes.push_back(
            {.name = of_mesh.name.c_str(), .dim = d, .size = of_mesh.size, .is_placement = 0});
      }
  }
  return views;
}

void fill_port(const partita::Plan& plan, const std::vector<PortInfo>& ports,
               const std::vector<PortView>& views, std::size_t index, partita_port& to,
               const char* what) {
  if (index >= ports.size())
    partita::throw_user_error(cat(what, " ", index, ": expected an index below ", ports.size()));
  const PortInfo& port = ports[index];
  const partita::Dims& dims = port.type.dims;
  const PortView& view = views[index];
  const bool split = port.placement >= 0 && view.axes.size() == 1;
  partita::c_api::write_sized(
      to,
      {.struct_size = 0,
       .name = port.name.c_str(),
       .dtype = to_c(port.type.dtype),
       .rank = dims.size(),
       .dims = dims.empty() ? nullptr : dims.data(),
       .bytes = port.type.bytes(),
       .placement = split ? plan.placements[std::size_t(port.placement)].name.c_str() : nullptr,
       .axis_count = view.axes.size(),
       .axes = view.axes.empty() ? nullptr : view.axes.data(),
       .local_dims = dims.empty() ? nullptr : view.local_dims.data()},
      "partita_port");
}

std::size_t find_port(const std::vector<PortInfo>& ports, const char* name, const char* what) {
  const auto found = std::ranges::find(ports, std::string(name), &PortInfo::name);
  if (found == ports.end()) {
    std::vector<std::string> names;
    for (const PortInfo& port : ports) names.push_back(port.name);
    partita::throw_user_error(
        cat(what, " '", name, "': expected one of ", partita::quoted_names(names)));
  }
  return std::size_t(found - ports.begin());
}

}  // namespace

partita_artifact::partita_artifact(partita::Artifact program)
    : artifact(std::move(program)),
      inputs(views_of(artifact.plan, artifact.plan.inputs)),
      outputs(views_of(artifact.plan, artifact.plan.outputs)) {}

size_t partita_dtype_size(partita_dtype dtype) {
  const std::optional<DType> known = from_c(dtype);
  return known ? byte_size(*known) : 0;
}

const char* partita_dtype_name(partita_dtype dtype) {
  const std::optional<DType> known = from_c(dtype);
  return known ? info(*known).text.data() : "";
}

partita_status partita_artifact_load(const char* path, partita_artifact** artifact) {
  return guarded([&] {
    require(artifact, "artifact");
    require(path, "path");
    *artifact = std::make_unique<partita_artifact>(partita::load_artifact(path)).release();
  });
}

partita_status partita_artifact_parse(const void* bytes, size_t size, const char* name,
                                      partita_artifact** artifact) {
  return guarded([&] {
    require(artifact, "artifact");
    require(static_cast<const char*>(bytes), "bytes");
    *artifact = std::make_unique<partita_artifact>(
                    partita::parse_artifact(std::span(static_cast<const std::byte*>(bytes), size),
                                            name != nullptr ? name : "memory"))
                    .release();
  });
}

partita_status partita_artifact_save(const partita_artifact* artifact, const char* path) {
  return guarded([&] {
    partita::save_artifact(require(artifact, "artifact").artifact, &require(path, "path"));
  });
}

partita_status partita_artifact_serialize(const partita_artifact* artifact, void* bytes,
                                          size_t capacity, size_t* size) {
  return guarded([&] {
    require(size, "size");
    const auto file = partita::serialize_artifact(require(artifact, "artifact").artifact);
    *size = file.size();
    if (bytes == nullptr) return;
    if (capacity < file.size())
      partita::throw_user_error(
          cat("capacity: expected at least ", file.size(), " bytes, found ", capacity));
    std::ranges::copy(file, static_cast<std::byte*>(bytes));
  });
}

void partita_artifact_free(partita_artifact* artifact) {
  const std::unique_ptr<partita_artifact> owner(artifact);
}

size_t partita_artifact_function_count(const partita_artifact* artifact) {
  return artifact == nullptr ? 0 : 1 + artifact->artifact.functions.size();
}

const char* partita_artifact_function_name(const partita_artifact* artifact, size_t index) {
  if (index >= partita_artifact_function_count(artifact)) return "";
  return partita::functions_of(artifact->artifact)[index]->name.c_str();
}

partita_status partita_artifact_function(const partita_artifact* artifact, const char* name,
                                         partita_artifact** function) {
  return guarded([&] {
    require(function, "function");
    *function =
        std::make_unique<partita_artifact>(
            partita::one_function(require(artifact, "artifact").artifact, &require(name, "name")))
            .release();
  });
}

partita_status partita_artifact_join(const partita_artifact* const* artifacts,
                                     const char* const* names, size_t count,
                                     partita_artifact** joined) {
  return guarded([&] {
    require(joined, "joined");
    if (count == 0) partita::throw_user_error("count: expected at least 1 artifact, found 0");
    const auto named = [&](std::size_t k) {
      partita::Artifact artifact =
          require((&require(artifacts, "artifacts"))[k], "artifacts").artifact;
      if (names == nullptr || names[k] == nullptr) return artifact;
      if (!artifact.functions.empty())
        partita::throw_user_error(cat("artifact ", k, ": expected one function to name '", names[k],
                                      "', found ", 1 + artifact.functions.size()));
      artifact.name = names[k];
      return artifact;
    };
    partita::Artifact all = named(0);
    for (std::size_t k = 1; k < count; ++k) partita::add_functions(all, named(k));
    *joined = std::make_unique<partita_artifact>(std::move(all)).release();
  });
}

const char* partita_artifact_target(const partita_artifact* artifact) {
  return artifact == nullptr ? "" : artifact->artifact.target.c_str();
}

size_t partita_artifact_input_count(const partita_artifact* artifact) {
  return artifact == nullptr ? 0 : artifact->artifact.plan.inputs.size();
}

size_t partita_artifact_output_count(const partita_artifact* artifact) {
  return artifact == nullptr ? 0 : artifact->artifact.plan.outputs.size();
}

partita_status partita_artifact_input(const partita_artifact* artifact, size_t index,
                                      partita_port* port) {
  return guarded([&] {
    const partita_artifact& own = require(artifact, "artifact");
    const partita::Plan& plan = own.artifact.plan;
    fill_port(plan, plan.inputs, own.inputs, index, require(port, "port"), "input");
  });
}

partita_status partita_artifact_output(const partita_artifact* artifact, size_t index,
                                       partita_port* port) {
  return guarded([&] {
    const partita_artifact& own = require(artifact, "artifact");
    const partita::Plan& plan = own.artifact.plan;
    fill_port(plan, plan.outputs, own.outputs, index, require(port, "port"), "output");
  });
}

partita_status partita_artifact_find_input(const partita_artifact* artifact, const char* name,
                                           size_t* index) {
  return guarded([&] {
    const partita::Plan& plan = require(artifact, "artifact").artifact.plan;
    require(index, "index") = find_port(plan.inputs, &require(name, "name"), "input");
  });
}

partita_status partita_artifact_find_output(const partita_artifact* artifact, const char* name,
                                            size_t* index) {
  return guarded([&] {
    const partita::Plan& plan = require(artifact, "artifact").artifact.plan;
    require(index, "index") = find_port(plan.outputs, &require(name, "name"), "output");
  });
}
