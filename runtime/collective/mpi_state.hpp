// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What belongs to MPI in this process as a whole: its initialisation and end, the one lock around
// every call, and the check of error codes.
#pragma once

#include <mutex>

#include <mpi.h>

namespace partita::collective {

/// A mutex that is handed on in order of arrival: a thread that takes it in a loop does not starve
/// the others.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex turn_, mutex_;
};

/// Around every MPI call (MPI_THREAD_SERIALIZED).
[[nodiscard]] FairMutex& mpi_mutex();
using MpiLock = std::lock_guard<FairMutex>;

/// Initialises MPI where the host has not.  What was initialised here is finalised when the process
/// ends, unless a job failed or communicators are still alive.  Returns the thread level.
int ensure_mpi();
[[nodiscard]] bool is_mpi_initialised_here();
/// A job failed: MPI is left as it is when the process ends.
void leave_mpi_unfinalised();
/// Links between ranks that exist now.
void count_links(int change);

/// Throws a device error with the call's text and MPI's own.
void check_mpi(int code, const char* call, const char* file, int line);

}  // namespace partita::collective

#define PARTITA_MPI(call) ::partita::collective::check_mpi((call), #call, __FILE__, __LINE__)
