// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/simulation.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "partita/base/error.hpp"
#include "partita/base/temporary_folder.hpp"
#include "partita/collective/communicator.hpp"
#include "tools/partita/bench/jobs.hpp"
#include "tools/partita/bench/serve.hpp"
#include "tools/partita/bench/statistics.hpp"

namespace partita::tool {
namespace {

/// Jobs of ranks that sleep and combine.
class SleepingJobs {
 public:
  SleepingJobs(std::string program, Seconds silence)
      : program_(std::move(program)), silence_(silence) {}

  /// Seconds of a round, the median of some turns of `count`.
  double round_s(int ranks, double sleep_s, std::size_t bytes, int count,
                 const std::string& emulated_net) {
    std::vector<std::string> command;
    if (!emulated_net.empty()) command = {"env", cat("PARTITA_EMULATE_NET=", emulated_net)};
    command.insert(command.end(),
                   {program_, "bench", "serve-sleeps", std::to_string(sleep_s), cat(bytes)});
    JobGroup group = start_job(command, ranks, folder_.path(), "sleeps");
    await_greetings(group, silence_);
    std::vector<double> turns;
    for (int turn = 0; turn < 5; ++turn) turns.push_back(timed_turn(group, count, silence_));
    ask_to_quit(group);
    return median(turns);
  }

 private:
  static void ask_to_quit(JobGroup& group) {
    for (Peer& peer : group.peers) peer.send({{"do", "quit"}});
  }

  std::string program_;
  Seconds silence_;
  TemporaryFolder folder_{"simulation"};
};

/// Two ranks, the messages of which cost their processors alone.
HostModel measure_host(SleepingJobs& jobs) {
  constexpr std::size_t large = std::size_t(16) << 20;
  const double message_s = jobs.round_s(2, 0, 8, 2000, ""),
               long_s = jobs.round_s(2, 0, large, 5, "");
  // Half of the vector comes as terms, which are read, combined and written, and half as results, which are copied.
  const double copied_s = long_s / (large / 2.0) / 3;
  return {.message_s = message_s, .combined_s = 2 * copied_s, .copied_s = copied_s};
}

/// A slow link of a wide network, which processors do not notice.
constexpr const char* checked_net = "bw:1Gbit,lat:200us";
const LinkModel checked_link{.name = "1 Gbit/s, 200 us", .bytes_per_s = 125e6, .latency_s = 200e-6};

SimulationCheck check(const RoundFacts& round, int ranks, const HostModel& host,
                      SleepingJobs& jobs) {
  constexpr int rounds = 10;
  const double sleep_s = median(round.compute_s);
  std::vector<double> now(std::size_t(ranks), 0.0);
  for (int k = 0; k < rounds; ++k) {
    for (double& t : now) t += sleep_s;
    now = all_reduce_ends(now, round.bytes, checked_link, host);
  }
  return {.model = round.model,
          .link = checked_link.name,
          .ranks = ranks,
          .measured_s = jobs.round_s(ranks, sleep_s, round.bytes, rounds, checked_net),
          .simulated_s = *std::ranges::max_element(now) / rounds};
}

double round_of(const std::vector<double>& computes, const RoundFacts& round, const LinkModel& link,
                const HostModel& host) {
  return std::ranges::max(all_reduce_ends(computes, round.bytes, link, host));
}

SimulatedPoint point_of(const RoundFacts& round, int ranks, const LinkModel& link,
                        const HostModel& host) {
  constexpr int rounds = 9;
  std::mt19937_64 random(1);
  std::vector<double> all;
  for (int k = 0; k < rounds; ++k) {
    std::vector<double> computes(std::size_t(ranks), 0.0);
    for (double& t : computes) t = round.compute_s[random() % round.compute_s.size()];
    all.push_back(round_of(computes, round, link, host));
  }
  const double even = median(round.compute_s);
  const auto [low, high] = std::ranges::minmax(all);
  return {.model = round.model,
          .link = link.name,
          .ranks = ranks,
          .round_s = median(all),
          .low_s = low,
          .high_s = high,
          .even_s = round_of(std::vector<double>(std::size_t(ranks), even), round, link, host),
          .compute_s = even};
}

}  // namespace

const std::vector<int>& simulated_ranks() {
  static const std::vector<int> ranks{16, 64, 256, 1024, 4096};
  return ranks;
}

const std::vector<LinkModel>& simulated_links() {
  static const std::vector<LinkModel> links{
      {.name = "fat tree, 100 Gbit/s, 5 us", .bytes_per_s = 12.5e9, .latency_s = 5e-6},
      {.name = "WAN, 1 Gbit/s, 20 ms", .bytes_per_s = 125e6, .latency_s = 20e-3}};
  return links;
}

Simulation simulate(const std::vector<RoundFacts>& rounds, const std::vector<int>& checked_ranks,
                    const std::string& program, Seconds silence) {
  Simulation result;
  SleepingJobs jobs(program, silence);
  result.host = measure_host(jobs);
  for (const RoundFacts& round : rounds) {
    for (const int ranks : checked_ranks)
      if (ranks > 1) result.checks.push_back(check(round, ranks, result.host, jobs));
    for (const LinkModel& link : simulated_links())
      for (const int ranks : simulated_ranks())
        result.points.push_back(point_of(round, ranks, link, result.host));
  }
  return result;
}

int serve_sleeps(double seconds, std::int64_t bytes, const std::string& pipes) {
  const auto communicators = make_mpi_communicators({});
  Communicator& ranks = *communicators.front();
  std::vector<float> data(std::size_t(bytes) / sizeof(float));
  Served served;
  served.round = [&] {
    std::this_thread::sleep_for(Seconds(seconds));
    ranks.all_reduce(std::as_writable_bytes(std::span(data)), DType::f32, Combiner::sum, "sum")
        ->wait();
  };
  return serve(served, pipes);
}

}  // namespace partita::tool
