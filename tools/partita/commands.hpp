// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The subcommands of the tool.  Each cmd_<name>.cpp defines `void add_<name>_command(CLI::App&,
// Action&)`: it adds the subcommand with its options and, in the subcommand's callback, sets the
// action to run after parsing.  The build generates the list; a new command is a new file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace partita::tool {

/// What the chosen subcommand does; returns the exit code (0, or 1: a comparison or check failed)
/// and throws errors.
using Action = std::function<int()>;

void add_all_commands(CLI::App& app, Action& action);

/// "8GiB", "512 MB", "1000": a user error names `option` where `text` is no size.
[[nodiscard]] std::int64_t parse_bytes(const std::string& text, const std::string& option);
/// The non-empty parts between `separator`s.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
/// A number from 0 to `max`; a user error names `option` otherwise.
[[nodiscard]] std::int64_t parse_number(const std::string& text, const std::string& option,
                                        std::int64_t max);

}  // namespace partita::tool
