// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What must hold of an artifact before anything of it runs: indices in range, sizes that fit,
// offsets inside their buffers, kernels that exist.  The reader of artifacts and the executor ask.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "partita/artifact/artifact.hpp"

namespace partita {

/// What is wrong first, as one line ("steps[3]: expected ..., found ..."), or nothing.  Never
/// throws for wrong content.
[[nodiscard]] std::optional<std::string> find_problem(const Artifact& artifact);

/// What a plan refers to that is not its own.
struct PlanSurroundings {
  std::size_t kernels = 0;
  std::span<const Type> constants = {};
  bool has_places = true;    ///< temporaries have their offsets in the arena
  bool makes_calls = false;  ///< kernels may call routines
};

/// The same of a plan alone.
[[nodiscard]] std::optional<std::string> find_problem(const Plan& plan,
                                                      const PlanSurroundings& around);

}  // namespace partita
