// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs an artifact on this process's shards.  One Session holds devices, communicators, compiled
// kernels, arena and bindings.  `submit` enqueues one execution of the plan on every local shard, `wait`
// waits for all, `run` does both: the words mean the same in partita.h and partita.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/collective/communicator.hpp"
#include "partita/device/device.hpp"

namespace partita {

/// After each run carry output `output` into input `input` by swapping buffers on the device.
struct Carry {
  int output = 0, input = 0;
  friend bool operator==(const Carry&, const Carry&) = default;
};

struct SessionOptions {
  int devices_per_rank = 0;  ///< 0: as the target does best (default_devices)
  bool use_mpi = false;
  const void* mpi_comm = nullptr;  ///< MPI_Comm* to borrow, or null for the world
  /// Queues that the host lends, one per device (DeviceRequest::host_queues); empty: none.
  std::vector<void*> host_queues;
  std::chrono::milliseconds timeout{60'000};
  bool check_replicas = false;
  std::int64_t memory_budget = 0;  ///< bytes per shard; 0: none
  bool trace = false;
  /// Results lie in the memory of donated arguments where the plan allows it, which a run leaves without a value: for
  /// sessions whose inputs are set for each run, or carried.  Memory that is poisoned is not shared.
  bool donates = false;
  /// With `donates`, what is carried after each run, if anything: then only arguments that get the result which lies in
  /// their memory are given up, all others keep their values.
  std::vector<Carry> carries;
  /// A byte that fills the arena, blocks, outputs and margins around all memory before each run, for
  /// tests: results that change with it come from memory that nothing has written.  Margins that were
  /// written are an internal error.  Inputs are copied, never lent.
  std::optional<std::uint8_t> poison;
  /// What else the host does with the program, as text; ranks refuse to run with different ones.
  std::string agreement;
};

/// Devices and communicators that the caller has opened: one of each per local shard, in order.
struct SessionParts {
  int shards_per_device = 1;  ///< `devices` come in runs of so many that are one and the same
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::unique_ptr<Communicator>> communicators;
};

/// Counters of one run.  Peaks and planned bytes are those of the largest shard, collective calls
/// those of one shard (all make the same), held bytes those of all shards of the largest rank (inputs, outputs,
/// constants, arena and blocks; memory of the host that several use in place counts once), the others sums
/// over shards.  `launches` counts kernels
/// and library calls, `blocks` the iterations of loops whose bounds depend on the shard's block,
/// `block_launches` the launches within those.
struct RunStats {
  std::int64_t peak_device_bytes = 0, peak_arena_bytes = 0, planned_bytes = 0;
  std::int64_t communicated_bytes = 0, collective_calls = 0, launches = 0, blocks = 0;
  std::int64_t block_launches = 0, held_bytes = 0;
};

/// Thread-safety: calls of one Session come from one thread at a time.  "Collective" calls are made
/// by all ranks in the same order.  After an error a Session can only be destroyed.
///
/// A program for a mesh of D shards runs on N devices (of all ranks) where N divides D, each holding D / N shards, or
/// D divides N, and placements are split over N / D; other numbers are a user error that names those that fit.
class Session {
 public:
  /// Opens the devices of this process's shards and the communicators between them.  Collective.
  Session(Artifact artifact, const SessionOptions& options);
  /// On the given devices, for tests and programs with several sessions.  Collective.
  Session(Artifact artifact, const SessionOptions& options, SessionParts parts);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Artifact& artifact() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;
  /// Shards of the whole job.
  [[nodiscard]] int shards() const;

  /// Global array for input `index`; each shard uploads its block where the input is partitioned or cut over the mesh.
  /// A type that differs from the signature's is a user error.
  void set_input(int index, const HostArray& array);
  /// The same from bytes of the port's type.
  void set_input(int index, std::span<const std::byte> array);
  /// As set_input, but without a copy where the devices share the host's memory: the session keeps
  /// `array`, and nobody changes it, until the input has another value or the session ends.
  /// A copy too where a result is to lie there.
  void lend_input(int index, std::shared_ptr<const HostArray> array);
  /// The caller keeps the bytes, of the port's type, as they are for so long.
  void lend_input(int index, std::span<const std::byte> array);
  /// One execution on all local shards; returns when everything is enqueued.  Collective.  Throws
  /// what any shard threw.
  void submit();
  /// Returns when all work of this rank's shards is done.
  void wait();
  /// submit(), then wait().  Collective.
  void run();
  /// Outputs become inputs by swapping buffers (copying where one output has several takers).
  void carry(const std::vector<Carry>& carries);
  /// Global value of output `index` on rank 0, nothing on others.  Collective.
  [[nodiscard]] std::optional<HostArray> output(int index);
  /// Returns when every rank has arrived.  Collective.
  void barrier(const std::string& name);
  /// Counters of the last run over this rank's shards.
  [[nodiscard]] RunStats stats() const;
  /// Counters of the last run over all shards of the job, on rank 0.  Collective.
  [[nodiscard]] RunStats job_stats();
  /// Chrome trace of everything run so far, one process per rank, on rank 0 (others get an empty
  /// text).  Collective; needs `trace`.
  [[nodiscard]] std::string trace_json();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Throws the user error of `carries` that do not fit the signature, if any.
void check_carries(const Plan& plan, const std::vector<Carry>& carries);

}  // namespace partita
