// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What must hold of an artifact before anything of it runs: indices in range, sizes that fit,
// offsets inside their buffers, kernels that exist.  The reader of artifacts and the executor ask.
#pragma once

#include <optional>
#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita {

/// What is wrong first, as one line ("steps[3]: expected ..., found ..."), or nothing.  Never
/// throws for wrong content.
[[nodiscard]] std::optional<std::string> find_problem(const Artifact& artifact);

}  // namespace partita
