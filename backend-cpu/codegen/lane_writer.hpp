// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A kernel as lane code: what runs where there is no machine code for it.  Work-items are the lanes;
// what does not differ between them is computed once.
#pragma once

#include "backend-cpu/format/lane_code.hpp"
#include "kernel/ast/kernel.hpp"

namespace partita::cpu::codegen {

using namespace kernel;

/// Kernels with vectors (Stmt::width) have no lane code: an internal error.
[[nodiscard]] LaneKernel lane_kernel(const Kernel& kernel);

}  // namespace partita::cpu::codegen
