// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The functions of backend-cpu/kernels, which compilers vectorise, as pieces of a C prelude: each
// definition is printed where a kernel uses it, after those it calls.
#pragma once

#include <vector>

#include "kernel/print/scalar_text.hpp"

namespace partita::cpu::codegen {

/// Every definition under its own name, and `exp_f32` as another name of `pm_exp_f32`, and so on.
[[nodiscard]] std::vector<kernel::Snippet> vector_math();

}  // namespace partita::cpu::codegen
