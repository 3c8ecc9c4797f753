// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <cctype>
#include <set>

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

void check_kernels(const Artifact& artifact) {
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
    const HostArray& constant = artifact.constants[i];
    const auto bytes = checked_bytes(constant.type);
    if (!bytes || *bytes != std::int64_t(constant.bytes.size()))
      fail({&all, {}, i}, bytes ? cat(*bytes, " bytes") : "a type that fits in memory",
           cat(constant.bytes.size(), " bytes"));
  }
}

void check_library(const Artifact& artifact) {
  for (const LibraryParameters& p : artifact.library.parameters)
    if (auto problem = partita::find_problem(artifact.target, p))
      throw Problem{"library: " + *problem};
}

}  // namespace

std::optional<std::string> find_problem(const Artifact& artifact) {
  const auto problem = problem_of([&] {
    check_kernels(artifact);
    check_constants(artifact);
    check_library(artifact);
  });
  if (problem) return problem;
  return find_problem(artifact.plan,
                      {.kernels = artifact.kernels.size(), .constants = artifact.constants});
}

}  // namespace partita
