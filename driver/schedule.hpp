// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which passes a draft goes through on its way to a target's code generator.
#pragma once

#include <vector>

#include "partita/base/target_info.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/pipelines.hpp"

namespace partita::driver {

[[nodiscard]] std::vector<PassRun> schedule_pipeline(const TargetInfo& target,
                                                     const CompileOptions& options);

}  // namespace partita::driver
