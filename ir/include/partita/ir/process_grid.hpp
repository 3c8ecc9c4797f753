// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Simulated shards: a grid of replicas × partitions, each a thread with an interpreter of its own,
// that meet in collectives.  What proves a distributed program right before devices and ranks run
// it; not how programs are distributed for speed.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

#include "partita/ir/op.hpp"

namespace partita::ir {

class ProcessGrid {
 public:
  /// A user error unless there are 1 to 1024 processes.
  ProcessGrid(std::int64_t replicas, std::int64_t partitions);

  [[nodiscard]] std::int64_t replicas() const { return replicas_; }
  [[nodiscard]] std::int64_t partitions() const { return partitions_; }
  [[nodiscard]] std::int64_t size() const { return replicas_ * partitions_; }

  /// Runs `body` for each process (replica * partitions + partition), each on a thread.  When one
  /// fails all end; the error of the first that failed by itself is thrown.  A single process runs
  /// on the caller's thread.
  void run(const std::function<void(std::int64_t process)>& body);

  /// To be called by processes that run: waits for all of `group` to come with the same op, operand
  /// types and group, and returns what each of them brought, in the group's order.  A user error
  /// where the processes can never meet.
  [[nodiscard]] std::vector<std::vector<Tensor>> exchange(std::int64_t process, const Node& node,
                                                          const I64s& group,
                                                          std::span<const Tensor> values);

 private:
  enum class State : std::uint8_t { running, waiting, ended };
  struct Slot {
    State state = State::running;
    const Node* node = nullptr;
    const I64s* group = nullptr;
    std::span<const Tensor> values;
    std::vector<std::vector<Tensor>> received;
    std::exception_ptr error;
  };
  [[nodiscard]] bool agree(const Slot& a, const Slot& b) const;
  bool complete(const Slot& slot);
  void check_progress();
  void end(std::int64_t process, std::exception_ptr error);

  std::int64_t replicas_, partitions_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  bool has_failed_ = false;
};

/// The process that an interpreter runs.
struct Process {
  ProcessGrid* grid = nullptr;
  std::int64_t id = 0;
  [[nodiscard]] std::int64_t replica() const { return id / grid->partitions(); }
  [[nodiscard]] std::int64_t partition() const { return id % grid->partitions(); }
};

/// Whether a function has, outside of sdy.manual_computation, ops that ask which process runs them
/// or meet others; called functions count.
[[nodiscard]] bool needs_processes(const Module& module, const Function& function);

struct GridSize {
  std::int64_t replicas = 1, partitions = 1;
};
/// As the module says it: mhlo.num_replicas and mhlo.num_partitions, else the size of its mesh, else
/// as many partitions as its shardings and groups of processes name.
[[nodiscard]] GridSize grid_size(const Module& module);

}  // namespace partita::ir
