// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// All that calls MPI is a library of its own (runtime/mpi), which is loaded where ranks meet: processes without ranks need
// no MPI.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "partita/collective/communicator.hpp"
#include "runtime/collective/fair_mutex.hpp"
#include "runtime/collective/rank_link.hpp"

namespace partita::collective {

/// Around every MPI call (MPI_THREAD_SERIALIZED).
[[nodiscard]] FairMutex& mpi_mutex();
using MpiLock = std::lock_guard<FairMutex>;

/// Of all ranks, which call it alike.
[[nodiscard]] std::unique_ptr<RankLink> make_mpi_link(const CommunicatorOptions& options);

/// What the library has, as is said of the functions of libpartita.
struct MpiLibrary {
  int (*ranks)(const void* mpi_comm);
  std::vector<std::unique_ptr<Communicator>> (*make_communicators)(
      const CommunicatorOptions& options, const void* mpi_comm);
  std::unique_ptr<RankLink> (*make_link)(const CommunicatorOptions& options);
  void (*abort_job)(int exit_code) noexcept;
};

}  // namespace partita::collective

/// The one symbol of libpartita_mpi.so that is looked up.
extern "C" const partita::collective::MpiLibrary* partita_mpi_library();
