// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Merges the source of a copy with its target where nothing can tell the difference.
#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// A step that accesses a buffer, by its place in a list.
struct Touch {
  std::size_t step = 0;
  int count = 0;
  bool writes = false;
};
using Touches = std::vector<Touch>;  ///< in order of steps

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

/// The copies of one list of steps.  Accesses are counted once and then kept up to date, so that what a plan takes does
/// not grow with the square of its steps.
class CopyRemover {
 public:
  /// `total` has the accesses of each buffer in the whole plan.
  CopyRemover(Steps& steps, KernelAccesses& kernels, std::map<int, int>& total)
      : steps_(steps), kernels_(kernels), total_(total), is_removed_(steps.size(), false) {
    for (std::size_t i = 0; i < steps.size(); ++i) note(i);
  }

  bool run() {
    bool changed = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!std::holds_alternative<Copy>(steps_[i].what) || !can_merge(i)) continue;
      merge(i);
      changed = true;
    }
    std::size_t at = 0;
    std::erase_if(steps_, [&](const Step&) { return is_removed_[at++]; });
    // Copies of a buffer onto itself are what merging leaves of chains.
    std::erase_if(steps_, [&](Step& s) {
      const Copy* c = std::get_if<Copy>(&s.what);
      if (c == nullptr || c->from.buffer != c->to.buffer || !(c->from.offset == c->to.offset))
        return false;
      for_each_access(s, kernels_, [&](const Access& a) { --total_[a.ref->buffer]; });
      return true;
    });
    return changed;
  }

 private:
  void note(std::size_t i) {
    for_each_access(steps_[i], kernels_, [&](const Access& a) {
      Touches& touches = touches_[a.ref->buffer];
      if (touches.empty() || touches.back().step != i) touches.push_back({.step = i});
      ++touches.back().count;
      touches.back().writes |= a.writes;
    });
  }

  /// Those of a buffer by steps from `begin` to before `end`.
  [[nodiscard]] std::span<const Touch> between(int buffer, std::size_t begin, std::size_t end) {
    const Touches& all = touches_[buffer];
    const auto first = std::ranges::lower_bound(all, begin, {}, &Touch::step);
    const auto last = std::ranges::lower_bound(all, end, {}, &Touch::step);
    return {first, last};
  }

  /// Whether a value's whole life is in the list, and the copy at `at` may write where the value is made.
  [[nodiscard]] bool can_merge(std::size_t at) {
    const Copy& copy = std::get<Copy>(steps_[at].what);
    const Plan& plan = kernels_.draft().plan;
    const int a = copy.from.buffer, b = copy.to.buffer;
    const Buffer& source = plan.buffers[std::size_t(a)];
    if (a == b || !is_temporary(plan, a) || !(copy.from.offset == HostExpr(0)) ||
        !(source.count == copy.count))
      return false;
    if (source.dtype != plan.buffers[std::size_t(b)].dtype) return false;
    const Touches& life = touches_[a];
    int local = 0;
    for (const Touch& t : life) local += t.count;
    const std::size_t first = life.front().step, last = life.back().step;
    if (total_[a] != local || first >= at) return false;
    for (const Touch& t : between(b, first, at))
      if (t.step != first || !reads_in_place(steps_[first], kernels_, copy.to)) return false;
    // Readers of the source after the copy see the target instead, while it keeps its value.
    for (const int buffer : {a, b})
      for (const Touch& t : between(buffer, at + 1, last + 1))
        if (t.writes) return false;
    return may_move(a, copy.to.offset);
  }

  /// Whether all that is in a buffer may begin at an offset of another.
  [[nodiscard]] bool may_move(int buffer, const HostExpr& offset) {
    bool may = true;
    for (const Touch& t : touches_[buffer])
      for_each_access(steps_[t.step], kernels_, [&](const Access& a) {
        if (a.ref->buffer == buffer)
          may &= known_divisor(a.ref->offset + offset) % a.alignment == 0;
      });
    return may;
  }

  /// What accesses the copy's source accesses its target.
  void merge(std::size_t at) {
    const Copy copy = std::get<Copy>(steps_[at].what);
    const int from = copy.from.buffer, to = copy.to.buffer;
    is_removed_[at] = true;
    const auto forget = [&](int buffer) {
      std::erase_if(touches_[buffer], [&](const Touch& t) { return t.step == at; });
      --total_[buffer];
    };
    forget(from);
    forget(to);
    for (const Touch& t : touches_[from])
      for_each_access(steps_[t.step], kernels_, [&](const Access& a) {
        if (a.ref->buffer != from) return;
        a.ref->offset = a.ref->offset + copy.to.offset;
        a.ref->buffer = to;
      });
    total_[to] += std::exchange(total_[from], 0);
    Touches& all = touches_[to];
    for (const Touch& t : std::exchange(touches_[from], {})) {
      const auto place = std::ranges::lower_bound(all, t.step, {}, &Touch::step);
      if (place == all.end() || place->step != t.step) {
        all.insert(place, t);
        continue;
      }
      place->count += t.count;
      place->writes |= t.writes;
    }
  }

  Steps& steps_;
  KernelAccesses& kernels_;
  std::map<int, int>& total_;
  std::map<int, Touches> touches_;
  std::vector<bool> is_removed_;
};

bool remove_copies_in(Steps& steps, KernelAccesses& kernels, std::map<int, int>& total) {
  bool changed = false;
  for (Step& s : steps)
    for (Steps* inner : inner_steps(s)) changed |= remove_copies_in(*inner, kernels, total);
  return CopyRemover(steps, kernels, total).run() || changed;
}

void remove_copies(PlanDraft& draft) {
  KernelAccesses kernels(draft);
  std::map<int, int> total = access_counts(draft.plan, kernels);
  while (remove_copies_in(draft.plan.steps, kernels, total)) {
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
