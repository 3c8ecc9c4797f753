// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether a group of shards has failed, and why.  The first reason counts; everything that waits
// looks here.  Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace partita::collective {

class FailureState {
 public:
  [[nodiscard]] bool failed() const { return failed_.load(std::memory_order_acquire); }
  /// Returns whether this was the first failure.  `reason` completes "step 'x': …"; `rank` is -1
  /// where no rank is known.
  bool fail(std::string reason, int rank);
  /// Throws a CollectiveError for a wait in `step`.  Only after a failure.
  [[noreturn]] void raise(const std::string& step) const;

  /// `action` is called on the failing thread, right after the failure became visible; at once where there was one.
  using Listener = int;
  Listener listen(std::function<void()> action);
  /// When this returns it is not called any more.
  void stop_listening(Listener listener);

  /// Valid after a failure.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] int rank() const { return rank_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
  std::string reason_;
  int rank_ = -1;
  std::mutex listening_;
  std::map<Listener, std::function<void()>> listeners_;
  Listener next_listener_ = 0;
};

}  // namespace partita::collective
