// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <cctype>
#include <set>
#include <span>

#include "partita/artifact/target_format.hpp"
#include "partita/artifact/validate.hpp"
#include "runtime/artifact/problem.hpp"

namespace partita {
namespace {

bool is_name(const std::string& text, bool file_name) {
  if (text.empty() || text.size() > 200 || text.front() == '.' ||
      (!file_name && std::isdigit(text.front())))
    return false;
  for (const char c : text) {
    const bool ok = std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                    (file_name && (c == '.' || c == '-'));
    if (!ok) return false;
  }
  return true;
}

void check_kernels(const Variant& artifact) {
  const Place modules{.name = "modules"}, kernels{.name = "kernels"};
  std::set<std::string> names;
  for (const KernelModule& module : artifact.modules) {
    if (!is_name(module.name, true)) fail(modules, "a file name", module.name);
    if (!names.insert(module.name).second)
      fail(modules, "distinct names", cat(module.name, " twice"));
  }
  for (const KernelEntry& kernel : artifact.kernels) {
    if (!is_name(kernel.name, false)) fail(kernels, "an identifier", kernel.name);
    expect_index(kernels, "a module", kernel.module, artifact.modules.size());
  }
  for (const KernelBinary& binary : artifact.binaries)
    if (!is_name(binary.name, true)) fail({.name = "binaries"}, "a file name", binary.name);
}

void check_constants(const Artifact& artifact) {
  const Place all{.name = "constants"};
  for (std::size_t i = 0; i < artifact.constants.size(); ++i) {
    const HostArray& constant = *artifact.constants[i];
    const auto bytes = checked_bytes(constant.type);
    if (!bytes || *bytes != std::int64_t(constant.bytes.size()))
      fail({&all, {}, i}, bytes ? cat(*bytes, " bytes") : "a type that fits in memory",
           cat(constant.bytes.size(), " bytes"));
  }
}

void check_library(const std::string& target, const Variant& variant) {
  for (const LibraryParameters& p : variant.library.parameters)
    if (auto problem = partita::find_problem(target, p)) throw Problem{"library: " + *problem};
}

std::optional<std::string> find_problem(const FunctionCode& function, const std::string& target,
                                        std::span<const Type> constants) {
  std::set<DeviceClass> classes;
  for (const Variant* variant : variants_of(function)) {
    auto problem = problem_of([&] {
      const Place all{.name = "variants"};
      if (!classes.insert(variant->device_class).second)
        fail(all, "distinct classes", cat(to_string(variant->device_class), " twice"));
      if (variant->plan.inputs != function.plan.inputs ||
          variant->plan.outputs != function.plan.outputs)
        fail(all, "the same inputs and outputs of all", "others");
      if (variant->plan.mesh != function.plan.mesh) fail(all, "the same mesh of all", "others");
      check_kernels(*variant);
      check_library(target, *variant);
    });
    if (problem) return problem;
    problem = find_problem(variant->plan,
                           {.kernels = variant->kernels.size(),
                            .constants = constants,
                            .makes_calls = variant->device_class == DeviceClass::multicore});
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_problem(const Artifact& artifact) {
  auto problem = problem_of([&] { check_constants(artifact); });
  if (problem) return problem;
  std::vector<Type> constants;
  for (const Constant& constant : artifact.constants) constants.push_back(constant->type);
  std::set<std::string> names;
  for (const FunctionCode* function : functions_of(artifact)) {
    if (!names.insert(function->name).second)
      return cat("functions: expected distinct names, found '", function->name, "' twice");
    problem = find_problem(*function, artifact.target, constants);
    if (problem && function != &artifact) return cat("function '", function->name, "': ", *problem);
    if (problem) return problem;
  }
  return std::nullopt;
}

}  // namespace partita
