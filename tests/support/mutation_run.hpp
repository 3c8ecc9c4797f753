// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How long, from which seed and within how much memory a program that mutates its input runs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace partita::testing {

struct MutationRun {
  double seconds = 2;
  std::uint64_t seed = 1;
};

/// What `--seconds S` and `--seed N` of a command line say.  From here on the process gets no more than `bytes` of
/// addresses, so that an allocation of what an input merely claims ends it; not under AddressSanitizer, whose shadow
/// takes terabytes of them.  Throws std::system_error where the limit cannot be set.
MutationRun begin_mutation_run(int argc, char** argv, std::size_t bytes);

}  // namespace partita::testing
