// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/mpi/mpi_state.hpp"

#include <array>
#include <atomic>

#include "partita/base/error.hpp"

namespace partita::collective {
namespace {

std::atomic<bool> initialised_here{false}, unfinalisable{false};
std::atomic<int> links{0};

/// Lives until the process ends: then finalises what ensure_mpi() initialised.
struct Finaliser {
  Finaliser() = default;
  Finaliser(const Finaliser&) = delete;
  Finaliser& operator=(const Finaliser&) = delete;
  ~Finaliser() {
    if (!initialised_here || unfinalisable || links > 0) return;
    const MpiLock lock(mpi_mutex());
    if (is_usable()) MPI_Finalize();
  }
};

}  // namespace

bool is_usable() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

int ensure_mpi() {
  FairMutex& mutex = mpi_mutex();
  static Finaliser finaliser;
  const MpiLock lock(mutex);
  int finalised = 0, initialised = 0, level = MPI_THREAD_SINGLE;
  MPI_Finalized(&finalised);
  if (finalised != 0) throw_device_error("MPI was finalised before");
  MPI_Initialized(&initialised);
  if (initialised != 0) {
    PARTITA_MPI(MPI_Query_thread(&level));
    return level;
  }
  PARTITA_MPI(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level));
  initialised_here = true;
  return level;
}

bool is_mpi_initialised_here() { return initialised_here; }
void leave_mpi_unfinalised() { unfinalisable = true; }
void count_links(int change) { links += change; }

void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw_device_error(cat(call, ": ", text.data(), " (", file, ":", line, ")"));
}

}  // namespace partita::collective
