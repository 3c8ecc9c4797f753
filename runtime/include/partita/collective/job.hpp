// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Processes that run programs together which follow each other, each on some of the devices of all.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "partita/collective/communicator.hpp"

namespace partita {

namespace collective {
class RankLink;
}

/// Texts that all processes of a job see, and no other job's.  Both throw where that cannot be.
struct SharedStore {
  std::function<void(const std::string& key, const std::string& text)> put;
  /// Waits until it is there.
  std::function<std::string(const std::string& key, std::chrono::milliseconds at_most)> get;
};

/// Device d of process p has the number p * devices_per_process + d.  A failure of any process ends the job: whatever is
/// under way or comes later throws a CollectiveError.
class Job {
 public:
  /// The processes that an MPI launcher has started, each with as many devices.  Collective; initialises MPI as
  /// make_mpi_communicators does.
  [[nodiscard]] static std::shared_ptr<Job> over_mpi(int devices_per_process);
  /// Processes that anybody has started, each with as many devices; in `store` they find each other.  Collective.
  [[nodiscard]] static std::shared_ptr<Job> over_tcp(int devices_per_process, int process,
                                                     int processes, const SharedStore& store);

  [[nodiscard]] int process() const { return process_; }
  [[nodiscard]] int processes() const { return processes_; }
  [[nodiscard]] int devices() const { return processes_ * devices_per_process_; }
  /// How the shards of programs meet that run on `devices`, shard s on devices[s], each once: of the shards of this process, of
  /// which there are some.  The same list gives the same ones: calls of all these programs come in one order, which is the
  /// same in every process that has some of the devices.
  [[nodiscard]] std::shared_ptr<Communicators> communicators(std::span<const int> devices);

 private:
  [[nodiscard]] static std::shared_ptr<Job> over(std::unique_ptr<collective::RankLink> link,
                                                 int devices_per_process);
  Job(std::unique_ptr<collective::RankLink> link, int devices_per_process);

  collective::RankLink* link_;  // the job's own, which the communicators of all devices have
  int process_, processes_, devices_per_process_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::shared_ptr<Communicators>> communicators_;
  std::set<std::uint32_t> numbers_;  // of links
};

}  // namespace partita
