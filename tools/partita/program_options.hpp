// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What commands that read a program have in common: placements given on the command line, and what the
// targets that are built in declare: their names, options of their own, names of their libraries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "partita/driver/compile.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

/// "clients=512" each; a user error where one is not NAME=N with N > 0, or where a name comes twice.
[[nodiscard]] std::map<std::string, std::int64_t> parse_placements(
    const std::vector<std::string>& texts);

/// Adds --shape and --value, for programs that leave extents open.
void add_open_options(CLI::App& command, ir::OpenArguments& open);

/// "X, Y, Z".
[[nodiscard]] std::string join(const std::vector<std::string>& words);
/// "X, Y or Z".
[[nodiscard]] std::string one_of(const std::vector<std::string>& words);

/// Values that the command line has for options of targets, by name.
struct TargetValues {
  std::map<std::string, std::string> values;
  std::map<std::string, std::vector<std::string>> lists;
};
/// Adds the options of all targets, once each; for `partita run` those that it has.
enum class OptionsOf { compile, run };
void add_target_options(CLI::App& command, TargetValues& values, OptionsOf of);
/// Takes over what is given for options of `options.target`; options of others do not matter.
void apply(const TargetValues& values, driver::CompileOptions& options);

/// "auto, library (on target T also: NAME) or generated": what `--gemm` may be.
[[nodiscard]] std::string gemm_help();
/// "Code generator (default: T)".
[[nodiscard]] std::string target_help();

}  // namespace partita::tool
