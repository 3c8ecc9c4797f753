// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Threads that help a device with several cores.  They wait spinning for a short while, then asleep:
// launches follow each other within microseconds, and an idle session costs nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace partita::cpu {

class WorkerPool {
 public:
  /// `workers` threads beside the caller's; none is started before they are needed.
  explicit WorkerPool(int workers) : workers_(workers) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int parts() const { return workers_ + 1; }
  /// Calls job(part) for part in [0, parts()), part 0 on this thread; returns when all have ended.
  /// The job must not throw.
  void run(const std::function<void(int part)>& job);

 private:
  void work(int part);

  int workers_;
  std::vector<std::thread> threads_;
  const std::function<void(int)>* job_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  // grows with each job; workers wait for it
  std::atomic<int> busy_ = 0;
  std::atomic<bool> ending_ = false;
};

}  // namespace partita::cpu
