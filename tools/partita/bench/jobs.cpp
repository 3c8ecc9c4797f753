// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/bench/jobs.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "partita/base/cores.hpp"
#include "partita/base/error.hpp"

namespace partita::tool {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

JobGroup start_job(const std::vector<std::string>& command, int ranks, const fs::path& work,
                   const std::string& name) {
  JobGroup group;
  const std::string prefix = work / name;
  for (int rank = 0; rank < ranks; ++rank)
    for (const char* end : {".in", ".out"})
      group.pipes.push_back(open_fifo(cat(prefix, ".", rank, end)));
  std::vector<std::string> arguments{"mpirun",          "-n",        cat(ranks),
                                     "--oversubscribe", "--bind-to", "none"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  arguments.insert(arguments.end(), {"--pipes", prefix});
  const fs::path log = work / cat(name, ".log");
  group.processes.push_back(std::make_unique<Process>(
      ProcessOptions{.arguments = arguments, .environment = one_worker, .log = log, .core = -1}));
  for (int rank = 0; rank < ranks; ++rank)
    group.peers.emplace_back(cat("rank ", rank), *group.processes.front(), log,
                             group.pipes[2 * std::size_t(rank) + 1].get(),
                             group.pipes[2 * std::size_t(rank)].get());
  return group;
}

JobGroup start_alone(const std::vector<std::string>& command, int count, const fs::path& work,
                     const std::string& name) {
  JobGroup group;
  const std::vector<int> cores = usable_cores();
  for (int k = 0; k < count; ++k) {
    const fs::path log = work / cat(name, "_", k, ".log");
    group.processes.push_back(
        std::make_unique<Process>(ProcessOptions{.arguments = command,
                                                 .environment = one_worker,
                                                 .log = log,
                                                 .core = cores[std::size_t(k) % cores.size()]}));
    Process& process = *group.processes.back();
    group.peers.emplace_back(cat("process ", k), process, log, process.output(), process.input());
  }
  return group;
}

std::vector<boost::json::object> ask_all(JobGroup& group, const boost::json::object& request,
                                         Seconds silence) {
  for (Peer& peer : group.peers) peer.send(request);
  std::vector<boost::json::object> answers;
  for (Peer& peer : group.peers) answers.push_back(peer.receive(silence));
  return answers;
}

void await_greetings(JobGroup& group, Seconds silence) {
  for (Peer& peer : group.peers) static_cast<void>(peer.receive(silence));
}

double timed_turn(JobGroup& group, int count, Seconds silence) {
  const auto begin = std::chrono::steady_clock::now();
  ask_all(group, {{"do", "rounds"}, {"count", count}}, silence);
  return Seconds(std::chrono::steady_clock::now() - begin).count() / count;
}

}  // namespace partita::tool
