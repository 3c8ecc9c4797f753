// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench rounds`: federated rounds compiled by this program and by what a user would pick
// instead, measured by turns in one job, with equal results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/artifact/artifact.hpp"
#include "partita/base/temporary_folder.hpp"
#include "tools/partita/bench/peer.hpp"
#include "tools/partita/bench/statistics.hpp"

namespace partita::tool {

struct RoundsOptions {
  std::string name;  ///< of the case: mlp, lm-s, lm-m
  std::int64_t clients = 0;
  std::string target{default_target}, layout = "auto", gemm = "auto";
  std::string compare;  ///< "drjax,scan,iree,blas"
  int turns = 9, rounds_per_turn = 1, compiles = 3, ranks = 0;
  std::uint64_t seed = 1;
  double relative = 1e-3, absolute = 1e-5;  ///< tolerance of results against JAX's
  double silence_s = 600;                   ///< of a peer
  std::string venv, peers, work;            ///< folders; empty: found or made
  std::string json, plot;                   ///< files to write
};

/// What was seen of one side.
struct Side {
  std::string name;
  boost::json::object versions;
  std::vector<double> turn_s;  ///< seconds of a round, the median of each turn
  /// Seconds of each compilation; what is built late makes the first round longer than the second.
  struct Compiles {
    std::vector<double> ready_s, late_s;
  };
  Compiles compiles, warm_compiles;  ///< warm: with caches that an earlier process filled
  double trace_s = 0;
  std::int64_t peak_bytes = 0, growth_bytes = 0;
  std::string departure;  ///< from JAX's results; empty: none
  bool has_outputs = true;
};

/// A folder that is removed with the object unless the user named it.
class WorkFolder {
 public:
  explicit WorkFolder(const std::string& named);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<TemporaryFolder> own_;
};

/// The programs of peers and the Python that runs them.
struct PeerTools {
  std::filesystem::path scripts, python, self;
};
/// Makes the virtual environment where there is none.  A user error where the scripts are not found.
[[nodiscard]] PeerTools find_peer_tools(const RoundsOptions& options,
                                        const std::filesystem::path& work);
/// Runs a command to its end; a device error with its last words where it fails.
void run_to_end(const ProcessOptions& command, const std::string& name);
/// Writes round.mlir, inputs.npz and outputs.npz of the case into a new folder of `work`.
[[nodiscard]] std::filesystem::path export_case(const RoundsOptions& options,
                                                const PeerTools& tools,
                                                const std::filesystem::path& work,
                                                std::int64_t clients);
/// `partita bench serve-rounds` on an exported case.
[[nodiscard]] std::vector<std::string> own_command(const RoundsOptions& options,
                                                   const PeerTools& tools,
                                                   const std::filesystem::path& exported,
                                                   std::int64_t clients);
/// "" where the arrays out0… of `found` are those of `expected` within the options' tolerance.
[[nodiscard]] std::string departure_from(const std::filesystem::path& expected,
                                         const std::filesystem::path& found,
                                         const RoundsOptions& options);
/// Asks for some rounds; the median of their seconds.
[[nodiscard]] double ask_rounds(Peer& peer, int count, Seconds silence);
/// A number of a reply; an internal error where it has none.
[[nodiscard]] double number_of(const boost::json::object& reply, const char* key);

/// "AMD EPYC, 2 cores, load 1.5"
[[nodiscard]] std::string machine_text();
/// `ratio` [low, high] of the medians of two sides' turns.
struct Ratio {
  double value = 0;
  Interval interval;
};
[[nodiscard]] Ratio ratio_of(const Side& a, const Side& b, std::uint64_t seed);

void print_sides(const RoundsOptions& options, const std::vector<Side>& sides);
[[nodiscard]] std::string sides_json(const RoundsOptions& options, const std::vector<Side>& sides);
/// A drawing of all turns of all sides and their medians.
[[nodiscard]] std::string sides_svg(const RoundsOptions& options, const std::vector<Side>& sides);

/// Exit code 1 where some result departs from JAX's.
int bench_rounds(const RoundsOptions& options);
/// One job on several ranks against as many jobs of one rank at the same time.
int bench_ranks(const RoundsOptions& options);

}  // namespace partita::tool
