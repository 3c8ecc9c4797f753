// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions without arguments that hold check.* ops: StableHLO's own form of tests.
#pragma once

#include "tools/partita/check_targets.hpp"

namespace partita::tool {

[[nodiscard]] bool checks_itself(const ir::Function& function);

/// What the function's checks find wrong on the target.  Code generators do not know check.* ops:
/// there the checked values become results, and the checks run on them afterwards.
[[nodiscard]] std::vector<std::string> self_check_failures(const ir::Module& module, const ir::Function& function,
                                                           const CheckTarget& target);

}  // namespace partita::tool
