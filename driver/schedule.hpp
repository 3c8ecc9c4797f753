// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which passes a draft goes through on its way to a target's code generator.
#pragma once

#include <vector>

#include "partita/driver/compile.hpp"
#include "partita/driver/pipelines.hpp"
#include "partita/driver/target.hpp"

namespace partita::passes {

[[nodiscard]] std::vector<PassRun> schedule_pipeline(const Target& target,
                                                     const CompileOptions& options);

}  // namespace partita::passes
