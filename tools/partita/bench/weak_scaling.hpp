// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench weak-scaling`: rounds whose clients grow with the ranks, against as many processes that each do one
// rank's part without communication, and against processes that each hold everything.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "tools/partita/bench/simulation.hpp"
#include "tools/partita/bench/statistics.hpp"

namespace partita::tool {

struct WeakScalingOptions {
  std::vector<std::string> models;  ///< empty: all
  std::vector<int> ranks{1, 2, 4, 8};
  std::int64_t clients = 0;  ///< of each rank; 0: what the model says
  std::string target{default_target}, folder;
  int turns = 20;
  bool is_full = false, is_quick = false;
  double silence_s = 600;
  std::uint64_t seed = 1;  ///< of the bootstrap

  /// What the job is compared with for its ablation alone, and is many times slower, runs once in so many turns.
  [[nodiscard]] int turns_between_ablations() const { return is_full ? 1 : 4; }
};

/// What one group of processes gave.
struct Measure {
  std::vector<double> turn_s;                                 ///< seconds of a round in each turn
  std::int64_t communicated_bytes = 0, collective_calls = 0;  ///< of a round, of all ranks
  std::int64_t held_bytes = 0;                                ///< of one rank
};

/// One row of the results.
struct ScalingRow {
  std::string model, kind;  ///< weak or strong
  int ranks = 1;
  std::int64_t clients = 0;  ///< of the whole job
  bool is_oversubscribed = false;
  Measure job;  ///< one job on all ranks
  Measure
      alone;  ///< weak: as many processes, each with one rank's clients; strong: one process with all
  Measure whole;  ///< weak: as many processes, each with all clients: placements that are not split
  /// weak: one job on all ranks of the round compiled without placements (--no-placement-constraints), clients a dimension
  /// of whole arrays that a mesh of all ranks cuts
  Measure propagated;

  [[nodiscard]] std::string key() const;
  /// What the job keeps of the speed without communication (weak), or how many times as fast as one process
  /// it is (strong).
  [[nodiscard]] double gain() const { return median(alone.turn_s) / median(job.turn_s); }
};

/// What a round of a decoder that the machine does not hold would take, by its plan alone.
struct PlannedRow {
  std::string model;
  std::int64_t shards = 1;  ///< that a client's model is cut into
  std::int64_t clients = 0,
               bytes = 0;  ///< bytes: of one device that has all clients, one at a time
  int collectives = 0;     ///< of a client's step and the round's end, in the plan
};

/// Measures what --out does not hold yet; writes results.json, results.csv and report.html there after each row.
int bench_weak_scaling(const WeakScalingOptions& options);

// What is written.
struct ScalingResults {
  std::vector<ScalingRow> rows;
  std::vector<PlannedRow> planned;
  Simulation simulation;
};
[[nodiscard]] std::string scaling_json(const WeakScalingOptions& options,
                                       const ScalingResults& results);
/// Rows of such a text that were measured in the same way on the same machine; none of an empty one.
[[nodiscard]] std::vector<ScalingRow> read_scaling_rows(const WeakScalingOptions& options,
                                                        const std::string& json);
[[nodiscard]] std::string scaling_csv(const WeakScalingOptions& options,
                                      const std::vector<ScalingRow>& rows);
/// A page on its own: tables, and drawings of efficiency, round time, bytes and memory.
[[nodiscard]] std::string scaling_html(const WeakScalingOptions& options,
                                       const ScalingResults& results);
void print_scaling(const WeakScalingOptions& options, const ScalingResults& results);

}  // namespace partita::tool
