// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/schedule/arena.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "kernel/schedule/step_access.hpp"
#include "partita/base/error.hpp"

namespace partita::passes {
namespace {

constexpr std::int64_t arena_alignment = 128;

bool is_temporary(const Plan& plan, int buffer) {
  const BufferKind kind = plan.buffers[std::size_t(buffer)].kind;
  return kind == BufferKind::arena || kind == BufferKind::block;
}

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
  return true;
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

bool remove_dead_in(Steps& steps, KernelAccesses& kernels, const std::map<int, int>& reads) {
  bool changed = false;
  for (Step& s : steps)
    for (Steps* inner : inner_steps(s)) changed |= remove_dead_in(*inner, kernels, reads);
  const auto is_dead = [&](Step& s) {
    if (const For* loop = std::get_if<For>(&s.what)) return loop->body.empty();
    if (!std::holds_alternative<Launch>(s.what) && !std::holds_alternative<Copy>(s.what) &&
        !std::holds_alternative<Gemm>(s.what))
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

struct Interval {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = -1;
};

/// Numbers steps in order; a buffer used in a loop and before it lives until the loop's end.
class Liveness {
 public:
  Liveness(PlanDraft& draft, KernelAccesses& kernels)
      : kernels_(kernels), intervals(draft.plan.buffers.size()) {
    visit(draft.plan.steps);
  }

 private:
  void touch(int buffer, std::int64_t begin, std::int64_t end) {
    Interval& i = intervals[std::size_t(buffer)];
    i.begin = std::min(i.begin, begin);
    i.end = std::max(i.end, end);
  }
  void visit(Steps& steps) {
    for (Step& s : steps) {
      const std::int64_t begin = now_++;
      const bool is_loop =
          std::holds_alternative<For>(s.what) || std::holds_alternative<While>(s.what);
      if (inner_steps(s).empty()) {
        for_each_access(s, kernels_, [&](const Access& a) { touch(a.ref->buffer, begin, begin); });
      } else {
        const std::vector<Interval> before = intervals;
        for (Steps* inner : inner_steps(s)) visit(*inner);
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
  void hold_in_flight(Step& s, std::int64_t time) {
    if (AllReduceStart* a = std::get_if<AllReduceStart>(&s.what))
      for (Piece& p : a->pieces) in_flight_[a->request].push_back(p.at.buffer);
    if (AllGatherStart* a = std::get_if<AllGatherStart>(&s.what)) {
      in_flight_[a->request].push_back(a->from.buffer);
      in_flight_[a->request].push_back(a->to.buffer);
    }
    if (CollectiveDone* d = std::get_if<CollectiveDone>(&s.what))
      for (int b : in_flight_[d->request]) touch(b, time, time);
  }

  KernelAccesses& kernels_;
  std::int64_t now_ = 0;
  std::map<int, std::vector<int>> in_flight_;

 public:
  std::vector<Interval> intervals;
};

}  // namespace

void remove_copies(PlanDraft& draft) {
  KernelAccesses kernels(draft);
  while (remove_copies_in(draft.plan.steps, draft, kernels)) {
  }
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

void assign_arena(PlanDraft& draft, bool shares) {
  Plan& plan = draft.plan;
  KernelAccesses kernels(draft);
  const Liveness live(draft, kernels);
  std::vector<int> order;
  for (int b = 0; b < int(plan.buffers.size()); ++b)
    if (plan.buffers[std::size_t(b)].kind == BufferKind::arena &&
        live.intervals[std::size_t(b)].end >= 0)
      order.push_back(b);
  const auto bytes = [&](int b) {
    const Buffer& buffer = plan.buffers[std::size_t(b)];
    const std::int64_t n = buffer.count.value() * std::int64_t(byte_size(buffer.dtype));
    const std::int64_t own = (n + arena_alignment - 1) / arena_alignment * arena_alignment;
    return std::max(own, arena_alignment) + (shares ? 0 : arena_alignment);
  };
  // Large ones first, each at the lowest offset that is free during its life.
  std::ranges::stable_sort(order, [&](int x, int y) { return bytes(x) > bytes(y); });
  std::vector<int> placed;
  plan.arena_bytes = 0;
  for (int b : order) {
    const Interval& mine = live.intervals[std::size_t(b)];
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (int other : placed) {
      const Interval& theirs = live.intervals[std::size_t(other)];
      if (shares && (theirs.begin > mine.end || theirs.end < mine.begin)) continue;
      const std::int64_t at = plan.buffers[std::size_t(other)].arena_offset;
      taken.emplace_back(at, at + bytes(other));
    }
    std::ranges::sort(taken);
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + bytes(b) <= begin) break;
      offset = std::max(offset, end);
    }
    plan.buffers[std::size_t(b)].arena_offset = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + bytes(b));
    placed.push_back(b);
  }
  // Drop what nothing uses and number the rest anew; inputs and outputs stay.
  std::vector<int> renumbered(plan.buffers.size(), -1);
  std::vector<Buffer> kept;
  for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
    const BufferKind kind = plan.buffers[b].kind;
    if (live.intervals[b].end < 0 && kind != BufferKind::input && kind != BufferKind::output)
      continue;
    renumbered[b] = int(kept.size());
    kept.push_back(plan.buffers[b]);
  }
  for (Step& s : plan.steps)
    for_each_access(s, kernels, [&](const Access& a) {
      a.ref->buffer = renumbered[std::size_t(a.ref->buffer)];
    });
  plan.buffers = std::move(kept);
}

}  // namespace partita::passes
