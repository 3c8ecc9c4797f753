// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/threads.hpp"

#include <thread>
#include <vector>

namespace partita {

Threads new_threads(int most) {
  return {most, [](std::int64_t pieces, const std::function<void(std::int64_t)>& piece) {
            std::vector<std::jthread> others;
            for (std::int64_t k = 1; k < pieces; ++k) others.emplace_back(piece, k);
            if (pieces > 0) piece(0);
          }};
}

}  // namespace partita
