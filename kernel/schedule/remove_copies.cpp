// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Merges the source of a copy with its target where nothing can tell the difference.
#include <algorithm>
#include <map>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

int count_accesses(Step& step, KernelAccesses& kernels, int buffer) {
  int n = 0;
  for_each_access(step, kernels, [&](const Access& a) { n += a.ref->buffer == buffer; });
  return n;
}

bool writes(Step& step, KernelAccesses& kernels, int buffer) {
  bool found = false;
  for_each_access(step, kernels,
                  [&](const Access& a) { found |= a.ref->buffer == buffer && a.writes; });
  return found;
}

/// Whether `step` only touches `to` by reading, in place, exactly the elements [offset, …) that the
/// copy's target covers, while it writes `from`.
bool reads_in_place(Step& step, KernelAccesses& kernels, const BufferRef& to) {
  const bool is_simple =
      std::holds_alternative<Launch>(step.what) || std::holds_alternative<Copy>(step.what);
  if (!is_simple) return false;
  bool fits = true;
  for_each_access(step, kernels, [&](const Access& a) {
    if (a.ref->buffer == to.buffer)
      fits &= a.is_in_place && !a.writes && a.ref->offset == to.offset;
    // What the step writes must be written from the buffer's start, element for element.
    else if (a.writes)
      fits &= a.ref->offset == HostExpr(0);
  });
  return fits;
}

/// Replaces references to buffer `from` by `to` in all steps of a list.
void redirect(Steps& steps, KernelAccesses& kernels, int from, const BufferRef& to) {
  for (Step& s : steps)
    for_each_access(s, kernels, [&](const Access& a) {
      if (a.ref->buffer != from) return;
      a.ref->offset = a.ref->offset + to.offset;
      a.ref->buffer = to.buffer;
    });
}

/// Whether all that is in a buffer may begin at an offset of another.
bool may_move(Steps& steps, KernelAccesses& kernels, int buffer, const HostExpr& offset) {
  bool may = true;
  for (Step& s : steps)
    for_each_access(s, kernels, [&](const Access& a) {
      if (a.ref->buffer == buffer) may &= known_divisor(a.ref->offset + offset) % a.alignment == 0;
    });
  return may;
}

/// Whether a value's whole life is in `steps`, and copy number `at` may write where the value is made.
bool can_merge(Steps& steps, std::size_t at, KernelAccesses& kernels,
               const std::map<int, int>& total) {
  const Copy& copy = std::get<Copy>(steps[at].what);
  const int a = copy.from.buffer, b = copy.to.buffer;
  const Buffer& source = kernels.draft().plan.buffers[std::size_t(a)];
  if (a == b || !is_temporary(kernels.draft().plan, a) || !(copy.from.offset == HostExpr(0)) ||
      !(source.count == copy.count))
    return false;
  if (source.dtype != kernels.draft().plan.buffers[std::size_t(b)].dtype) return false;
  int local = 0;
  std::size_t first = steps.size(), last = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const int n = count_accesses(steps[i], kernels, a);
    if (n == 0) continue;
    local += n;
    first = std::min(first, i);
    last = i;
  }
  const auto it = total.find(a);
  if (it == total.end() || it->second != local || first >= at) return false;
  for (std::size_t i = first; i < at; ++i) {
    if (count_accesses(steps[i], kernels, b) == 0) continue;
    if (i != first || !reads_in_place(steps[i], kernels, copy.to)) return false;
  }
  // Readers of the source after the copy see the target instead, while it keeps its value.
  for (std::size_t i = at + 1; i <= last; ++i)
    if (writes(steps[i], kernels, b)) return false;
  for (std::size_t i = at + 1; i <= last; ++i)
    if (writes(steps[i], kernels, a)) return false;
  return may_move(steps, kernels, a, copy.to.offset);
}

std::map<int, int> total_accesses(Steps& steps, KernelAccesses& kernels) {
  std::map<int, int> total;
  for (Step& s : steps)
    for_each_access(s, kernels, [&](const Access& a) { ++total[a.ref->buffer]; });
  return total;
}

bool remove_copies_in(Steps& steps, PlanDraft& draft, KernelAccesses& kernels) {
  bool changed = false;
  for (Step& s : steps)
    for (Steps* inner : inner_steps(s)) changed |= remove_copies_in(*inner, draft, kernels);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::holds_alternative<Copy>(steps[i].what)) continue;
    if (!can_merge(steps, i, kernels, total_accesses(draft.plan.steps, kernels))) continue;
    const Copy copy = std::get<Copy>(steps[i].what);
    steps.erase(steps.begin() + std::ptrdiff_t(i));
    redirect(steps, kernels, copy.from.buffer, copy.to);
    changed = true;
    --i;
  }
  // Copies of a buffer onto itself are what merging leaves of chains.
  std::erase_if(steps, [](const Step& s) {
    const Copy* c = std::get_if<Copy>(&s.what);
    return c != nullptr && c->from.buffer == c->to.buffer && c->from.offset == c->to.offset;
  });
  return changed;
}

void remove_copies(PlanDraft& draft) {
  KernelAccesses kernels(draft);
  while (remove_copies_in(draft.plan.steps, draft, kernels)) {
  }
}

}  // namespace

DraftPass draft_pass_remove_copies();
DraftPass draft_pass_remove_copies() {
  return {.name = "remove-copies",
          .doc = "Copies whose source and target can be one buffer disappear.",
          .run = [](PlanDraft& draft, const PassRun&) { remove_copies(draft); }};
}

}  // namespace partita::kernel::schedule
