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

}  // namespace partita::tool
