// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Jobs over TCP, of processes that any launcher has started: each puts into a store that all see where it is reached, and
// connects to those that are before it.
#include <array>
#include <atomic>
#include <random>
#include <sstream>
#include <utility>

#include <unistd.h>

#include "partita/base/error.hpp"
#include "partita/collective/job.hpp"
#include "runtime/collective/job_link.hpp"
#include "runtime/tcp/tcp_channel.hpp"
#include "runtime/tcp/tcp_wire.hpp"

namespace partita {
namespace collective {
namespace {

using std::chrono::milliseconds;

/// Ranks are given this long to start.
constexpr milliseconds start_limit{60'000};

/// What every rank tells the others at start, as a line of words.
struct StartRecord {
  std::uint64_t host = 0;
  std::int64_t pid = 0;
  int devices = 0, port = 0;
  std::string word;  ///< rank 0's counts
  std::vector<std::string> addresses;
};

std::string to_text(const StartRecord& record) {
  std::ostringstream text;
  text << record.host << ' ' << record.pid << ' ' << record.devices << ' ' << record.port << ' '
       << record.word;
  for (const std::string& address : record.addresses) text << ' ' << address;
  return text.str();
}

StartRecord read_record(const std::string& text, int rank) {
  std::istringstream words(text);
  StartRecord record;
  words >> record.host >> record.pid >> record.devices >> record.port >> record.word;
  if (!words)
    throw_device_error(cat("starting: expected what rank ", rank, " says of itself, found '",
                           text.substr(0, 100), "'"));
  for (std::string address; words >> address;) record.addresses.push_back(address);
  return record;
}

constexpr std::string_view hex_digits = "0123456789abcdef";

std::string random_word() {
  std::random_device random;
  std::string word;
  for (std::size_t k = 0; k < sizeof(Connections::Word); ++k) word += hex_digits[random() % 16];
  return word;
}

Connections::Word to_word(const std::string& text) {
  Connections::Word word{};
  for (std::size_t k = 0; k < std::min(word.size(), text.size()); ++k) word[k] = std::byte(text[k]);
  return word;
}

class TcpJob final : public JobTransport {
 public:
  TcpJob(int devices, int rank, int ranks, const SharedStore& store)
      : failure_(std::make_shared<FailureState>()) {
    Listener listener;
    StartRecord mine{.host = host_identity(),
                     .pid = ::getpid(),
                     .devices = devices,
                     .port = listener.port,
                     .word = random_word(),
                     .addresses = own_addresses()};
    const auto key = [](int r) { return cat("partita/process/", r); };
    store.put(key(rank), to_text(mine));
    std::vector<StartRecord> records;
    for (int r = 0; r < ranks; ++r)
      records.push_back(r == rank ? mine : read_record(store.get(key(r), start_limit), r));
    std::vector<Connections::Host> hosts;
    bool leaves_host = false;
    std::vector<JobMonitor::Peer> peers;
    for (int r = 0; r < ranks; ++r) {
      StartRecord& record = records[std::size_t(r)];
      if (record.devices != devices)
        throw_user_error(cat("devices: expected as many of every process, found ", devices,
                             " of process ", rank, " and ", record.devices, " of ", r));
      leaves_host = leaves_host || record.host != records[0].host;
      peers.push_back({.pid = int(record.pid), .same_host = record.host == mine.host});
      hosts.push_back({std::move(record.addresses), record.port});
    }
    connections_ =
        std::make_shared<Connections>(rank, std::move(listener), to_word(records[0].word));
    connections_->set_hosts(std::move(hosts));
    channels_ = {.connections = connections_,
                 .link = {.rank = rank,
                          .ranks = ranks,
                          .leaves_host = leaves_host,
                          .failure = failure_,
                          .tick = {},
                          .waiting_for = std::make_shared<std::atomic<int>>(-1)}};
    JobMonitor::Settings monitor;
    monitor.wire = std::make_unique<TcpWire>(*connections_, rank, ranks, start_limit);
    control_mutex_ = &monitor.wire->mutex();
    monitor.rank = rank;
    monitor.ranks = ranks;
    monitor.failure = failure_;
    monitor.waiting_for = [peer = channels_.link.waiting_for] { return peer->load(); };
    monitor.peers = std::move(peers);
    monitor_ = std::make_unique<JobMonitor>(std::move(monitor));
  }

  std::unique_ptr<LinkChannel> open(std::uint32_t number, std::function<void(int)> tick) override {
    TcpChannel::Settings settings = channels_;
    settings.number = number;
    settings.link.tick = [this, tick = std::move(tick)](int peer) {
      const std::lock_guard lock(*control_mutex_);
      tick(peer);
    };
    return std::make_unique<TcpChannel>(std::move(settings));
  }
  JobMonitor& monitor() override { return *monitor_; }
  const std::shared_ptr<FailureState>& failure() override { return failure_; }

 private:
  std::shared_ptr<FailureState> failure_;
  std::shared_ptr<Connections> connections_;
  TcpChannel::Settings channels_;
  FairMutex* control_mutex_ = nullptr;  // the monitor's wire has it
  std::unique_ptr<JobMonitor> monitor_;
};

}  // namespace
}  // namespace collective

std::shared_ptr<Job> Job::over_tcp(int devices_per_process, int process, int processes,
                                   const SharedStore& store) {
  if (process < 0 || process >= processes)
    throw_user_error(cat("process: expected one of ", processes, ", found ", process));
  return over(
      std::make_unique<collective::JobLink>(
          std::make_shared<collective::TcpJob>(devices_per_process, process, processes, store), 0),
      devices_per_process);
}

}  // namespace partita
