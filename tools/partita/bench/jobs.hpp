// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Servers of rounds (serve.hpp) that run together: the ranks of a job, or as many processes on their own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tools/partita/bench/peer.hpp"

namespace partita::tool {

/// Processes that run their rounds together.
struct JobGroup {
  std::vector<std::unique_ptr<Process>> processes;
  std::vector<Descriptor> pipes;
  std::vector<Peer> peers;  ///< one for each rank or process
};

/// `command`, which takes --pipes, under mpirun on so many ranks, a core each where there are enough; pipes and the log are
/// files in `work` that begin with `name`.
[[nodiscard]] JobGroup start_job(const std::vector<std::string>& command, int ranks,
                                 const std::filesystem::path& work, const std::string& name);
/// `command` as often, each with a core in the same way.
[[nodiscard]] JobGroup start_alone(const std::vector<std::string>& command, int count,
                                   const std::filesystem::path& work, const std::string& name);
/// The answers of all to one request, in their order.
std::vector<boost::json::object> ask_all(JobGroup& group, const boost::json::object& request,
                                         Seconds silence);
/// Waits until all are ready.
void await_greetings(JobGroup& group, Seconds silence);
/// Seconds of a round, of `count` that all begin together, from the request to the last answer.
[[nodiscard]] double timed_turn(JobGroup& group, int count, Seconds silence);

}  // namespace partita::tool
