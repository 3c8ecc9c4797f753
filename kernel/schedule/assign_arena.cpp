// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where temporaries lie: in the memory of results that are written later, else at offsets of one arena, so that those
// alive at the same time do not overlap.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "kernel/analysis/liveness.hpp"
#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// Bytes that are nobody's after each value, where values do not share.
constexpr std::int64_t margin = 128;

/// A place among values that lie there already, each with the bytes it takes and when it is alive.
class ArenaMemory {
 public:
  /// The lowest offset, of those that such a value may have, of `bytes` bytes that are free all the while.
  [[nodiscard]] std::int64_t lowest(std::int64_t bytes, const Interval& alive, bool shares) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;
    for (const Value& v : values_)
      if (!shares || (v.alive.begin <= alive.end && v.alive.end >= alive.begin))
        taken.emplace_back(v.begin, v.end);
    std::ranges::sort(taken);
    const std::int64_t alignment = place_alignment(bytes);
    std::int64_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + bytes <= begin) break;
      offset = std::max(offset, (end + alignment - 1) / alignment * alignment);
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

/// The memory of results until they are written, after the arguments that may lie there were read.
class SpareMemory {
 public:
  SpareMemory(const Plan& plan, const Liveness& live) : results_(plan.outputs.size()) {
    for (std::size_t b = 0; b < plan.buffers.size(); ++b) {
      const Buffer& buffer = plan.buffers[b];
      if (buffer.kind != BufferKind::output) continue;
      Result& result = results_[std::size_t(buffer.index)];
      const bool is_fixed = buffer.count.is_constant() && live.of(int(b)).end >= 0 &&
                            plan.outputs[std::size_t(buffer.index)].placement < 0;
      result.written = is_fixed ? std::min(result.written, live.first_step(int(b))) : 0;
      result.element = std::int64_t(byte_size(buffer.dtype));
      if (is_fixed) result.bytes = buffer.count.value() * result.element;
    }
    for (std::size_t b = 0; b < plan.buffers.size(); ++b)
      for (std::size_t r = 0; r < results_.size(); ++r)
        if (plan.buffers[b].kind == BufferKind::input &&
            plan.buffers[b].index == donor_of(plan, int(r)))
          results_[r].read = std::max(results_[r].read, live.of(int(b)).end);
  }

  /// Puts a temporary there, if one of them has room for it while it is alive.
  bool take(Buffer& buffer, std::int64_t bytes, const Interval& alive) {
    for (std::size_t r = 0; r < results_.size(); ++r) {
      Result& result = results_[r];
      // Hosts align results as their elements are.
      if (alive.begin <= result.read || alive.end >= result.written || bytes > result.bytes ||
          std::int64_t(byte_size(buffer.dtype)) > result.element)
        continue;
      const std::int64_t offset = result.memory.lowest(bytes, alive, true);
      if (offset + bytes > result.bytes) continue;
      result.memory.take(offset, bytes, alive);
      buffer.kind = BufferKind::spare;
      buffer.index = int(r);
      buffer.arena_offset = offset;
      return true;
    }
    return false;
  }

 private:
  struct Result {
    std::int64_t read = -1;  // the last time, as the argument that may lie there
    std::int64_t written = std::numeric_limits<std::int64_t>::max(), bytes = 0, element = 0;
    ArenaMemory memory;
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
    if (plan.buffers[std::size_t(b)].kind == BufferKind::arena && live.of(b).end >= 0)
      order.push_back(b);
  const auto own_bytes = [&](int b) {
    const Buffer& buffer = plan.buffers[std::size_t(b)];
    return buffer.count.value() * std::int64_t(byte_size(buffer.dtype));
  };
  const auto bytes = [&](int b) {
    return std::max(own_bytes(b), std::int64_t(1)) + (shares ? 0 : margin);
  };
  // Large ones first, each at the lowest offset that is free during its life.
  std::ranges::stable_sort(order, [&](int x, int y) { return bytes(x) > bytes(y); });
  SpareMemory spare(plan, live);
  ArenaMemory arena;
  plan.arena_bytes = 0;
  for (int b : order) {
    Buffer& buffer = plan.buffers[std::size_t(b)];
    const Interval& mine = live.of(b);
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
    if (live.of(int(b)).end < 0 && kind != BufferKind::input && kind != BufferKind::output)
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
