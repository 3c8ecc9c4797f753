// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The ranks of an MPI communicator as RankLinks: two duplicated communicators (data, control), the
// agreement of the ranks at start, and what libpartita_mpi.so has.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <unistd.h>

#include "partita/base/error.hpp"
#include "runtime/collective/fault.hpp"
#include "runtime/collective/process_watch.hpp"
#include "runtime/collective/shard_group.hpp"
#include "runtime/mpi/mpi_channel.hpp"
#include "runtime/mpi/mpi_state.hpp"
#include "runtime/mpi/mpi_wire.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Before the heartbeats begin, ranks are given this long to start.
constexpr milliseconds start_limit{60'000};

/// What every rank tells the others at start.
struct StartRecord {
  std::uint64_t host = 0;
  std::int64_t pid = 0;
  std::int64_t thread_level = 0;
  std::int64_t shards_per_rank = 0, timeout = 0, chunk_bytes = 0, max_message_bytes = 0;
  std::int64_t has_emulated_net = 0;
};

void wait_at_start(MPI_Request request, milliseconds limit, const char* what) {
  const auto deadline = Clock::now() + limit;
  for (int round = 0;; ++round) {
    int done = 0;
    {
      const MpiLock lock(mpi_mutex());
      PARTITA_MPI(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
    if (done != 0) return;
    if (Clock::now() > deadline) {
      leave_mpi_unfinalised();
      throw_device_error(cat("starting: not every rank has joined within ", limit.count() / 1000,
                             " s (", what, ")"));
    }
    if (round < 100)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// A duplicate of a communicator whose errors are returned.
class OwnedComm {
 public:
  OwnedComm(MPI_Comm parent, milliseconds limit) {
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const MpiLock lock(mpi_mutex());
      PARTITA_MPI(MPI_Comm_idup(parent, &comm_, &request));
    }
    wait_at_start(request, limit, "MPI_Comm_idup");
    const MpiLock lock(mpi_mutex());
    PARTITA_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  }
  OwnedComm(const OwnedComm&) = delete;
  OwnedComm& operator=(const OwnedComm&) = delete;
  ~OwnedComm() {
    const MpiLock lock(mpi_mutex());
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  [[nodiscard]] MPI_Comm get() const { return comm_; }
  /// Leaves it to MPI.
  void forget() { comm_ = MPI_COMM_NULL; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

void check_same(const std::vector<StartRecord>& records, std::int64_t StartRecord::*member,
                const char* what) {
  for (std::size_t r = 1; r < records.size(); ++r) {
    if (records[r].*member == records[0].*member) continue;
    throw_user_error(cat(what, ": expected the same on every rank, found ", records[0].*member,
                         " on rank 0 and ", records[r].*member, " on rank ", r));
  }
}

/// The largest tag of MPI's messages.
int largest_tag() {
  const MpiLock lock(mpi_mutex());
  int* largest = nullptr;
  int found = 0;
  PARTITA_MPI(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found));
  return found != 0 ? *largest : 32767;  // which MPI promises
}

/// What the links of a job share: communicators, and news of its ranks.
class MpiJob final : public JobTransport {
 public:
  MpiJob(const CommunicatorOptions& options, MPI_Comm parent, int thread_level)
      : start_limit_(std::max(options.timeout, start_limit)),
        data_(parent, start_limit_),
        control_(parent, start_limit_),
        thread_level_(thread_level),
        largest_tag_(largest_tag()),
        failure_(std::make_shared<FailureState>()) {
    {
      const MpiLock lock(mpi_mutex());
      PARTITA_MPI(MPI_Comm_rank(data_.get(), &rank_));
      PARTITA_MPI(MPI_Comm_size(data_.get(), &ranks_));
    }
    const std::vector<StartRecord> records = agree(options);
    bool leaves_host = false;
    for (const StartRecord& record : records) {
      thread_level_ = std::min(thread_level_, int(record.thread_level));
      leaves_host |= record.host != records[0].host || record.has_emulated_net != 0;
    }
    channels_ = {.comm = data_.get(),
                 .max_message_bytes =
                     std::clamp<std::size_t>(options.max_message_bytes, 1, std::size_t(1) << 30),
                 .net = emulated_net(),
                 .link = {.rank = rank_,
                          .ranks = ranks_,
                          .leaves_host = leaves_host,
                          .timeout = options.timeout,
                          .failure = failure_,
                          .tick = {},
                          .waiting_for = std::make_shared<std::atomic<int>>(-1)}};
    monitor_ = std::make_unique<JobMonitor>(monitor_settings(options, records));
    count_links(1);
  }
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;
  ~MpiJob() override {
    monitor_.reset();
    if (failure_->failed()) {
      data_.forget();
      control_.forget();
    }
    count_links(-1);
  }

  std::unique_ptr<LinkChannel> open(std::uint32_t number, std::function<void(int)> tick) override {
    MpiChannel::Settings settings = channels_;
    settings.tag = tag_of(number);
    settings.link.tick = std::move(tick);
    return std::make_unique<MpiChannel>(std::move(settings));
  }
  JobMonitor& monitor() override { return *monitor_; }
  const std::shared_ptr<FailureState>& failure() override { return failure_; }
  bool any_thread() const override { return thread_level_ >= MPI_THREAD_SERIALIZED; }
  void give_up() noexcept override { leave_mpi_unfinalised(); }
  void check_thread() const override {
    if (any_thread()) return;
    int is_main = 0;
    PARTITA_MPI(MPI_Is_thread_main(&is_main));
    if (is_main == 0) {
      throw_device_error(
          "MPI was initialised below MPI_THREAD_SERIALIZED: collectives must be called on the "
          "thread that did it");
    }
  }

 private:
  /// The tag of the link of this number; others' never is the same.
  [[nodiscard]] int tag_of(std::uint32_t number) {
    if (number == 0) return 0;
    const int tag = 1 + int(number % std::uint32_t(largest_tag_));
    const std::lock_guard lock(mutex_);
    const std::uint32_t taken = tags_.emplace(tag, number).first->second;
    if (taken != number)
      throw_device_error(cat("MPI: expected another tag for messages of ", number,
                             " than for those of ", taken, ", found ", tag, " for both"));
    return tag;
  }

  std::vector<StartRecord> agree(const CommunicatorOptions& options) {
    const StartRecord mine{.host = host_identity(),
                           .pid = ::getpid(),
                           .thread_level = thread_level_,
                           .shards_per_rank = options.shards_per_rank,
                           .timeout = options.timeout.count(),
                           .chunk_bytes = std::int64_t(options.chunk_bytes),
                           .max_message_bytes = std::int64_t(options.max_message_bytes),
                           .has_emulated_net = emulated_net() ? 1 : 0};
    std::vector<StartRecord> records(std::size_t(ranks_), StartRecord{});
    MPI_Request request = MPI_REQUEST_NULL;
    {
      const MpiLock lock(mpi_mutex());
      PARTITA_MPI(MPI_Iallgather(&mine, int(sizeof mine), MPI_BYTE, records.data(),
                                 int(sizeof mine), MPI_BYTE, control_.get(), &request));
    }
    wait_at_start(request, start_limit_, "MPI_Iallgather");
    check_same(records, &StartRecord::shards_per_rank, "shards per rank");
    check_same(records, &StartRecord::timeout, "communicator timeout (ms)");
    check_same(records, &StartRecord::chunk_bytes, "chunk size of collectives");
    check_same(records, &StartRecord::max_message_bytes, "largest message");
    return records;
  }

  JobMonitor::Settings monitor_settings(const CommunicatorOptions& options,
                                        const std::vector<StartRecord>& records) {
    JobMonitor::Settings settings;
    settings.wire = std::make_unique<MpiWire>(control_.get(), failure_);
    settings.rank = rank_;
    settings.ranks = ranks_;
    settings.timeout = options.timeout;
    settings.own_thread_may_use_wire = any_thread();
    settings.catch_termination = is_mpi_initialised_here();
    settings.failure = failure_;
    settings.waiting_for = [rank = channels_.link.waiting_for] { return rank->load(); };
    for (const StartRecord& record : records) {
      settings.peers.push_back(
          {.pid = int(record.pid), .same_host = record.host == records[std::size_t(rank_)].host});
    }
    return settings;
  }

  const milliseconds start_limit_;
  OwnedComm data_, control_;
  int thread_level_, rank_ = 0, ranks_ = 1;
  const int largest_tag_;
  std::shared_ptr<FailureState> failure_;
  MpiChannel::Settings channels_;
  std::unique_ptr<JobMonitor> monitor_;
  std::mutex mutex_;
  std::map<int, std::uint32_t> tags_;  ///< in use, with the numbers of links
};

MPI_Comm given_comm(const void* mpi_comm) {
  return mpi_comm == nullptr ? MPI_COMM_WORLD : *static_cast<const MPI_Comm*>(mpi_comm);
}

int ranks_of(const void* mpi_comm) {
  static_cast<void>(ensure_mpi());
  int ranks = 1;
  const MpiLock lock(mpi_mutex());
  PARTITA_MPI(MPI_Comm_size(given_comm(mpi_comm), &ranks));
  return ranks;
}

std::vector<std::unique_ptr<Communicator>> make_communicators(const CommunicatorOptions& options,
                                                              const void* mpi_comm) {
  if (options.shards_per_rank < 1) {
    throw_user_error(cat("shards per rank: expected at least 1, found ", options.shards_per_rank));
  }
  (void)fault_of(options);  // a text that cannot be read is refused before the ranks meet
  const int level = ensure_mpi();
  const MPI_Comm parent = given_comm(mpi_comm);
  if (ranks_of(mpi_comm) == 1) return make_local_communicators(options);
  if (level < MPI_THREAD_SERIALIZED && options.shards_per_rank > 1) {
    throw_user_error(cat("expected MPI initialised with at least MPI_THREAD_SERIALIZED for ",
                         options.shards_per_rank, " shards per rank, found a lower thread level"));
  }
  auto link = std::make_unique<JobLink>(std::make_shared<MpiJob>(options, parent, level), 0);
  return communicators_of(std::make_shared<ShardGroup>(options, std::move(link)), options);
}

std::unique_ptr<RankLink> make_link(const CommunicatorOptions& options) {
  return std::make_unique<JobLink>(std::make_shared<MpiJob>(options, MPI_COMM_WORLD, ensure_mpi()),
                                   0);
}

void abort_job(int exit_code) noexcept {
  leave_mpi_unfinalised();
  std::fflush(nullptr);
  int rank = 0, ranks = 1;
  {
    const MpiLock lock(mpi_mutex());
    if (!is_usable()) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  if (ranks == 1) return;
  // One rank's call ends all; the launcher reports every call, so the others give the first one time.
  const std::chrono::milliseconds turn(200 * std::min(rank, 10));
  if (wait_for_termination(turn)) std::_Exit(exit_code);
  const MpiLock lock(mpi_mutex());
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace
}  // namespace partita::collective

const partita::collective::MpiLibrary* partita_mpi_library() {
  using namespace partita::collective;
  static constexpr MpiLibrary library{.ranks = ranks_of,
                                      .make_communicators = make_communicators,
                                      .make_link = make_link,
                                      .abort_job = abort_job};
  return &library;
}
