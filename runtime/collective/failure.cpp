// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/failure.hpp"

#include "partita/collective/communicator.hpp"

namespace partita::collective {

bool FailureState::fail(std::string reason, int rank) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.load(std::memory_order_relaxed)) return false;
    reason_ = std::move(reason);
    rank_ = rank;
    failed_.store(true, std::memory_order_release);
  }
  for (const auto& action : listeners_) action();
  return true;
}

void FailureState::raise(const std::string& step) const {
  throw CollectiveError(cat("step '", step, "': ", reason_), rank_);
}

}  // namespace partita::collective
