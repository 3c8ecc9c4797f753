// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The compiler's front door: a program, as text, bytes, a file, a module or what the builder made, and
// options go in, an artifact and what is to be said of it come out.  What it throws is a partita::Error:
// a user error with file, line and column where the program is wrong.  docs/compiling.md shows it, and
// partita_compiler.h is the same in C.  Passes and their order are not its matter (partita/driver/pipelines.hpp).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "partita/builder/program.hpp"
#include "partita/driver/compile.hpp"
#include "partita/driver/options.hpp"
#include "partita/ir/graph.hpp"

namespace partita {

using driver::CompileOptions;
using driver::CompileReport;
using driver::set_option;

struct Compiled {
  Artifact artifact;
  CompileReport report;
};

/// A program as text or, by its first bytes, a portable artifact (MLIR bytecode of VHLO).  `name` stands
/// for the file in errors, and names the module.
[[nodiscard]] Compiled compile(std::string_view program, const CompileOptions& options = {},
                               const std::string& name = "<program>");
[[nodiscard]] Compiled compile(std::span<const std::byte> program,
                               const CompileOptions& options = {},
                               const std::string& name = "<program>");
/// The module stays as it is.
[[nodiscard]] Compiled compile(const ir::Module& module, const CompileOptions& options = {});
[[nodiscard]] Compiled compile(const build::Program& program, const CompileOptions& options = {});
[[nodiscard]] Compiled compile_file(const std::filesystem::path& path,
                                    const CompileOptions& options = {});

}  // namespace partita
