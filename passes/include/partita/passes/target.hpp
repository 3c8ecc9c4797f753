// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a backend's code generator is: it prints the kernels of a plan.  Each backend defines
// `const Target& target_NAME()` in partita::passes; the list of backends is the build's.
#pragma once

#include <string>

#include "partita/passes/compile.hpp"

namespace partita::passes {

struct PlanDraft;

struct Target {
  std::string name;
  /// Multiply-adds from which `--gemm auto` takes the library.
  std::int64_t library_threshold = 0;
  /// Prints kernels into the artifact (modules, kernels, renumbered launches) and compiles those that
  /// are not compiled where they run.
  void (*generate)(const PlanDraft& draft, const CompileOptions& options, Artifact& artifact);
  /// Bytes of the vectors that generated contractions compute with; 0: none.
  std::int64_t vector_bytes = 0;
};

}  // namespace partita::passes
