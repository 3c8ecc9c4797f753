// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <cstdint>
#include <functional>

namespace partita {

/// Threads that may share a piece of work.
struct Threads {
  int most = 1;  ///< at once
  /// Calls piece(k) once for each k in [0, pieces), and returns when all have ended.  Pieces do not throw.
  std::function<void(std::int64_t pieces, const std::function<void(std::int64_t)>& piece)> run;
};

/// Threads that begin with the work and end with it.
[[nodiscard]] Threads new_threads(int most);

}  // namespace partita
