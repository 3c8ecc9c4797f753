// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sums, maxima and gathers over shards.  A shard is one device with its submit thread; a rank is a
// process with one or more shards; shard s of the job is shard s mod K of rank s / K.  Every shard
// makes the same calls in the same order.  All data is in host memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/artifact/plan.hpp"

namespace partita {

/// A collective under way.  wait() returns when its result is in place, or throws.
class Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
};
using RequestPtr = std::unique_ptr<Request>;

/// One shard's handle on the group of all shards.  Calls of one shard come from one thread at a
/// time.  When any shard fails (poison) or does not arrive within the timeout, every wait of every
/// shard throws a device error that names the step and the shards (ranks) that did not arrive.
class Communicator {
 public:
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int shard() const = 0;
  [[nodiscard]] virtual int shards() const = 0;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;

  /// In place over all shards; the same bits on every shard.  `step` names it for the watchdog.
  /// `data` stays valid until wait() returns.
  [[nodiscard]] virtual RequestPtr all_reduce(std::span<std::byte> data, DType dtype, Combiner combiner,
                                              const std::string& step) = 0;
  /// Concatenates the shards' blocks, in shard order, into `to` on every shard.  Blocks may differ
  /// in size and be empty; `to` is as large as all together (sizes[s] bytes from shard s).
  [[nodiscard]] virtual RequestPtr all_gather(std::span<const std::byte> from, std::span<std::byte> to,
                                              std::span<const std::size_t> sizes, const std::string& step) = 0;
  /// As all_gather, but only shard 0's `to` is filled (others pass an empty span).
  virtual void gather_to_root(std::span<const std::byte> from, std::span<std::byte> to,
                              std::span<const std::size_t> sizes, const std::string& step) = 0;
  /// Root's bytes reach everybody.
  virtual void broadcast(std::span<std::byte> data, const std::string& step) = 0;
  virtual void barrier(const std::string& step) = 0;
  /// Tells everybody that this shard failed and why; waits elsewhere end with that text.
  virtual void poison(const std::string& why) noexcept = 0;

  /// Counted for the program's own collectives (all_reduce and all_gather) of this shard.
  struct Counters {
    std::int64_t calls = 0, bytes = 0;
  };
  [[nodiscard]] virtual Counters counters() const = 0;
};

struct CommunicatorOptions {
  int shards_per_rank = 1;
  std::chrono::milliseconds timeout{60'000};  ///< silence, not length of a step (heartbeats)
  std::size_t chunk_bytes = std::size_t(4) << 20;
};

/// A group of this process alone: one shard needs no thread and no copy; several reduce over
/// threads in fixed shard order.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> make_local_communicators(const CommunicatorOptions& options);
/// Over MPI (initialised here if the host program has not; `mpi_comm` is an MPI_Comm* to borrow and
/// duplicate, or null for the world).
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> make_mpi_communicators(const CommunicatorOptions& options,
                                                                                const void* mpi_comm = nullptr);
/// Whether this process was started by an MPI launcher.
[[nodiscard]] bool launched_by_mpi();

}  // namespace partita
