// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints a kernel's body as C text.  Every element expression becomes a constant local variable in
// the innermost scope where its operands exist; loads that a loop does not change move before it;
// the branches of `choose` are evaluated only where needed.
#pragma once

#include <string>

#include "passes/kernel/kernel.hpp"
#include "passes/kernel/scalar_text.hpp"

namespace partita::passes {

struct BodyNames {
  std::string index_type = "int";  ///< C type of index arithmetic
  DType index_dtype = DType::i32;
};

/// Statements, indented by two spaces.  Buffers are `b0, b1, …`, scalars `s0, …`, the work-item `k0`.
[[nodiscard]] std::string print_body(const Kernel& kernel, kernel::ScalarText& text,
                                     const BodyNames& names);

}  // namespace partita::passes
