// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Removes steps that only write temporaries which nothing reads.
#include <algorithm>
#include <map>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

bool remove_dead_in(Steps& steps, KernelAccesses& kernels, const std::map<int, int>& reads) {
  bool changed = false;
  for (Step& s : steps)
    for (Steps* inner : inner_steps(s)) changed |= remove_dead_in(*inner, kernels, reads);
  const auto is_dead = [&](Step& s) {
    if (const For* loop = std::get_if<For>(&s.what)) return loop->body.empty();
    if (!std::holds_alternative<Launch>(s.what) && !std::holds_alternative<Copy>(s.what) &&
        !is_library_call(s) && !std::holds_alternative<HostCall>(s.what))
      return false;
    bool is_needed = false;
    for_each_access(s, kernels, [&](const Access& a) {
      if (!a.writes) return;
      const auto it = reads.find(a.ref->buffer);
      is_needed |= !is_temporary(kernels.draft().plan, a.ref->buffer) ||
                   (it != reads.end() && it->second > 0);
    });
    return !is_needed;
  };
  const auto old_size = steps.size();
  std::erase_if(steps, is_dead);
  return changed || steps.size() != old_size;
}

void remove_dead_steps(PlanDraft& draft) {
  KernelAccesses kernels(draft);
  for (bool changed = true; changed;) {
    std::map<int, int> reads;
    for (Step& s : draft.plan.steps)
      for_each_access(s, kernels, [&](const Access& a) {
        if (a.reads) ++reads[a.ref->buffer];
      });
    changed = remove_dead_in(draft.plan.steps, kernels, reads);
  }
}

}  // namespace

DraftPass draft_pass_remove_dead_steps();
DraftPass draft_pass_remove_dead_steps() {
  return {.name = "remove-dead-steps",
          .doc = "Steps that only write temporaries which nothing reads disappear.",
          .run = [](PlanDraft& draft, const PassRun&) { remove_dead_steps(draft); }};
}

}  // namespace partita::kernel::schedule
