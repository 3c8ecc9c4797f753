// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// When the buffers of a plan are alive.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "kernel/analysis/step_access.hpp"
#include "kernel/ast/plan_draft.hpp"

namespace partita::kernel {

/// Times from the first use to the last; none: `end` is negative.
struct Interval {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = -1;
};

/// Numbers steps in order; a buffer used in a loop and before it lives until the loop's end.
class Liveness {
 public:
  Liveness(PlanDraft& draft, KernelAccesses& kernels);

  [[nodiscard]] const Interval& of(int buffer) const { return intervals_[std::size_t(buffer)]; }
  /// When the first of the plan's own steps begins that uses a buffer; the largest time where none does.
  [[nodiscard]] std::int64_t first_step(int buffer) const {
    return first_steps_[std::size_t(buffer)];
  }
  /// When each of the plan's own steps begins.
  [[nodiscard]] const std::vector<std::int64_t>& step_times() const { return step_times_; }

 private:
  void touch(int buffer, std::int64_t begin, std::int64_t end);
  void visit(Steps& steps, bool is_plan);
  void hold_in_flight(Step& s, std::int64_t time);

  KernelAccesses& kernels_;
  std::int64_t now_ = 0;
  std::map<int, std::vector<int>> in_flight_;  // buffers of a request
  std::vector<Interval> intervals_;
  std::vector<std::int64_t> first_steps_, step_times_;
};

}  // namespace partita::kernel
