// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/mutation_run.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

// g++ says it by a macro, clang by a feature.
#if defined(__SANITIZE_ADDRESS__)
#define PARTITA_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define PARTITA_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define PARTITA_ADDRESS_SANITIZER 0
#endif

namespace partita::testing {

MutationRun begin_mutation_run(int argc, char** argv, std::size_t bytes) {
  MutationRun run;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--seconds") run.seconds = std::atof(argv[i + 1]);
    if (name == "--seed") run.seed = std::strtoull(argv[i + 1], nullptr, 10);
  }
  const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
  if (!PARTITA_ADDRESS_SANITIZER && ::setrlimit(RLIMIT_AS, &limit) != 0)
    throw std::system_error(errno, std::generic_category(), "setrlimit");
  return run;
}

}  // namespace partita::testing
