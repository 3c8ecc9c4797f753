// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Threads that help a device with several cores.  They wait spinning for a short while, then asleep:
// launches follow each other within microseconds, and an idle session costs nothing.  A job is cut
// into pieces that threads take as they come, so that a thread whose core does something else holds
// up nobody: its pieces are taken by others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace partita::cpu {

/// Multiply-adds that are worth a thread.
inline constexpr double multiply_adds_per_thread = 1 << 18;

class WorkerPool {
 public:
  /// `workers` threads beside the caller's; none is started before they are needed.
  explicit WorkerPool(int workers)
      : workers_(workers), shares_(std::make_unique<Share[]>(std::size_t(workers) + 1)) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int parts() const { return workers_ + 1; }
  /// `thread` is below parts(); 0 is the caller's.
  using Job = std::function<void(int thread, std::int64_t piece)>;
  /// Calls job(thread, piece) once for each piece in [0, pieces); returns when all have ended.  Which
  /// thread takes a piece is not fixed; where nothing delays them, neighbouring pieces are one
  /// thread's, the same ones in each job of as many pieces.  The job must not throw.
  void run(std::int64_t pieces, const Job& job);

 private:
  /// Pieces that one thread takes first.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };
  void work(int thread);
  void take_pieces(int thread);
  /// Whether the job at hand may still be joined; then this thread has to be waited for.
  bool enter();
  void leave();

  static constexpr std::uint32_t is_open = 1U << 31;

  int workers_;
  std::unique_ptr<Share[]> shares_;
  std::vector<std::thread> threads_;
  const Job* job_ = nullptr;
  std::atomic<std::uint32_t> round_ = 0;  ///< grows with each job; workers wait for it
  std::atomic<std::uint32_t> state_ = 0;  ///< workers inside the job, and whether more may enter
  std::atomic<bool> ending_ = false;
};

}  // namespace partita::cpu
