// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/submit_thread.hpp"

namespace partita {

SubmitThread::~SubmitThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::future<void> SubmitThread::submit(std::function<void()> job) {
  std::packaged_task<void()> task(std::move(job));
  auto future = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(task));
  }
  changed_.notify_one();
  return future;
}

void SubmitThread::work() {
  while (true) {
    std::packaged_task<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      task = std::move(jobs_.front());
      jobs_.pop_front();
    }
    task();
  }
}

}  // namespace partita
