// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Launches that go over the elements of a library call's result become part of the call: the device does them for
// elements that have just been computed, while they are in its cache.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "kernel/analysis/step_access.hpp"
#include "kernel/draft_pass.hpp"
#include "kernel/rewrites/merge_kernels.hpp"

namespace partita::kernel::schedule {
namespace {

/// What steps touch, and whether they write it.
using Touched = std::map<Memory, bool>;

/// Steps behind a call among which its followers are looked for.
constexpr std::size_t near_calls = 16;

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
  void add_followers(Steps& steps, std::size_t i, Convolve& call) {
    // Of the steps between the call and a launch, and of the launches that follow it but for its result.
    Touched between, following;
    const Memory result = memory_of(plan_, call.result);
    const std::size_t last = i + near_calls;
    for (std::size_t j = i + 1; j < std::min(steps.size(), last);) {
      Launch* launch = std::get_if<Launch>(&steps[j].what);
      Touched mine = touched_by(steps[j]);
      if (launch != nullptr && follows(*launch, call) && !conflict(mine, between) &&
          !writes_operand(mine, call) && !conflict(without(mine, result), following)) {
        call.then.push_back(std::move(*launch));
        steps.erase(steps.begin() + std::ptrdiff_t(j));
        add(without(std::move(mine), result), following);
        continue;
      }
      // Nothing moves past what waits, branches or loops, nor past whoever else uses the result.
      if ((launch == nullptr && !std::holds_alternative<Copy>(steps[j].what) &&
           !is_library_call(steps[j])) ||
          mine.contains(result))
        return;
      add(mine, between);
      ++j;
    }
  }

  static Touched without(Touched touched, const Memory& memory) {
    touched.erase(memory);
    return touched;
  }
  static void add(const Touched& more, Touched& to) {
    for (const auto& [memory, is_written] : more) to[memory] |= is_written;
  }

  /// Whether a launch has an item for each element of the call's result, which reads that element of it alone.
  [[nodiscard]] bool follows(const Launch& launch, const Convolve& call) const {
    const Kernel& kernel = *draft_.kernels[std::size_t(launch.kernel)];
    const HostExpr elements = call.result_count();
    if (kernel.group_items > 0 || kernel.row_variable >= 0 ||
        launch.global != std::array<HostExpr, 3>{elements, 1, 1})
      return false;
    const CallFacts facts = facts_of({&kernel, &launch});
    if (facts.items != elements) return false;
    bool is_read = false;
    for (std::size_t b = 0; b < launch.buffers.size(); ++b) {
      const BufferRef& ref = launch.buffers[b];
      if (memory_of(plan_, ref) != memory_of(plan_, call.result)) continue;
      const CallFacts::Use& use = facts.uses[b];
      if (ref != call.result || (use.loads && !use.loads_at_item) ||
          (use.stores && !use.stores_at_item))
        return false;
      is_read |= use.loads;
    }
    return is_read;
  }

  /// Other pieces of the call still read these.
  [[nodiscard]] bool writes_operand(const Touched& touched, const Convolve& call) const {
    return std::ranges::any_of(std::array{&call.source, &call.weights}, [&](const BufferRef* ref) {
      const auto it = touched.find(memory_of(plan_, *ref));
      return it != touched.end() && it->second;
    });
  }

  Touched touched_by(Step& step) {
    Touched touched;
    for_each_access(step, kernels_,
                    [&](const Access& a) { touched[memory_of(plan_, *a.ref)] |= a.writes; });
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
              "reads its own element alone, become part of the call: devices do them for elements "
              "as soon as these are there.",
          .run = [](PlanDraft& draft, const PassRun&) { Follower(draft).visit(draft.plan.steps); }};
}

}  // namespace partita::kernel::schedule
