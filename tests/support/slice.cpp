// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/support/slice.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "partita/base/error.hpp"

namespace partita::testing {

bool is_in_slice() {
  static int cases = 0;
  int k = 0, n = 1;
  const char* slice = std::getenv("PARTITA_TEST_SLICE");
  if (slice != nullptr && (std::sscanf(slice, "%d/%d", &k, &n) != 2 || n < 1))
    throw std::invalid_argument(cat("PARTITA_TEST_SLICE: expected K/N, found '", slice, "'"));
  return cases++ % n == k;
}

}  // namespace partita::testing
