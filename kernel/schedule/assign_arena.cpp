// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where temporaries lie: in the memory of results that are written later, else at offsets of one arena, so that those
// alive at the same time do not overlap.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

constexpr std::int64_t arena_alignment = 128;

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

struct Interval {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = -1;
};

/// Numbers steps in order; a buffer used in a loop and before it lives until the loop's end.
class Liveness {
 public:
  Liveness(PlanDraft& draft, KernelAccesses& kernels)
      : kernels_(kernels),
        intervals(draft.plan.buffers.size()),
        first_steps(draft.plan.buffers.size(), std::numeric_limits<std::int64_t>::max()) {
    visit(draft.plan.steps, true);
  }

 private:
  void touch(int buffer, std::int64_t begin, std::int64_t end) {
    Interval& i = intervals[std::size_t(buffer)];
    i.begin = std::min(i.begin, begin);
    i.end = std::max(i.end, end);
  }
  /// `is_plan`: they are the plan's own steps, else within one of those.
  void visit(Steps& steps, bool is_plan) {
    for (Step& s : steps) {
      const std::int64_t begin = now_++;
      const bool is_loop =
          std::holds_alternative<For>(s.what) || std::holds_alternative<While>(s.what);
      if (is_plan)
        for_each_access(s, kernels_, [&](const Access& a) {
          std::int64_t& first = first_steps[std::size_t(a.ref->buffer)];
          first = std::min(first, begin);
        });
      if (inner_steps(s).empty()) {
        for_each_access(s, kernels_, [&](const Access& a) { touch(a.ref->buffer, begin, begin); });
      } else {
        const std::vector<Interval> before = intervals;
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
  void hold_in_flight(Step& s, std::int64_t time) {
    if (AllReduceStart* a = std::get_if<AllReduceStart>(&s.what))
      for (Piece& p : a->pieces) in_flight_[a->request].push_back(p.at.buffer);
    if (AllGatherStart* a = std::get_if<AllGatherStart>(&s.what)) {
      in_flight_[a->request].push_back(a->from.buffer);
      in_flight_[a->request].push_back(a->to.buffer);
    }
    if (GroupStart* a = std::get_if<GroupStart>(&s.what)) {
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
  std::vector<std::int64_t>
      first_steps;  ///< when the first of the plan's own steps begins that uses a buffer
};

/// A place among values that lie there already, each with the bytes it takes and when it is alive.
class Memory {
 public:
  /// The lowest offset of `bytes` bytes that are free all the while.
  [[nodiscard]] std::int64_t lowest(std::int64_t bytes, const Interval& alive, bool shares) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (const Value& v : values_)
      if (!shares || (v.alive.begin <= alive.end && v.alive.end >= alive.begin))
        taken.emplace_back(v.begin, v.end);
    std::ranges::sort(taken);
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + bytes <= begin) break;
      offset = std::max(offset, end);
    }
    return offset;
  }
  void take(std::int64_t offset, std::int64_t bytes, const Interval& alive) {
    values_.push_back({offset, offset + bytes, alive});
  }

 private:
  struct Value {
    std::int64_t begin, end;
    Interval alive;
  };
  std::vector<Value> values_;
};

/// The memory of results until they are written.
class SpareMemory {
 public:
  SpareMemory(const Plan& plan, const Liveness& live) : results_(plan.outputs.size()) {
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
      const Buffer& buffer = plan.buffers[b];
      if (buffer.kind != BufferKind::output) continue;
      Result& result = results_[std::size_t(buffer.index)];
      const bool is_fixed = buffer.count.is_constant() && live.intervals[b].end >= 0 &&
                            plan.outputs[std::size_t(buffer.index)].placement < 0;
      result.written = is_fixed ? std::min(result.written, live.first_steps[b]) : 0;
      result.element = std::int64_t(byte_size(buffer.dtype));
      if (is_fixed) result.bytes = buffer.count.value() * result.element;
    }
  }

  /// Puts a temporary there, if one of them has room for it while it is alive.
  bool take(Buffer& buffer, std::int64_t bytes, const Interval& alive) {
    for (std::size_t r = 0; r < results_.size(); ++r) {
      Result& result = results_[r];
      // Hosts align results as their elements are.
      if (alive.end >= result.written || bytes > result.bytes ||
          std::int64_t(byte_size(buffer.dtype)) > result.element)
        continue;
      // Places begin at multiples of the alignment.
      const std::int64_t whole = aligned(bytes);
      const std::int64_t offset = result.memory.lowest(whole, alive, true);
      if (offset + bytes > result.bytes) continue;
      result.memory.take(offset, whole, alive);
      buffer.kind = BufferKind::spare;
      buffer.index = int(r);
      buffer.arena_offset = offset;
      return true;
    }
    return false;
  }

 private:
  struct Result {
    std::int64_t written = std::numeric_limits<std::int64_t>::max(), bytes = 0, element = 0;
    Memory memory;
  };
  std::vector<Result> results_;
};

/// Buffers that are not alive together overlap if `shares`; else each is followed by memory that is
/// nobody's, and none lies in a result.
void assign_arena(PlanDraft& draft, bool shares) {
  Plan& plan = draft.plan;
  KernelAccesses kernels(draft);
  const Liveness live(draft, kernels);
  std::vector<int> order;
  for (int b = 0; b < int(plan.buffers.size()); ++b)
    if (plan.buffers[std::size_t(b)].kind == BufferKind::arena &&
        live.intervals[std::size_t(b)].end >= 0)
      order.push_back(b);
  const auto own_bytes = [&](int b) {
    const Buffer& buffer = plan.buffers[std::size_t(b)];
    return buffer.count.value() * std::int64_t(byte_size(buffer.dtype));
  };
  const auto bytes = [&](int b) {
    return std::max(aligned(own_bytes(b)), arena_alignment) + (shares ? 0 : arena_alignment);
  };
  // Large ones first, each at the lowest offset that is free during its life.
  std::ranges::stable_sort(order, [&](int x, int y) { return bytes(x) > bytes(y); });
  SpareMemory spare(plan, live);
  Memory arena;
  plan.arena_bytes = 0;
  for (int b : order) {
    Buffer& buffer = plan.buffers[std::size_t(b)];
    const Interval& mine = live.intervals[std::size_t(b)];
    if (shares && spare.take(buffer, own_bytes(b), mine)) continue;
    buffer.arena_offset = arena.lowest(bytes(b), mine, shares);
    arena.take(buffer.arena_offset, bytes(b), mine);
    plan.arena_bytes = std::max(plan.arena_bytes, buffer.arena_offset + bytes(b));
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

}  // namespace

DraftPass draft_pass_assign_arena();
DraftPass draft_pass_assign_arena() {
  return {
      .name = "assign-arena",
      .doc =
          "Temporaries get places in results that are written later, else offsets in one arena, "
          "so that those alive at the same time do not overlap (`share=no`: none do, and none "
          "lies in a result); buffers that nothing uses disappear.",
      .gives_places = true,
      .options = {"share"},
      .run = [](PlanDraft& draft, const PassRun& run) {
        assign_arena(draft, run.flag("share", true));
      }};
}

}  // namespace partita::kernel::schedule
