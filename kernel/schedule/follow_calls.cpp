// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches that go over the elements of a library call's result become part of the call: the device does them for
// elements that have just been computed, while they are in its cache.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/merge_kernels.hpp"

namespace partita::kernel::schedule {
namespace {

/// Memory that steps have in common.
using Memory = std::pair<BufferKind, int>;
/// What steps touch, and whether they write it.
using Touched = std::map<Memory, bool>;

bool conflict(const Touched& a, const Touched& b) {
  return std::ranges::any_of(a, [&](const auto& entry) {
    const auto it = b.find(entry.first);
    return it != b.end() && (entry.second || it->second);
  });
}

class Follower {
 public:
  explicit Follower(PlanDraft& draft) : draft_(draft), plan_(draft.plan), kernels_(draft) {}

  void visit(Steps& steps) {
    for (Step& s : steps)
      for (Steps* inner : inner_steps(s)) visit(*inner);
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (auto* call = std::get_if<Convolve>(&steps[i].what)) add_followers(steps, i, *call);
  }

 private:
  void add_followers(Steps& steps, std::size_t i, const Convolve& call) {
    // Of the steps between the call and a launch.
    Touched between;
    for (std::size_t j = i + 1; j < steps.size();) {
      const Launch* launch = std::get_if<Launch>(&steps[j].what);
      const Touched mine = touched_by(steps[j]);
      if (launch != nullptr && follows(*launch, call) && !conflict(mine, between) &&
          !std::ranges::any_of(mine,
                               [&](const auto& m) { return m.second && reads(call, m.first); })) {
        auto& then = std::get<Convolve>(steps[i].what).then;
        then.push_back(std::move(std::get<Launch>(steps[j].what)));
        steps.erase(steps.begin() + std::ptrdiff_t(j));
        continue;
      }
      // Nothing moves past what waits, branches or loops.
      if (launch == nullptr && !std::holds_alternative<Copy>(steps[j].what) &&
          !is_library_call(steps[j]))
        return;
      for (const auto& [memory, is_written] : mine) between[memory] |= is_written;
      ++j;
      // Whoever waits for the result past this waits for something else as well.
      if (const auto it = between.find(memory_of(call.result)); it != between.end()) return;
    }
  }

  /// Whether a launch has an item for each element of the call's result, which reads that element of it alone.
  [[nodiscard]] bool follows(const Launch& launch, const Convolve& call) const {
    const Kernel& kernel = *draft_.kernels[std::size_t(launch.kernel)];
    const CallFacts facts = facts_of({&kernel, &launch});
    if (kernel.group_items > 0 || kernel.row_variable >= 0 ||
        launch.global != std::array<HostExpr, 3>{call.result_count(), 1, 1} ||
        facts.items != HostExpr(call.result_count()))
      return false;
    bool is_read = false;
    for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
      const BufferRef& ref = launch.buffers[b];
      if (memory_of(ref) != memory_of(call.result)) continue;
      const CallFacts::Use& use = facts.uses[b];
      if (ref != call.result || (use.loads && !use.loads_at_item) ||
          (use.stores && !use.stores_at_item))
        return false;
      is_read |= use.loads;
    }
    return is_read;
  }

  [[nodiscard]] bool reads(const Convolve& call, const Memory& memory) const {
    return memory_of(call.source) == memory || memory_of(call.weights) == memory;
  }

  /// An argument or result may have several buffers, and a result may lie in an argument.
  [[nodiscard]] Memory memory_of(const BufferRef& ref) const {
    const Buffer& b = plan_.buffers[std::size_t(ref.buffer)];
    if (b.kind == BufferKind::output)
      if (const int donor = donor_of(plan_, b.index); donor >= 0) return {BufferKind::input, donor};
    const bool is_port = b.kind == BufferKind::input || b.kind == BufferKind::output;
    return {b.kind, is_port ? b.index : ref.buffer};
  }

  Touched touched_by(Step& step) {
    Touched touched;
    for_each_access(step, kernels_,
                    [&](const Access& a) { touched[memory_of(*a.ref)] |= a.writes; });
    return touched;
  }

  PlanDraft& draft_;
  const Plan& plan_;
  KernelAccesses kernels_;
};

}  // namespace

DraftPass draft_pass_follow_calls();
DraftPass draft_pass_follow_calls() {
  return {.name = "follow-calls",
          .doc =
              "Launches over the elements of a convolution by the library, each item of which "
              "reads its own element "
              "alone, become part of the call: devices do them for elements as soon as these are "
              "there.",
          .run = [](PlanDraft& draft, const PassRun&) { Follower(draft).visit(draft.plan.steps); }};
}

}  // namespace partita::kernel::schedule
