// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What belongs to MPI in this process as a whole: its initialisation and end, and the check of error codes.
#pragma once

#include <mpi.h>

#include "runtime/collective/mpi_library.hpp"

namespace partita::collective {

/// Initialises MPI where the host has not.  What was initialised here is finalised when the process
/// ends, unless a job failed or communicators are still alive.  Returns the thread level.
int ensure_mpi();
[[nodiscard]] bool is_mpi_initialised_here();
/// A job failed: MPI is left as it is when the process ends.
void leave_mpi_unfinalised();
/// Links between ranks that exist now.
void count_links(int change);

/// Whether MPI was initialised and not finalised; the caller holds the lock.
[[nodiscard]] bool is_usable();

/// Throws a device error with the call's text and MPI's own.
void check_mpi(int code, const char* call, const char* file, int line);

}  // namespace partita::collective

#define PARTITA_MPI(call) ::partita::collective::check_mpi((call), #call, __FILE__, __LINE__)
