// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-opencl/device/prebuild.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "backend-opencl/device/module_text.hpp"
#include "backend-opencl/device/program_binary.hpp"
#include "backend-opencl/device/work_groups.hpp"
#include "partita/base/error.hpp"

namespace partita::opencl {
namespace {

using Forms = std::set<std::string>;
using FormsByKernel = std::vector<Forms>;

/// In which forms the plan launches kernels, as far as that is known before a run; others are compiled at their first launch.
class LaunchedForms {
 public:
  LaunchedForms(const DeviceProfile& profile, std::size_t kernels)
      : profile_(profile), forms_(kernels) {}

  void add(const Steps& steps) {
    for (const Step& step : steps) std::visit([&](const auto& what) { add(what); }, step.what);
  }
  [[nodiscard]] const FormsByKernel& forms() const { return forms_; }

 private:
  void add(const Launch& x) {
    Range3 global{}, local{};
    for (std::size_t d = 0; d < global.size(); ++d) {
      if (!x.global[d].is_constant() || x.global[d].value() <= 0) return;
      global[d] = std::size_t(x.global[d].value());
      local[d] = std::size_t(std::max<std::int64_t>(x.local[d], 0));
    }
    for (const Part& part : parts_of(global, local,
                                     {.max_items = std::size_t(profile_.max_work_group),
                                     .compute_units = std::size_t(profile_.compute_units),
                                     .is_cpu = profile_.is_cpu}))
      forms_[std::size_t(x.kernel)].insert(form_of(part));
  }
  void add(const Convolve& x) {
    for (const Launch& launch : x.then) add(launch);
  }
  void add(const For& x) { add(x.body); }
  void add(const While& x) { add(x.condition), add(x.body); }
  void add(const Case& x) {
    for (const Steps& branch : x.branches) add(branch);
  }
  template <class Other>
  void add(const Other& /*launches nothing*/) {}

  static std::string form_of(const Part& part) {
    constexpr std::size_t large = 65535;
    return cat(part.local[0], "-", part.local[1], "-", part.local[2],
               part.offset == Range3{} ? "-goffs0" : "",
               std::ranges::max(part.global) < large ? "-smallgrid" : "");
  }

  const DeviceProfile& profile_;
  FormsByKernel forms_;
};

/// A group with what building it costs, in characters of kernels.
class CostedGroup {
 public:
  CostedGroup(std::size_t module, Forms forms) {
    group_.module = module;
    group_.forms = std::move(forms);
  }
  void add(const std::string& kernel, std::size_t characters) {
    group_.kernels.push_back(kernel);
    characters_ += characters + per_kernel;
  }
  void add(const CostedGroup& other) {
    group_.kernels.insert(group_.kernels.end(), other.group_.kernels.begin(),
                          other.group_.kernels.end());
    group_.forms.insert(other.group_.forms.begin(), other.group_.forms.end());
    characters_ += other.characters_;
  }
  /// PoCL compiles each kernel in each form, and once for any size.
  [[nodiscard]] std::size_t cost() const {
    return per_group + characters_ * (1 + group_.forms.size());
  }
  [[nodiscard]] const KernelGroup& group() const { return group_; }

 private:
  static constexpr std::size_t per_kernel = 1500, per_group = 12'000;
  KernelGroup group_;
  std::size_t characters_ = 0;
};

std::vector<CostedGroup> by_forms(const Artifact& artifact, std::size_t module,
                                  const FormsByKernel& forms) {
  const ModuleText text(artifact.modules[module].source);
  std::map<Forms, CostedGroup> groups;
  for (std::size_t k = 0; k < artifact.kernels.size(); ++k) {
    const KernelEntry& kernel = artifact.kernels[k];
    if (std::size_t(kernel.module) == module)
      groups.try_emplace(forms[k], module, forms[k])
          .first->second.add(kernel.name, text.of(kernel.name).size());
  }
  std::vector<CostedGroup> all;
  for (auto& [own, group] : groups) all.push_back(std::move(group));
  return all;
}

/// Two become one as long as that costs less.
void merge(std::vector<CostedGroup>& groups) {
  std::ranges::sort(groups, std::ranges::less{}, &CostedGroup::cost);
  for (std::size_t k = 0; k < groups.size(); ++k)
    for (std::size_t other = k + 1; other < groups.size();) {
      CostedGroup both = groups[k];
      both.add(groups[other]);
      if (both.cost() < groups[k].cost() + groups[other].cost()) {
        groups[k] = std::move(both);
        groups.erase(groups.begin() + std::ptrdiff_t(other));
      } else {
        ++other;
      }
    }
}

std::string join_with(const auto& words, char between) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : std::string(1, between)) + word;
  return text;
}

}  // namespace

std::vector<KernelGroup> prebuilt_groups(const Artifact& artifact, const DeviceProfile& profile) {
  LaunchedForms launched(profile, artifact.kernels.size());
  if (is_pocl(profile)) launched.add(artifact.plan.steps);
  std::vector<CostedGroup> all;
  for (std::size_t m = 0; m < artifact.modules.size(); ++m) {
    std::vector<CostedGroup> own = by_forms(artifact, m, launched.forms());
    merge(own);
    std::ranges::move(own, std::back_inserter(all));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &CostedGroup::cost);
  std::vector<KernelGroup> groups;
  for (const CostedGroup& g : all) groups.push_back(g.group());
  return groups;
}

KernelBinary prebuild(const BuildTarget& target, const Artifact& artifact,
                      const KernelGroup& group) {
  const KernelModule& module = artifact.modules[group.module];
  const ModuleText text(module.source);
  if (!text.holds(group.kernels))
    throw_user_error(cat("artifact: expected the text of all kernels in module '", module.name,
                         "', found some without"));
  const std::string source = text.with(group.kernels);
  // What PoCL adds to the form for any size, which its binaries always have.
  if (!group.forms.empty())
    ::setenv("POCL_BINARY_SPECIALIZE_WG", join_with(group.forms, ',').c_str(), 1);
  const BuiltProgram built = build_program(target, module.name, source);
  const std::vector<std::byte> binary = binary_of(built.handle.get());
  if (binary.empty())
    throw_device_error(cat("OpenCL: the driver of ", target.profile->name, " gives no binaries"));
  const ProgramIdentity id = identity_of(*target.profile, built.options, source);
  return {key_of(id) + ".bin", pack_binary(id, join_with(group.kernels, ' '), binary)};
}

}  // namespace partita::opencl
