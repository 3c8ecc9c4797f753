// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <mutex>

namespace partita::collective {

/// A mutex that is handed on in order of arrival: a thread that takes it in a loop does not starve
/// the others.
class FairMutex {
 public:
  void lock() {
    const std::lock_guard turn(turn_);
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex turn_, mutex_;
};

}  // namespace partita::collective
