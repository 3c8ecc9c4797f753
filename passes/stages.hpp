// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Stage invariants: what a module must not contain any more once a stage is reached.
#pragma once

#include <string>
#include <vector>

#include "partita/passes/pass.hpp"

namespace partita::passes {

/// Empty when the module's public functions fulfil the stage; else the first thing that does not fit.
[[nodiscard]] std::string why_not_reached(const ir::Module& module, Stage stage);
/// The same as "expected a module after PASS, found …".
[[nodiscard]] std::string missing_for(const ir::Module& module, Stage stage);

}  // namespace partita::passes
