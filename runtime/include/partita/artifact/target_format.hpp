// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a backend says of the artifacts of its target, so that they are read, written, checked and shown
// by code that knows no backend: the names of its files, its matrix library and what that may be told.
// A backend defines `TargetFormat <name>_format()` in namespace partita::backends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partita/artifact/artifact.hpp"

namespace partita {

struct TargetFormat {
  std::string_view target;
  std::string_view text_extension;  ///< of kernel text: ".cl"
  std::string_view library;         ///< that multiplies matrices
  std::string_view gemm;            ///< how a call of it is shown: "BLAS GEMM"
  /// File of a KernelBinary of that name in the artifact's folder TARGET/; null: its name.
  std::string (*binary_file)(std::string_view name) = nullptr;
  /// What is wrong with parameters by the library's rules ("Xgemm: expected KWG divisible by KWI"), or
  /// nothing; null: the library takes none.
  std::optional<std::string> (*find_problem)(const LibraryParameters& parameters) = nullptr;
};

/// Of every backend of this build, in the order of the build's list.
[[nodiscard]] const std::vector<TargetFormat>& all_formats();
/// Null where no backend of this build has that target.
[[nodiscard]] const TargetFormat* find_format(std::string_view target);

/// What is wrong with parameters for the matrix library of a target, or nothing.
[[nodiscard]] std::optional<std::string> find_problem(std::string_view target,
                                                      const LibraryParameters& parameters);

}  // namespace partita
