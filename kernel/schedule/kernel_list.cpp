// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/schedule/kernel_list.hpp"

#include <map>
#include <set>

#include "partita/base/error.hpp"

namespace partita::passes {
namespace {

void renumber(Steps& steps, const std::vector<int>& kernels);

void renumber(Step& step, const std::vector<int>& kernels) {
  if (Launch* l = std::get_if<Launch>(&step.what)) l->kernel = kernels[std::size_t(l->kernel)];
  if (For* s = std::get_if<For>(&step.what)) renumber(s->body, kernels);
  if (While* s = std::get_if<While>(&step.what)) {
    renumber(s->condition, kernels);
    renumber(s->body, kernels);
  }
  if (Case* s = std::get_if<Case>(&step.what))
    for (Steps& b : s->branches) renumber(b, kernels);
}

void renumber(Steps& steps, const std::vector<int>& kernels) {
  for (Step& s : steps) renumber(s, kernels);
}

/// Kernels that a launch of the plan still names.
void find_launched(const Steps& steps, std::set<int>& launched) {
  for (const Step& s : steps) {
    if (const Launch* l = std::get_if<Launch>(&s.what)) launched.insert(l->kernel);
    if (const For* f = std::get_if<For>(&s.what)) find_launched(f->body, launched);
    if (const While* w = std::get_if<While>(&s.what)) {
      find_launched(w->condition, launched);
      find_launched(w->body, launched);
    }
    if (const Case* c = std::get_if<Case>(&s.what))
      for (const Steps& b : c->branches) find_launched(b, launched);
  }
}

}  // namespace

std::set<int> launched_kernels(const Steps& steps) {
  std::set<int> launched;
  find_launched(steps, launched);
  return launched;
}

void drop_unlaunched_kernels(Artifact& artifact) {
  std::vector<int> numbers(artifact.kernels.size(), -1);
  std::vector<KernelEntry> kept;
  for (const int k : launched_kernels(artifact.plan.steps)) {
    numbers[std::size_t(k)] = int(kept.size());
    kept.push_back(std::move(artifact.kernels[std::size_t(k)]));
  }
  artifact.kernels = std::move(kept);
  renumber(artifact.plan.steps, numbers);
}

std::vector<PrintedKernel> print_kernels(const PlanDraft& draft, Artifact& artifact,
                                         const std::function<std::string(const Kernel&)>& print) {
  std::map<std::string, int> by_text, stems;
  std::vector<int> numbers(draft.kernels.size(), -1);
  std::vector<PrintedKernel> printed;
  for (const int k : launched_kernels(draft.plan.steps)) {
    const Kernel& kernel = *draft.kernels[std::size_t(k)];
    std::string text = print(kernel);
    const auto [it, is_new] = by_text.emplace(text, int(artifact.kernels.size()));
    numbers[std::size_t(k)] = it->second;
    if (!is_new) continue;
    const int count = stems[kernel.stem]++;
    const std::string name = count == 0 ? kernel.stem : cat(kernel.stem, "_v", count);
    printed.push_back({name, std::move(text), kernel.comment, &kernel});
    artifact.kernels.push_back({name, 0});
  }
  renumber(artifact.plan.steps, numbers);
  return printed;
}

}  // namespace partita::passes
