// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Copies one after the other whose sources lie side by side, and their targets too, become one.
#include "kernel/ast/plan_steps.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

bool follows(const BufferRef& next, const BufferRef& first, const HostExpr& count) {
  return next.buffer == first.buffer && next.offset == first.offset + count;
}

void join_copies(Steps& steps) {
  Steps joined;
  for (Step& s : steps) {
    for (Steps* inner : inner_steps(s)) join_copies(*inner);
    const Copy* copy = std::get_if<Copy>(&s.what);
    Copy* last = joined.empty() ? nullptr : std::get_if<Copy>(&joined.back().what);
    // What the first one writes may be what the second one reads.
    const bool fits = copy != nullptr && last != nullptr && last->to.buffer != copy->from.buffer &&
                      follows(copy->from, last->from, last->count) &&
                      follows(copy->to, last->to, last->count);
    if (fits)
      last->count = last->count + copy->count;
    else
      joined.push_back(std::move(s));
  }
  steps = std::move(joined);
}

}  // namespace

DraftPass draft_pass_join_copies();
DraftPass draft_pass_join_copies() {
  return {.name = "join-copies",
          .doc = "Neighbouring copies of what lies side by side become one.",
          .run = [](PlanDraft& draft, const PassRun&) { join_copies(draft.plan.steps); }};
}

}  // namespace partita::kernel::schedule
