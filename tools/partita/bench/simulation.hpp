// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rounds on more ranks than this machine can have, by a model of their messages (net_model.hpp): what a rank computes is
// drawn from what was measured here, what messages cost a processor is measured on two ranks, links are assumed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/partita/bench/net_model.hpp"
#include "tools/partita/bench/peer.hpp"

namespace partita::tool {

/// What is known of a model's round.
struct RoundFacts {
  std::string model;
  std::vector<double> compute_s;  ///< of one rank without communication, by turns
  std::size_t bytes = 0;          ///< of the round's sum
};

struct SimulatedPoint {
  std::string model, link;
  int ranks = 1;
  /// Seconds of a round: the median of rounds in which each rank computes as long as one of the turns did, and the
  /// fastest and the slowest of them.
  double round_s = 0, low_s = 0, high_s = 0;
  double even_s = 0;     ///< where all ranks compute as long as the median
  double compute_s = 0;  ///< that median
};

/// A job of ranks that sleep instead of computing over emulated links, beside what the model says of it.
struct SimulationCheck {
  std::string model, link;
  int ranks = 2;
  double measured_s = 0, simulated_s = 0;
};

struct Simulation {
  HostModel host;
  std::vector<SimulatedPoint> points;
  std::vector<SimulationCheck> checks;
};

/// Ranks of what is simulated, and the links.
[[nodiscard]] const std::vector<int>& simulated_ranks();
[[nodiscard]] const std::vector<LinkModel>& simulated_links();

/// `program` is this one; measures for some seconds.
[[nodiscard]] Simulation simulate(const std::vector<RoundFacts>& rounds,
                                  const std::vector<int>& checked_ranks, const std::string& program,
                                  Seconds silence);

/// Serves rounds of a rank that sleeps, then combines so many bytes with the other ranks of its job.
int serve_sleeps(double seconds, std::int64_t bytes, const std::string& pipes);

}  // namespace partita::tool
