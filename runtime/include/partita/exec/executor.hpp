// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Runs an artifact on this process's shards.  One Session holds devices, communicators, compiled
// kernels, arena and bindings; `run` is one execution of the plan on every local shard.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/collective/communicator.hpp"
#include "partita/device/device.hpp"

namespace partita {

struct SessionOptions {
  int devices_per_rank = 1;
  bool use_mpi = false;
  std::chrono::milliseconds timeout{60'000};
  bool check_replicas = false;
  std::int64_t memory_budget = 0;  ///< bytes per shard; 0: none
  bool trace = false;
};

/// After each run carry output `output` into input `input` by swapping buffers on the device.
struct Carry {
  int output = 0, input = 0;
};

struct RunStats {
  std::int64_t peak_device_bytes = 0, peak_arena_bytes = 0, planned_bytes = 0;
  std::int64_t communicated_bytes = 0, collective_calls = 0, launches = 0, blocks = 0;
};

class Session {
 public:
  Session(Artifact artifact, const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const Artifact& artifact() const;
  [[nodiscard]] int rank() const;
  [[nodiscard]] int ranks() const;

  /// Global array for input `index`; each shard uploads its block where the input is partitioned.
  void set_input(int index, const HostArray& array);
  /// One execution on all local shards; collective over ranks.  Throws what any shard threw.
  void run();
  void carry(const std::vector<Carry>& carries);
  /// Global value of output `index`: gathered to rank 0 (others get nothing where `all_ranks` is
  /// false).  Collective where the output is partitioned.
  [[nodiscard]] std::optional<HostArray> output(int index);
  /// Waits until all work is done.
  void finish();
  /// Counters of the last run of this rank, maximum (peaks) or sum (bytes) over its shards.
  [[nodiscard]] RunStats stats() const;
  /// Chrome trace events of everything run so far, all ranks (valid on rank 0); needs `trace`.
  [[nodiscard]] std::string trace_json();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace partita
