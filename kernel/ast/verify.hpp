// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What must hold of a draft between passes: expressions of operands that they can have, names that are
// there where they are used, launches that give kernels what they ask for, and a plan that could run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernel/ast/plan_draft.hpp"

namespace partita::kernel {

/// What is wrong with an expression whose operands are in `pool`, as "expected …, found …"; or nothing.
[[nodiscard]] std::optional<std::string> find_problem(const scalar::ExprPool& pool,
                                                      const scalar::Expr& e);
/// What is wrong first, as one line that says where; or nothing.
[[nodiscard]] std::optional<std::string> find_problem(const Kernel& kernel);
/// The same of a draft: the plan, and kernels that are launched and for which `is_open` holds.
[[nodiscard]] std::optional<std::string> find_problem(
    const PlanDraft& draft, const std::function<bool(const Kernel&)>& is_open);
[[nodiscard]] std::optional<std::string> find_problem(const PlanDraft& draft);

}  // namespace partita::kernel
