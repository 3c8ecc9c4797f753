// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels are written for one work-item; a core runs a range of them.  This puts the loops around a
// kernel's body: over rows and, innermost, along a dimension of the result, so that indices become
// sums without divisions and neighbouring iterations touch neighbouring elements.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "kernel/ast/kernel.hpp"

namespace partita::cpu::codegen {

using namespace kernel;

struct WorkLoops {
  /// Runs items [begin, end), given as two more scalars after the kernel's own.
  Kernel kernel;
  /// Registers that are arrays of `lanes` elements, one for each item of the innermost loop; `lane`
  /// selects the item's.  They let a loop within the items run around the loop over them.
  std::map<std::int32_t, DType> lane_registers;
  std::string lane;
  static constexpr int lanes = 256;
};

/// Stands before each loop over items.
inline constexpr std::string_view item_loop = "#pragma GCC ivdep";

[[nodiscard]] WorkLoops with_work_loops(const Kernel& kernel);

}  // namespace partita::cpu::codegen
