// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops of small launches as C functions: where each launch of a loop is too short to be shared by
// threads, the loop's steps, branches and counters become one kernel of one work-item, which calls
// the launched kernels itself, with sizes and offsets that the compiler knows.  So do neighbouring
// small launches within other loops.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "kernel/print/kernel_list.hpp"
#include "partita/artifact/artifact.hpp"

namespace partita::cpu::codegen {

using namespace kernel;

/// Steps that have become one function.
struct StepFunction {
  std::string name;  ///< of the kernel that it is
  std::set<int>
      kernels;  ///< which it calls, as `local_NAME` of the same unit; indices of `printed`
  std::string text;
};

/// Puts launches of step functions in place of steps of `artifact.plan`, whose launches name kernels
/// of `printed`, and adds the functions to `artifact.kernels`.  Kernels may be left that no launch
/// names any more.
[[nodiscard]] std::vector<StepFunction> make_step_functions(Artifact& artifact,
                                                            std::span<const PrintedKernel> printed);

/// What the text of step functions needs before it, after that of kernels.
[[nodiscard]] std::string_view step_function_support();

}  // namespace partita::cpu::codegen
