// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Environment variables and what launchers put there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace partita {

/// The variable's value; nothing where it is not set or empty.
[[nodiscard]] std::optional<std::string> environment(const char* name);

/// The project's folder among the user's caches: XDG_CACHE_HOME/partita, else ~/.cache/partita; empty
/// where neither XDG_CACHE_HOME nor HOME is set.
[[nodiscard]] std::filesystem::path user_cache_folder();

/// This process's number among the processes of its job on this machine, and their count, as the
/// MPI launcher (Open MPI, MPICH, Slurm) says; 0 of 1 without a launcher.
struct LocalRank {
  int index = 0, count = 1;
};
[[nodiscard]] LocalRank local_rank();

/// This process's rank in its job as the launcher says; 0 without a launcher.  For messages before
/// MPI is initialised; a communicator knows better.
[[nodiscard]] int launched_rank();

}  // namespace partita
