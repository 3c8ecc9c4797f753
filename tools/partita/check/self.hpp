// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions without arguments that hold check.* ops: StableHLO's own form of tests.
#pragma once

#include <memory>

#include "tools/partita/check/targets.hpp"

namespace partita::tool {

[[nodiscard]] bool checks_itself(const ir::Function& function);

/// A copy of the module in which the function's results are the operands of its checks and probes, one
/// after the other, and these are gone.  Those inside of regions are a user error.
[[nodiscard]] std::unique_ptr<ir::Module> with_checked_values(const ir::Module& module,
                                                              const ir::Function& function);

/// What the function's checks find wrong on the target.  Code generators do not know check.* ops:
/// there the checked values become results, and the checks run on them afterwards.
[[nodiscard]] std::vector<std::string> self_check_failures(const ir::Module& module,
                                                           const ir::Function& function,
                                                           const CheckTarget& target);

}  // namespace partita::tool
