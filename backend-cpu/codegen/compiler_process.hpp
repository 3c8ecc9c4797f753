// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs of a program in a folder of scratch files, several side by side.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace partita::passes {

/// A folder of its own, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs the program in the folder once for each list of arguments, as many at a time as this process
/// has cores.  Throws an internal error with the first lines of what the first failed run said.
void run_program(const std::filesystem::path& folder, const std::filesystem::path& program,
                 const std::vector<std::vector<std::string>>& runs);

}  // namespace partita::passes
