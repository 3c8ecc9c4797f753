// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which seeds a test with random programs runs: its own, or those of PARTITA_TEST_SEEDS=FIRST:COUNT.
#pragma once

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "partita/base/parse.hpp"

namespace partita::testing {

struct Seeds {
  unsigned first = 1, count = 0;
};

inline Seeds test_seeds(unsigned count) {
  const auto text = environment("PARTITA_TEST_SEEDS");
  if (!text) return {.first = 1, .count = count};
  const std::size_t colon = text->find(':');
  if (colon == std::string::npos) throw_user_error("PARTITA_TEST_SEEDS: expected FIRST:COUNT");
  constexpr std::int64_t most = 1 << 30;
  return {.first = unsigned(parse_number(text->substr(0, colon), "PARTITA_TEST_SEEDS", most)),
          .count = unsigned(parse_number(text->substr(colon + 1), "PARTITA_TEST_SEEDS", most))};
}

}  // namespace partita::testing
