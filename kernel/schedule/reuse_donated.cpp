// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Results that may lie in the memory of arguments that the program gives up: parameters in that of those they are made of.
#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "kernel/analysis/liveness.hpp"
#include "kernel/draft_pass.hpp"

namespace partita::kernel::schedule {
namespace {

class DonorFinder {
 public:
  explicit DonorFinder(PlanDraft& draft)
      : plan_(draft.plan),
        kernels_(draft),
        live_(draft, kernels_),
        read_(plan_.inputs.size(), -1),
        written_(plan_.outputs.size(), std::numeric_limits<std::int64_t>::max()),
        donors_(plan_.outputs.size(), -1),
        is_free_(plan_.inputs.size()) {
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i)
      is_free_[i] = plan_.inputs[i].is_donated && plan_.inputs[i].type.count() > 0;
    for (int b = 0; b < int(plan_.buffers.size()); ++b) {
      const Buffer& buffer = plan_.buffers[std::size_t(b)];
      const auto port = std::size_t(buffer.index);
      if (buffer.kind == BufferKind::input) read_[port] = std::max(read_[port], live_.of(b).end);
      if (buffer.kind == BufferKind::output)
        written_[port] = std::min(written_[port], live_.first_step(b));
    }
  }

  void run() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      find_in_place(plan_.steps[s], live_.step_times()[s]);
    for (std::size_t k = 0; k < donors_.size(); ++k) {
      if (donors_[k] >= 0) continue;
      for (std::size_t i = 0; i < is_free_.size() && donors_[k] < 0; ++i)
        if (read_[i] < written_[k] && fits(i, k)) take(i, k);
    }
    if (std::ranges::any_of(donors_, [](int donor) { return donor >= 0; }))
      plan_.donors = std::move(donors_);
  }

 private:
  [[nodiscard]] bool fits(std::size_t input, std::size_t output) const {
    return is_free_[input] && look_alike(plan_.inputs[input], plan_.outputs[output]);
  }
  void take(std::size_t input, std::size_t output) {
    donors_[output] = int(input);
    is_free_[input] = false;
  }

  /// Arguments that a step reads last, each item what it then writes of results that nothing used before.
  void find_in_place(Step& step, std::int64_t time) {
    if (!std::holds_alternative<Launch>(step.what) && !std::holds_alternative<Copy>(step.what))
      return;
    std::map<std::size_t, bool> from, to;
    bool starts_at_zero = true;
    for_each_access(step, kernels_, [&](const Access& a) {
      const Buffer& buffer = plan_.buffers[std::size_t(a.ref->buffer)];
      const auto port = std::size_t(buffer.index);
      const bool begins = a.ref->offset == HostExpr(0);
      starts_at_zero &= !a.writes || begins;
      if (buffer.kind == BufferKind::input)
        from.try_emplace(port, true).first->second &=
            a.is_in_place && !a.writes && begins && read_[port] == time;
      if (buffer.kind == BufferKind::output)
        to.try_emplace(port, true).first->second &= !a.reads && written_[port] == time;
    });
    if (!starts_at_zero) return;
    for (const auto& [input, may_give] : from)
      for (const auto& [output, may_take] : to)
        if (may_give && may_take && donors_[output] < 0 && fits(input, output)) take(input, output);
  }

  Plan& plan_;
  KernelAccesses kernels_;
  Liveness live_;
  std::vector<std::int64_t> read_, written_;  // the last time, the first
  std::vector<int> donors_;                   // of each result
  std::vector<bool> is_free_;                 // an argument that is donated and not taken
};

}  // namespace

DraftPass draft_pass_reuse_donated();
DraftPass draft_pass_reuse_donated() {
  return {.name = "reuse-donated",
          .doc =
              "Says which results may lie in the memory of arguments that are donated: those that "
              "are written when the argument was read for the last time, or by the same items.",
          .run = [](PlanDraft& draft, const PassRun&) { DonorFinder(draft).run(); }};
}

}  // namespace partita::kernel::schedule
