// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Makes a failing program small: outputs, nodes and arguments that the failure does not need go,
// and values become arguments.
#pragma once

#include <filesystem>

#include "tools/partita/check/per_op.hpp"

namespace partita::tool {

/// Writes the smallest program found on which the target departs from the interpreter (or fails with
/// an error), with its inputs and the interpreter's results in STEM.io.npz beside it; says what was
/// written, or that the target agrees with the interpreter.
[[nodiscard]] std::string shrink_to(const Comparison& comparison,
                                    const std::filesystem::path& path);

}  // namespace partita::tool
