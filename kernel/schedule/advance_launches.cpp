// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// In programs that give arguments up, launches that make results of large temporaries go to where those are made: gradients
// then live until the update that follows, whose result lies in the memory of an argument.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

/// Behind which of the plan's steps, and behind how many others that went there.
using Position = std::pair<std::size_t, std::size_t>;

class Advance {
 public:
  Advance(PlanDraft& draft, std::int64_t least_bytes)
      : plan_(draft.plan),
        kernels_(draft),
        least_bytes_(least_bytes),
        behind_(plan_.steps.size()) {}

  void run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const std::vector<Access> accesses = accesses_of(i);
      Position at{i, 0};
      if (makes_results_of_large_temporaries(i, accesses)) {
        const Position earliest = earliest_for(accesses);
        if (earliest.first + 1 < i) {
          behind_[earliest.first].push_back(i);
          at = {earliest.first, behind_[earliest.first].size()};
        }
      }
      for (const Access& a : accesses) {
        Touched& touched = touched_[memory_of(plan_, *a.ref)];
        touched.last = std::max(touched.last, at);
        if (a.writes) touched.last_write = std::max(touched.last_write, at);
      }
    }
    put_in_order();
  }

 private:
  struct Touched {
    Position last{0, 0}, last_write{0, 0};
  };

  [[nodiscard]] const Buffer& buffer_of(const BufferRef& ref) const {
    return plan_.buffers[std::size_t(ref.buffer)];
  }
  /// Of a step and, where it waits for a collective, of what started that.
  std::vector<Access> accesses_of(std::size_t i) {
    std::vector<Access> all;
    const auto add = [&](const Access& a) { all.push_back(a); };
    Step& step = plan_.steps[i];
    for_each_access(step, kernels_, add);
    if (const std::optional<int> request = started_request(step)) started_[*request] = i;
    if (const auto* done = std::get_if<CollectiveDone>(&step.what))
      if (const auto start = started_.find(done->request); start != started_.end())
        for_each_access(plan_.steps[start->second], kernels_, add);
    return all;
  }

  [[nodiscard]] bool makes_results_of_large_temporaries(std::size_t i,
                                                        const std::vector<Access>& accesses) const {
    if (!std::holds_alternative<Launch>(plan_.steps[i].what)) return false;
    bool reads_large = false;
    for (const Access& a : accesses) {
      const Buffer& b = buffer_of(*a.ref);
      if (a.writes && b.kind != BufferKind::output) return false;
      reads_large |= b.kind == BufferKind::arena && b.count.is_constant() &&
                     b.count.value() * std::int64_t(byte_size(b.dtype)) >= least_bytes_;
    }
    return reads_large;
  }

  /// Behind what makes its operands and what uses its results, and behind the readers of an argument that is given up, whose
  /// memory may become the result's.
  [[nodiscard]] Position earliest_for(const std::vector<Access>& accesses) {
    Position earliest{0, 0};
    for (const Access& a : accesses) {
      const Touched& touched = touched_[memory_of(plan_, *a.ref)];
      const Buffer& b = buffer_of(*a.ref);
      const bool is_given_up =
          b.kind == BufferKind::input && plan_.inputs[std::size_t(b.index)].is_donated;
      earliest = std::max(earliest, a.writes || is_given_up ? touched.last : touched.last_write);
    }
    return earliest;
  }

  void put_in_order() {
    std::vector<bool> has_gone(plan_.steps.size(), false);
    for (const std::vector<std::size_t>& steps : behind_)
      for (const std::size_t i : steps) has_gone[i] = true;
    Steps ordered;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (!has_gone[i]) ordered.push_back(std::move(plan_.steps[i]));
      for (const std::size_t k : behind_[i]) ordered.push_back(std::move(plan_.steps[k]));
    }
    plan_.steps = std::move(ordered);
  }

  Plan& plan_;
  KernelAccesses kernels_;
  std::int64_t least_bytes_;
  std::vector<std::vector<std::size_t>> behind_;  // per step: those that go there, in order
  std::map<std::pair<BufferKind, int>, Touched> touched_;
  std::map<int, std::size_t> started_;  // by request
};

}  // namespace

DraftPass draft_pass_advance_launches();
DraftPass draft_pass_advance_launches() {
  return {.name = "advance-launches",
          .doc =
              "Where arguments are donated, launches that make results of large temporaries go to "
              "where those are made (`least-bytes`: arrays of at least so many).",
          .options = {"least-bytes"},
          .run = [](PlanDraft& draft, const PassRun& run) {
            if (std::ranges::any_of(draft.plan.inputs, &PortInfo::is_donated))
              Advance(draft, run.integer("least-bytes", 65536)).run();
          }};
}

}  // namespace partita::kernel::schedule
