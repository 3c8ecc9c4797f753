// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a run carries from round to round, kept in files from which it can go on: DIR/round_N.safetensors holds the
// values that round N + 1 begins with.  A file is whole or not there, and says what its bytes add up to.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "partita/artifact/plan.hpp"
#include "partita/base/host_array.hpp"

namespace partita::tool {

/// What a checkpoint belongs to: types of all ports, and which outputs become which inputs.
[[nodiscard]] std::string program_key(const Plan& plan, const std::string& carry);

struct Checkpoint {
  int round = 0;                     ///< that is done
  std::map<int, HostArray> carried;  ///< by the input that takes it
};

/// Makes the folder where there is none and removes what was being written when a run was killed.  A user error
/// where nothing can be written there, or where there are checkpoints that a run from the beginning would be mixed up
/// with.
void prepare_checkpoints(const std::filesystem::path& folder, bool resumes);
/// Writes it, on disk when this returns; of those before it the last is kept.
void write_checkpoint(const std::filesystem::path& folder, const std::string& program,
                      const Checkpoint& checkpoint);
/// The last one whose bytes add up; a line on standard error for each that is passed over.  Nothing where there is
/// none.  A user error where it belongs to another program.
[[nodiscard]] std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& folder,
                                                        const std::string& program,
                                                        const Plan& plan, bool is_said);

}  // namespace partita::tool
