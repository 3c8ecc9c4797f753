// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A launch that reads a temporary for the last time, each item the element that it then writes, may write it where the
// temporary lies: gradients become updated parameters in the memory of the result.  So may a routine of the host that says
// so.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// Where a list of steps accesses a buffer.
struct Life {
  std::size_t first = 0, last = 0;
  int count = 0;
  bool begins_with_read = false;
  bool is_free_of_collectives = true;  ///< that are still on their way after `last`
};

/// Accesses of each buffer.
using Counts = std::map<int, int>;

class InPlace {
 public:
  /// `total` has the accesses of each buffer in the whole plan.
  InPlace(Steps& steps, KernelAccesses& kernels, Counts& total, std::int64_t least_bytes)
      : steps_(steps), kernels_(kernels), total_(total), least_bytes_(least_bytes) {
    std::map<int, std::size_t> done;  // of requests
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (const auto* d = std::get_if<CollectiveDone>(&steps[i].what)) done[d->request] = i;
    for (std::size_t i = 0; i < steps.size(); ++i) note(i, done);
  }

  void run() {
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (std::holds_alternative<Launch>(steps_[i].what) ||
          std::holds_alternative<HostCall>(steps_[i].what))
        merge_at(i);
  }

 private:
  /// When what a step starts has been waited for; the step itself where it starts nothing.
  [[nodiscard]] std::optional<std::size_t> end_of(std::size_t i,
                                                  const std::map<int, std::size_t>& done) const {
    const std::optional<int> request = started_request(steps_[i]);
    if (!request) return i;
    const auto found = done.find(*request);
    return found == done.end() ? std::nullopt : std::optional(found->second);
  }

  void note(std::size_t i, const std::map<int, std::size_t>& done) {
    const std::optional<std::size_t> end = end_of(i, done);
    std::map<int, bool> reads;
    for_each_access(steps_[i], kernels_, [&](const Access& a) {
      const auto [it, is_new] = lives_.try_emplace(a.ref->buffer, Life{.first = i});
      Life& life = it->second;
      ++life.count;
      if (life.first == i) life.begins_with_read |= a.reads;
      life.last = std::max(life.last, end.value_or(i));
      life.is_free_of_collectives &= end.has_value();
    });
  }

  [[nodiscard]] const Buffer& buffer(int b) const {
    return kernels_.draft().plan.buffers[std::size_t(b)];
  }

  /// Whether all accesses of the plan are in this list.
  [[nodiscard]] bool is_local(int b) const {
    const Life& life = lives_.at(b);
    return total_[b] == life.count && life.is_free_of_collectives;
  }

  /// Results that may lie in an argument are not begun before that was read.
  [[nodiscard]] bool has_donor(int b) const {
    return donor_of(kernels_.draft().plan, buffer(b).index) >= 0;
  }

  [[nodiscard]] bool is_large(int b) const {
    const HostExpr& count = buffer(b).count;
    return count.is_constant() &&
           count.value() * std::int64_t(byte_size(buffer(b).dtype)) >= least_bytes_;
  }

  /// Gives a result of the step that begins its life the memory of an operand that ends it.
  void merge_at(std::size_t i) {
    std::vector<int> from, to;
    std::map<int, bool> may_be_taken;
    bool starts_at_zero = true;
    for_each_access(steps_[i], kernels_, [&](const Access& a) {
      const int b = a.ref->buffer;
      const Life& life = lives_.at(b);
      const BufferKind kind = buffer(b).kind;
      starts_at_zero &= !a.writes || a.ref->offset == HostExpr(0);
      if (a.writes && life.first == i && !life.begins_with_read && is_local(b) && is_large(b) &&
          (kind == BufferKind::arena || (kind == BufferKind::output && !has_donor(b))))
        to.push_back(b);
      const bool fits = a.reads && !a.writes && a.is_in_place && a.ref->offset == HostExpr(0) &&
                        kind == BufferKind::arena && life.last == i && life.first < i &&
                        !life.begins_with_read && is_local(b) && is_large(b);
      const auto [it, is_new] = may_be_taken.emplace(b, fits);
      it->second &= fits;
      if (is_new && fits) from.push_back(b);
    });
    if (!starts_at_zero) return;
    for (const int source : from) {
      if (!may_be_taken[source]) continue;
      const auto target = std::ranges::find_if(to, [&](int b) {
        return buffer(b).dtype == buffer(source).dtype && buffer(b).count == buffer(source).count;
      });
      if (target == to.end()) continue;
      merge(source, *target);
      to.erase(target);
    }
  }

  /// What accessed `from` accesses `to`.
  void merge(int from, int to) {
    const Life old = lives_.at(from);
    for (std::size_t i = old.first; i <= old.last; ++i)
      for_each_access(steps_[i], kernels_, [&](const Access& a) {
        if (a.ref->buffer == from) a.ref->buffer = to;
      });
    Life& life = lives_.at(to);
    life.first = old.first;
    life.count += old.count;
    life.begins_with_read = old.begins_with_read;
    total_[to] += std::exchange(total_[from], 0);
    lives_.erase(from);
  }

  Steps& steps_;
  KernelAccesses& kernels_;
  Counts& total_;
  std::int64_t least_bytes_;
  std::map<int, Life> lives_;
};

void update_in(Steps& steps, KernelAccesses& kernels, Counts& total, std::int64_t least_bytes) {
  for (Step& s : steps)
    for (Steps* inner : inner_steps(s)) update_in(*inner, kernels, total, least_bytes);
  InPlace(steps, kernels, total, least_bytes).run();
}

void update_in_place(PlanDraft& draft, std::int64_t least_bytes) {
  KernelAccesses kernels(draft);
  Counts total = access_counts(draft.plan, kernels);
  update_in(draft.plan.steps, kernels, total, least_bytes);
}

}  // namespace

DraftPass draft_pass_update_in_place();
DraftPass draft_pass_update_in_place() {
  return {
      .name = "update-in-place",
      .doc =
          "A launch whose items read a temporary for the last time, each where it then "
          "writes, writes it there, and so does a transform by the host (`least-bytes`: arrays of "
          "at least so many).",
      .options = {"least-bytes"},
      .run = [](PlanDraft& draft, const PassRun& run) {
        update_in_place(draft, run.integer("least-bytes", 1024));
      }};
}

}  // namespace partita::kernel::schedule
