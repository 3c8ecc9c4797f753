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
  const std::lock_guard lock(listening_);
  for (const auto& [listener, action] : listeners_) action();
  return true;
}

FailureState::Listener FailureState::listen(std::function<void()> action) {
  const std::lock_guard lock(listening_);
  if (failed()) action();  // or who fails meanwhile calls it, perhaps again
  listeners_.emplace(next_listener_, std::move(action));
  return next_listener_++;
}

void FailureState::stop_listening(Listener listener) {
  const std::lock_guard lock(listening_);
  listeners_.erase(listener);
}

void FailureState::raise(const std::string& step) const {
  throw CollectiveError(cat("step '", step, "': ", reason_), rank_);
}

}  // namespace partita::collective
