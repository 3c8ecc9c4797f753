// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs of a program in a folder of scratch files, several side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace partita::cpu::codegen {

/// Runs the program in the folder once for each list of arguments, as many at a time as this process
/// has cores.  Throws with the first lines of what the first failed run said: an internal error, or one of
/// the device where the run was killed or had no room for its files.
void run_program(const std::filesystem::path& folder, const std::filesystem::path& program,
                 const std::vector<std::vector<std::string>>& runs);

}  // namespace partita::cpu::codegen
