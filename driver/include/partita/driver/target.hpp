// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a backend's code generator is: it prints the kernels of a plan.  Each backend defines
// `const Target& target_NAME()` in partita::passes; the list of backends is the build's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/driver/compile.hpp"
#include "partita/driver/object.hpp"

namespace partita::passes {

struct PlanDraft;

/// A function on its way into an object: an artifact without machine code.
struct ObjectFunction {
  std::string name;
  Artifact artifact;
};

struct Target {
  std::string name;
  /// Multiply-adds from which `--gemm auto` takes the library.
  std::int64_t library_threshold = 0;
  /// Prints kernels into the artifact (modules, kernels, renumbered launches) and compiles those that
  /// are not compiled where they run.
  void (*generate)(const PlanDraft& draft, const CompileOptions& options, Artifact& artifact);
  /// What generated contractions compute with where no tuning file says otherwise; no vectors where
  /// their size is 0.
  TileSize (*tiles)(const CompileOptions& options) = nullptr;
  /// Whether kernels become code of the processor's own; null: always.  Otherwise products go to the
  /// library from few multiply-adds on, and contractions are formed without vectors.
  bool (*compiles)(const CompileOptions& options) = nullptr;
  /// Whether the library multiplies bf16 where the processor does, and how is decided where the plan
  /// runs; null: never.
  bool (*multiplies_bf16)(const CompileOptions& options) = nullptr;
  /// Plans and kernels as one object for an instruction set; null: the target makes none.
  ObjectCode (*emit_object)(const std::string& name, std::span<const ObjectFunction> functions,
                            const std::string& level) = nullptr;
  /// Plan and kernels of a function as C text; null: the target makes none.
  ObjectCode (*emit_c)(const std::string& name, const ObjectFunction& function,
                       const std::string& level) = nullptr;
  /// Tuning files that are built in: names of devices and text.
  struct TuningText {
    std::string_view device, text;
  };
  std::vector<TuningText> tunings;
  /// Kernels are printed for one work-item, and launches may have two dimensions.
  bool has_row_launches = false;
  /// Multiply-adds from which a launch is worth it that copies an operand for a generated contraction.
  std::int64_t packing_threshold = 1 << 19;
};

/// The target of that name; a user error that names those built in.
[[nodiscard]] const Target& find_target(const std::string& name);

}  // namespace partita::passes
