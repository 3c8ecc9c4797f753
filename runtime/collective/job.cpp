// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/collective/job.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "partita/base/error.hpp"
#include "partita/base/hash.hpp"
#include "runtime/collective/mpi_library.hpp"
#include "runtime/collective/shard_group.hpp"

namespace partita {

using collective::RankLink;
using collective::ShardGroup;

namespace {

/// Of a list of devices: processes open its link by it.
std::uint32_t number_of(std::span<const int> devices) {
  Hasher hasher;
  hasher.add(std::as_bytes(devices));
  const std::string digits = hasher.hex().substr(0, 8);
  return std::clamp<std::uint32_t>(std::uint32_t(std::stoul(digits, nullptr, 16)), 1,
                                   RankLink::largest_number);
}

CommunicatorOptions options_for(std::size_t shards) { return {.shards_per_rank = int(shards)}; }

}  // namespace

Job::Job(std::unique_ptr<RankLink> link, int devices_per_process)
    : link_(link.get()),
      process_(link->channel().rank()),
      processes_(link->channel().ranks()),
      devices_per_process_(devices_per_process) {
  const CommunicatorOptions options = options_for(std::size_t(devices_per_process));
  auto group = std::make_shared<ShardGroup>(options, std::move(link));
  std::vector<int> all(std::size_t(this->devices()));
  std::iota(all.begin(), all.end(), 0);
  communicators_[std::move(all)] =
      std::make_shared<Communicators>(collective::communicators_of(std::move(group), options));
}

std::shared_ptr<Job> Job::over_mpi(int devices_per_process) {
  return over(collective::make_mpi_link(options_for(std::size_t(devices_per_process))),
              devices_per_process);
}

std::shared_ptr<Job> Job::over(std::unique_ptr<RankLink> link, int devices_per_process) {
  if (devices_per_process < 1)
    throw_user_error(cat("devices: expected at least 1, found ", devices_per_process));
  return std::shared_ptr<Job>(new Job(std::move(link), devices_per_process));
}

std::shared_ptr<Communicators> Job::communicators(std::span<const int> devices) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Communicators>& known = communicators_[{devices.begin(), devices.end()}];
  if (known) return known;
  std::vector<int> ranks;
  for (const int device : devices) {
    if (device < 0 || device >= this->devices() || std::ranges::count(devices, device) > 1)
      throw_user_error(
          cat("devices: expected each once and below ", this->devices(), ", found ", device));
    ranks.push_back(device / devices_per_process_);
  }
  const CommunicatorOptions options = options_for(std::size_t(std::ranges::count(ranks, process_)));
  if (options.shards_per_rank == 0)
    throw_user_error(cat("devices: expected some of process ", process_, ", found none"));
  const std::uint32_t number = number_of(devices);
  if (!numbers_.insert(number).second)
    throw_device_error("devices: expected a list whose hash is no other list's, found one");
  auto group =
      std::make_shared<ShardGroup>(options, link_->open(number), collective::ShardMap(ranks));
  known = std::make_shared<Communicators>(collective::communicators_of(std::move(group), options));
  return known;
}

}  // namespace partita
