// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whether work that was enqueued is done, and what it failed with.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace partita {

/// Done once and for all.  Any thread may call everything.
class Event {
 public:
  /// Called once, with null where the work succeeded.  It must not wait for work of the runtime.
  using Callback = std::function<void(const std::exception_ptr&)>;

  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  [[nodiscard]] bool is_done() const;
  /// Returns when the work is done; throws what it failed with.
  void wait() const;
  /// What the work failed with; null where it succeeded or is not done.
  [[nodiscard]] std::exception_ptr error() const;
  /// Calls back when the work is done: in the thread that finishes it, or at once and in this one.
  void on_done(Callback callback);

  /// By whoever does the work, once.
  void finish(std::exception_ptr error = nullptr);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool is_done_ = false;
  std::exception_ptr error_;
  std::vector<Callback> callbacks_;
};

using EventPtr = std::shared_ptr<Event>;

/// Done when all are; fails with the first, by position, that failed.
[[nodiscard]] EventPtr all_of(std::vector<EventPtr> events);

}  // namespace partita
