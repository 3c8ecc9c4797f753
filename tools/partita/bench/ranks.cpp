// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// `partita bench rounds --ranks R`: one job of R ranks against R jobs of one rank that run together,
// each rank on a core of its own and with as many clients.
#include <boost/json/serialize.hpp>
#include <iostream>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"
#include "partita/base/file.hpp"
#include "tools/partita/bench/jobs.hpp"
#include "tools/partita/bench/rounds.hpp"

namespace partita::tool {

namespace {

namespace fs = std::filesystem;

/// Processes that run their rounds together, and what was seen of them.
struct Group {
  Side side;
  JobGroup job;
};

// Every rank takes part in reading an output; the first writes it.
std::string departure_of(Group& group, const RoundsOptions& options, const fs::path& work,
                         const fs::path& exported) {
  const fs::path path = work / cat(group.job.peers.size(), "_outputs.npz");
  ask_all(group.job, {{"do", "outputs"}, {"path", path.string()}}, Seconds(options.silence_s));
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
  const Seconds silence(options.silence_s);
  Group groups[2];
  groups[0].job = start_job(own_command(options, tools, whole, options.clients * options.ranks),
                            options.ranks, work.path(), "job");
  groups[1].job = start_alone(own_command(options, tools, part, options.clients), options.ranks,
                              work.path(), "alone");
  for (Group& group : groups) await_greetings(group.job, silence);
  Side &job = groups[0].side, &alone = groups[1].side;
  job.departure = departure_of(groups[0], options, work.path(), whole);
  for (int turn = 0; turn < options.turns; ++turn)
    for (int i = 0; i < 2; ++i) {
      Group& group = groups[(turn + i) % 2];
      group.side.turn_s.push_back(timed_turn(group.job, options.rounds_per_turn, silence));
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
