// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "backend-cpu/device/worker_pool.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace partita::cpu {
namespace {

/// Looks before a thread goes to sleep: some tens of microseconds.
constexpr int spins = 4000;

void pause_briefly() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  for (int i = 0; i < spins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_briefly();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

WorkerPool::~WorkerPool() {
  ending_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void WorkerPool::run(const std::function<void(int)>& job) {
  if (workers_ == 0) return job(0);
  if (threads_.empty())
    for (int part = 1; part <= workers_; ++part)
      threads_.emplace_back([this, part] { work(part); });
  job_ = &job;
  busy_.store(workers_, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  job(0);
  for (int left = busy_.load(std::memory_order_acquire); left != 0;
       left = busy_.load(std::memory_order_acquire))
    wait_while(busy_, left);
}

void WorkerPool::work(int part) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while(round_, seen);
    ++seen;  // no round begins before the last one ended
    if (ending_) return;
    (*job_)(part);
    if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
  }
}

}  // namespace partita::cpu
