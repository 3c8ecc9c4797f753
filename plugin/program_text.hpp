// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The text of a compiled program as XLA's client reads it (`as_text()`): StableHLO, and what shardings its arguments and
// results have.
#pragma once

#include <optional>
#include <string>

#include "plugin/compile.hpp"

namespace partita::pjrt {

/// The program that was compiled; where it is cut over a mesh, a shard's program with StableHLO's collectives.  Nothing where
/// there is neither: the compiled form has ops that StableHLO lacks, and the original has Shardy's.
[[nodiscard]] std::optional<std::string> program_text(const CompiledProgram& program);

}  // namespace partita::pjrt
