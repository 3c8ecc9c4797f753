// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which kernels of a plan are printed, under which names: those that a step launches, one for each
// text.  How a kernel is printed is the backend's; launches are renumbered to what it printed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernel/ast/plan_draft.hpp"
#include "partita/artifact/artifact.hpp"

namespace partita::kernel {

/// A kernel as printed: parameters and body, without its name.
struct PrintedKernel {
  std::string name, text;
  std::string comment;             ///< nodes covered and shapes; may be empty
  const Kernel* kernel = nullptr;  ///< of the draft
};

/// Prints what the plan launches with `print`, in the order of first use, adds the entries to
/// `artifact.kernels` (of module 0) and renumbers the launches of `artifact.plan`.
[[nodiscard]] std::vector<PrintedKernel> print_kernels(
    const PlanDraft& draft, Artifact& artifact,
    const std::function<std::string(const Kernel&)>& print);

/// Takes from `artifact.kernels` what no launch of its plan names.
void drop_unlaunched_kernels(Artifact& artifact);

}  // namespace partita::kernel
