// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/analysis/liveness.hpp"

#include <algorithm>

namespace partita::kernel {

Liveness::Liveness(PlanDraft& draft, KernelAccesses& kernels)
    : kernels_(kernels),
      intervals_(draft.plan.buffers.size()),
      first_steps_(draft.plan.buffers.size(), std::numeric_limits<std::int64_t>::max()) {
  visit(draft.plan.steps, true);
}

void Liveness::touch(int buffer, std::int64_t begin, std::int64_t end) {
  Interval& i = intervals_[std::size_t(buffer)];
  i.begin = std::min(i.begin, begin);
  i.end = std::max(i.end, end);
}

/// `is_plan`: they are the plan's own steps, else within one of those.
void Liveness::visit(Steps& steps, bool is_plan) {
  for (Step& s : steps) {
    const std::int64_t begin = now_++;
    const bool is_loop =
        std::holds_alternative<For>(s.what) || std::holds_alternative<While>(s.what);
    if (is_plan) {
      step_times_.push_back(begin);
      for_each_access(s, kernels_, [&](const Access& a) {
        std::int64_t& first = first_steps_[std::size_t(a.ref->buffer)];
        first = std::min(first, begin);
      });
    }
    if (inner_steps(s).empty()) {
      for_each_access(s, kernels_, [&](const Access& a) { touch(a.ref->buffer, begin, begin); });
    } else {
      const std::vector<Interval> before = intervals_;
      for (Steps* inner : inner_steps(s)) visit(*inner, false);
      const std::int64_t end = now_++;
      for_each_access(s, kernels_, [&](const Access& a) {
        // Alive before the loop, or read by its control: alive throughout.
        if (before[std::size_t(a.ref->buffer)].end >= 0 && is_loop)
          touch(a.ref->buffer, begin, end);
      });
      if (While* w = std::get_if<While>(&s.what)) touch(w->predicate.buffer, begin, end);
      if (Case* c = std::get_if<Case>(&s.what)) touch(c->index.buffer, begin, begin);
    }
    hold_in_flight(s, begin);
  }
}

/// Buffers of a collective are in use from its start to its end.
void Liveness::hold_in_flight(Step& s, std::int64_t time) {
  if (const std::optional<int> request = started_request(s))
    for_each_access(s, kernels_,
                    [&](const Access& a) { in_flight_[*request].push_back(a.ref->buffer); });
  if (CollectiveDone* d = std::get_if<CollectiveDone>(&s.what))
    for (int b : in_flight_[d->request]) touch(b, time, time);
}

}  // namespace partita::kernel
