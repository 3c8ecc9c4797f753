// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/env.hpp"

#include <cstdlib>

namespace partita {

namespace {

std::optional<int> environment_number(const char* name) {
  const auto text = environment(name);
  if (!text) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text->c_str(), &end, 10);
  if (*end != '\0' || value < 0 || value > 1'000'000) return std::nullopt;
  return int(value);
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::filesystem::path user_cache_folder() {
  if (const auto cache = environment("XDG_CACHE_HOME"))
    return std::filesystem::path(*cache) / "partita";
  if (const auto home = environment("HOME"))
    return std::filesystem::path(*home) / ".cache" / "partita";
  return {};
}

LocalRank local_rank() {
  struct Names {
    const char *index, *count;
  };
  constexpr Names launchers[] = {
      {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
      {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
      {"SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
  };
  for (const Names& names : launchers) {
    const auto index = environment_number(names.index), count = environment_number(names.count);
    if (index && count && *index < *count) return {*index, *count};
  }
  return {};
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const auto rank = environment_number(name)) return *rank;
  return 0;
}

}  // namespace partita
