// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/cores.hpp"

#include <sched.h>

namespace partita {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(c, &set)) cores.push_back(c);
  if (cores.empty()) cores.push_back(0);
  return cores;
}

}  // namespace partita
