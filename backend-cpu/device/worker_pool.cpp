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

void WorkerPool::run(std::int64_t pieces, const Job& job) {
  if (workers_ == 0 || pieces < 2) {
    for (std::int64_t p = 0; p < pieces; ++p) job(0, p);
    return;
  }
  if (threads_.empty())
    for (int thread = 1; thread <= workers_; ++thread)
      threads_.emplace_back([this, thread] { work(thread); });
  job_ = &job;
  for (std::int64_t t = 0; t < parts(); ++t) {
    Share& share = shares_[std::size_t(t)];
    share.next.store(pieces * t / parts(), std::memory_order_relaxed);
    share.end = pieces * (t + 1) / parts();
  }
  state_.store(is_open, std::memory_order_release);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_pieces(0);
  // Who has not come until now is not waited for.
  for (std::uint32_t inside = state_.fetch_and(~is_open, std::memory_order_acq_rel) & ~is_open;
       inside != 0; inside = state_.load(std::memory_order_acquire))
    wait_while(state_, inside);
}

void WorkerPool::take_pieces(int thread) {
  for (int k = 0; k < parts(); ++k) {
    Share& share = shares_[std::size_t((thread + k) % parts())];
    while (share.next.load(std::memory_order_relaxed) < share.end) {
      const std::int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= share.end) break;
      (*job_)(thread, piece);
    }
  }
}

bool WorkerPool::enter() {
  std::uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & is_open) != 0)
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) return true;
  return false;
}

void WorkerPool::leave() {
  if (state_.fetch_sub(1, std::memory_order_acq_rel) == 1) state_.notify_one();
}

void WorkerPool::work(int thread) {
  std::uint32_t seen = 0;
  while (true) {
    wait_while(round_, seen);
    seen = round_.load(std::memory_order_acquire);
    if (ending_) return;
    if (!enter()) continue;
    take_pieces(thread);
    leave();
  }
}

}  // namespace partita::cpu
