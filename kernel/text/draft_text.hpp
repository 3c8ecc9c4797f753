// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A draft as text: what dumps, crash files and text cases hold.  Printing what was parsed gives the same
// text, and a pass does the same to a draft that was parsed as to the one that was printed.  The form is
// described in docs/drafts.md.
#pragma once

#include <string>
#include <string_view>

#include "kernel/ast/plan_draft.hpp"

namespace partita::kernel {

/// The whole draft; kernels that no step launches, and expressions that no statement uses, are left out.
[[nodiscard]] std::string print_draft(const PlanDraft& draft);

/// What print_draft() prints.  Another text, or one of a draft that does not hold together
/// (kernel/ast/verify.hpp), is a user error at `name_for_errors`.
[[nodiscard]] PlanDraft parse_draft(std::string_view text, const std::string& name_for_errors);

}  // namespace partita::kernel
