// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench rounds --ranks R`: one job of R ranks against R jobs of one rank that run together,
// each rank on a core of its own and with as many clients.
#include <fcntl.h>
#include <sys/stat.h>

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "tools/partita/bench/rounds.hpp"

namespace partita::tool {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Processes that run their rounds together.
struct Group {
  Side side;
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<Descriptor> pipes;
  std::vector<Peer> peers;
};

// PoCL has one worker thread, so that a rank computes on its core alone.
const std::vector<std::pair<std::string, std::string>> one_worker{{"POCL_MAX_PTHREAD_COUNT", "1"}};

Descriptor open_fifo(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);  // of an earlier measurement
  if (::mkfifo(path.c_str(), 0600) != 0)
    throw_device_error(cat(path.string(), ": mkfifo: ", std::strerror(errno)));
  Descriptor end(::open(path.c_str(), O_RDWR | O_CLOEXEC));  // waits for no other side
  if (!end) throw_device_error(cat(path.string(), ": ", std::strerror(errno)));
  return end;
}

Group start_job(const RoundsOptions& options, const PeerTools& tools, const fs::path& work,
                const fs::path& exported) {
  const std::int64_t clients = options.clients * options.ranks;
  Group group;
  group.side.name = "one job";
  const std::string prefix = work / "rank";
  for (int rank = 0; rank < options.ranks; ++rank)
    for (const char* end : {".in", ".out"})
      group.pipes.push_back(open_fifo(cat(prefix, ".", rank, end)));
  std::vector<std::string> arguments{"mpirun",          "-n",        cat(options.ranks),
                                     "--oversubscribe", "--bind-to", "none"};
  for (const std::string& part : own_command(options, tools, exported, clients))
    arguments.push_back(part);
  arguments.insert(arguments.end(), {"--pipes", prefix});
  const fs::path log = work / "job.log";
  group.processes.push_back(std::make_unique<Process>(
      ProcessOptions{.arguments = arguments, .environment = one_worker, .log = log, .core = -1}));
  for (int rank = 0; rank < options.ranks; ++rank)
    group.peers.emplace_back(cat("rank ", rank), *group.processes.front(), log,
                             group.pipes[2 * std::size_t(rank) + 1].get(),
                             group.pipes[2 * std::size_t(rank)].get());
  return group;
}

Group start_alone(const RoundsOptions& options, const PeerTools& tools, const fs::path& work,
                  const fs::path& exported) {
  const std::int64_t clients = options.clients;
  Group group;
  group.side.name = "alone";
  for (int rank = 0; rank < options.ranks; ++rank) {
    const fs::path log = work / cat("alone_", rank, ".log");
    group.processes.push_back(std::make_unique<Process>(
        ProcessOptions{.arguments = own_command(options, tools, exported, clients),
                       .environment = one_worker,
                       .log = log,
                       .core = rank}));
    Process& process = *group.processes.back();
    group.peers.emplace_back(cat("process ", rank), process, log, process.output(),
                             process.input());
  }
  return group;
}

// From the request to the last answer.
double timed_turn(Group& group, const RoundsOptions& options) {
  const auto begin = Clock::now();
  for (Peer& peer : group.peers) peer.send({{"do", "rounds"}, {"count", options.rounds_per_turn}});
  for (Peer& peer : group.peers) static_cast<void>(peer.receive(Seconds(options.silence_s)));
  return Seconds(Clock::now() - begin).count() / options.rounds_per_turn;
}

// Every rank takes part in reading an output; the first writes it.
std::string departure_of(Group& group, const RoundsOptions& options, const fs::path& work,
                         const fs::path& exported) {
  const fs::path path = work / cat(group.peers.size(), "_outputs.npz");
  for (Peer& peer : group.peers) peer.send({{"do", "outputs"}, {"path", path.string()}});
  for (Peer& peer : group.peers) static_cast<void>(peer.receive(Seconds(options.silence_s)));
  return departure_from(exported / "outputs.npz", path, options);
}

std::string ranks_json(const RoundsOptions& options, const Side& job, const Side& alone,
                       const Ratio& ratio) {
  const auto side = [](const Side& s) {
    return boost::json::object{{"turn_s", boost::json::array(s.turn_s.begin(), s.turn_s.end())},
                               {"median_s", median(s.turn_s)},
                               {"spread", spread(s.turn_s)},
                               {"departure", s.departure}};
  };
  const boost::json::object json{
      {"case", options.name},
      {"clients_per_rank", options.clients},
      {"ranks", options.ranks},
      {"target", options.target},
      {"machine", machine_text()},
      {"one_job", side(job)},
      {"alone", side(alone)},
      {"ratio",
       {{"value", ratio.value}, {"low", ratio.interval.low}, {"high", ratio.interval.high}}}};
  return boost::json::serialize(json) + "\n";
}

}  // namespace

int bench_ranks(const RoundsOptions& options) {
  if (!options.compare.empty())
    throw_user_error("--ranks: expected no --compare: jobs are compared with jobs of our own");
  if (const std::size_t cores = usable_cores().size(); std::size_t(options.ranks) > cores)
    throw_user_error(
        cat("--ranks: expected at most one per core (", cores, "), found ", options.ranks));
  const WorkFolder work(options.work);
  const PeerTools tools = find_peer_tools(options, work.path());
  const fs::path whole = export_case(options, tools, work.path(), options.clients * options.ranks);
  const fs::path part = export_case(options, tools, work.path(), options.clients);
  Group groups[] = {start_job(options, tools, work.path(), whole),
                    start_alone(options, tools, work.path(), part)};
  for (Group& group : groups)
    for (Peer& peer : group.peers) static_cast<void>(peer.receive(Seconds(options.silence_s)));
  Side &job = groups[0].side, &alone = groups[1].side;
  job.departure = departure_of(groups[0], options, work.path(), whole);
  for (int turn = 0; turn < options.turns; ++turn)
    for (int i = 0; i < 2; ++i) {
      Group& group = groups[(turn + i) % 2];
      group.side.turn_s.push_back(timed_turn(group, options));
    }
  const Ratio ratio = ratio_of(job, alone, options.seed);
  std::cout << options.name << ", " << options.clients << " clients per rank, " << options.ranks
            << " ranks, target " << options.target << "; " << machine_text() << "\n"
            << "one job " << median(job.turn_s) * 1e3 << " ms, alone together "
            << median(alone.turn_s) * 1e3 << " ms, ratio " << ratio.value << " ["
            << ratio.interval.low << ", " << ratio.interval.high << "]\n";
  if (!job.departure.empty()) std::cout << "FAILED: results: " << job.departure << "\n";
  if (!options.json.empty()) write_file(options.json, ranks_json(options, job, alone, ratio));
  return job.departure.empty() ? 0 : 1;
}

}  // namespace partita::tool
