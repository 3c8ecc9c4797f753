// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The thread that submits one shard's work.  Jobs run in order; a job's exception reaches whoever
// waits for its future.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace partita {

class SubmitThread {
 public:
  SubmitThread() : thread_([this] { work(); }) {}
  /// Finishes the jobs there are.
  ~SubmitThread();
  SubmitThread(const SubmitThread&) = delete;
  SubmitThread& operator=(const SubmitThread&) = delete;

  [[nodiscard]] std::future<void> submit(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;  // last, so that the rest exists when it starts
};

}  // namespace partita
