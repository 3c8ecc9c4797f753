// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a program over a mesh was compiled to, as StableHLO, which is what XLA's client reads: `as_text()`.
#pragma once

#include <optional>
#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita::pjrt {

/// A shard's program with StableHLO's collectives; nothing where the program has other ops that StableHLO lacks.
[[nodiscard]] std::optional<std::string> program_text(const Artifact& artifact);

}  // namespace partita::pjrt
