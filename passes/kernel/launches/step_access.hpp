// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a plan step reads and writes, at the granularity of buffers.
#pragma once

#include <functional>

#include "passes/kernel/plan_builder.hpp"

namespace partita::passes {

struct Access {
  BufferRef* ref = nullptr;
  bool reads = false, writes = false;
  /// Reads exactly the element that the same work-item then writes through every written buffer, so
  /// that the two may be one array.
  bool is_in_place = false;
};

/// Calls `visit` for every buffer reference of a step and of the steps inside it.
void for_each_access(Step& step, const PlanDraft& draft,
                     const std::function<void(const Access&)>& visit);
/// The lists of steps directly inside a step.
[[nodiscard]] std::vector<Steps*> inner_steps(Step& step);

}  // namespace partita::passes
