// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/mpi_state.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/collective/communicator.hpp"
#include "runtime/collective/process_watch.hpp"
#include "runtime/collective/rank_link.hpp"

namespace partita::collective {
namespace {

std::atomic<bool> initialised_here{false}, unfinalisable{false};
std::atomic<int> links{0};

bool is_usable() {
  int initialised = 0, finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

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

std::vector<std::unique_ptr<RankLink>>& graveyard() {
  static std::vector<std::unique_ptr<RankLink>> links_of_failed_jobs;
  return links_of_failed_jobs;
}

}  // namespace

FairMutex& mpi_mutex() {
  static FairMutex mutex;
  return mutex;
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

void bury(std::unique_ptr<RankLink> link) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  graveyard().push_back(std::move(link));
}

void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw_device_error(cat(call, ": ", text.data(), " (", file, ":", line, ")"));
}

}  // namespace partita::collective

namespace partita {

bool launched_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"}) {
    if (environment(name)) return true;
  }
  return false;
}

void abort_mpi_job(int exit_code) noexcept {
  collective::leave_mpi_unfinalised();
  std::fflush(nullptr);
  int rank = 0, ranks = 1;
  {
    const collective::MpiLock lock(collective::mpi_mutex());
    if (!collective::is_usable()) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  if (ranks == 1) return;
  // One rank's call ends all; the launcher reports every call, so the others give the first one time.
  const std::chrono::milliseconds turn(200 * std::min(rank, 10));
  if (collective::wait_for_termination(turn)) std::_Exit(exit_code);
  const collective::MpiLock lock(collective::mpi_mutex());
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

MpiGuard::MpiGuard() { collective::mpi_mutex().lock(); }
MpiGuard::~MpiGuard() { collective::mpi_mutex().unlock(); }

}  // namespace partita
