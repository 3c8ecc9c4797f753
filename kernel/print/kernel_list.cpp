// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/print/kernel_list.hpp"

#include <map>

#include "kernel/ast/plan_steps.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
void drop_unlaunched_kernels(Artifact& artifact) {
  std::vector<int> numbers(artifact.kernels.size(), -1);
  std::vector<KernelEntry> kept;
  for (const int k : launched_kernels(artifact.plan.steps)) {
    numbers[std::size_t(k)] = int(kept.size());
    kept.push_back(std::move(artifact.kernels[std::size_t(k)]));
  }
  artifact.kernels = std::move(kept);
  renumber_kernels(artifact.plan.steps, numbers);
}

std::vector<PrintedKernel> print_kernels(const PlanDraft& draft, Artifact& artifact,
                                         const std::function<std::string(const Kernel&)>& print) {
  std::map<std::pair<std::int64_t, std::string>, int>
      by_text;  // what is told of a group is no part of it
  std::map<std::string, int> stems;
  std::vector<int> numbers(draft.kernels.size(), -1);
  std::vector<PrintedKernel> printed;
  for (const int k : launched_kernels(draft.plan.steps)) {
    const Kernel& kernel = *draft.kernels[std::size_t(k)];
    std::string text = print(kernel);
    const auto [it, is_new] =
        by_text.emplace(std::pair(kernel.group_items, text), int(artifact.kernels.size()));
    numbers[std::size_t(k)] = it->second;
    if (!is_new) continue;
    const int count = stems[kernel.stem]++;
    const std::string name = count == 0 ? kernel.stem : cat(kernel.stem, "_v", count);
    printed.push_back({name, std::move(text), kernel.comment, &kernel});
    artifact.kernels.push_back({name, 0});
  }
  renumber_kernels(artifact.plan.steps, numbers);
  return printed;
}

}  // namespace partita::kernel
