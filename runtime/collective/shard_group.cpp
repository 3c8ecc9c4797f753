// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The order of calls and who carries them out; what each call does is in shard_calls.cpp.
#include "runtime/collective/shard_group.hpp"

#include <sys/prctl.h>

#include <algorithm>

#include "partita/base/log.hpp"

namespace partita::collective {
namespace {

using Clock = std::chrono::steady_clock;

/// The first transfer of a step is left to the thread that waits where it is shorter than this; later ones are where
/// the wait for the one before came within `late`.
constexpr std::size_t background_bytes = std::size_t(64) << 10;
constexpr auto late = std::chrono::microseconds(100);

/// Takes a link whose job has failed: its memory and its threads stay until the process ends.
void bury(std::unique_ptr<RankLink> link) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<RankLink>> links_of_failed_jobs;
  const std::lock_guard lock(mutex);
  links_of_failed_jobs.push_back(std::move(link));
}

bool agree(const CallInfo& a, const CallInfo& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.combiner == b.combiner && a.bytes == b.bytes &&
         a.sizes == b.sizes && a.call == b.call && a.groups == b.groups;
}

}  // namespace

void SlicedWork::help() {
  for (std::size_t i = next.fetch_add(1); i < slices; i = next.fetch_add(1)) {
    on_range(i * slice, std::min(bytes, (i + 1) * slice));
    finished.fetch_add(1, std::memory_order_release);
  }
}

ShardGroup::ShardGroup(const CommunicatorOptions& options, std::unique_ptr<RankLink> link)
    : ShardGroup(options, std::move(link),
                 ShardMap(link ? link->channel().ranks() : 1, options.shards_per_rank)) {}

ShardGroup::ShardGroup(const CommunicatorOptions& options, std::unique_ptr<RankLink>&& link,
                       ShardMap map)
    : local_shards_(options.shards_per_rank),
      transfer_{.chunk_bytes = std::max<std::size_t>(options.chunk_bytes, 1)},
      timeout_(options.timeout),
      link_(std::move(link)),
      map_(std::move(map)),
      failure_(link_ ? link_->failure() : std::make_shared<FailureState>()),
      next_(std::size_t(local_shards_), 0),
      left_(std::size_t(local_shards_), 0),
      listener_(failure_->listen([this] {
        // Whoever is about to sleep has seen it or is asleep.
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
      })) {}

ShardGroup::~ShardGroup() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  background_work_.notify_all();
  if (background_.joinable()) background_.join();
  failure_->stop_listening(listener_);
  if (!link_) return;
  if (!failure_->failed()) link_->leave(completed_);
  if (failure_->failed()) {
    link_->announce_failure();
    bury(std::move(link_));
  }
  link_.reset();
}

std::string ShardGroup::shard_name(int shard) const {
  if (ranks() == 1) return cat("shard ", shard);
  if (local_shards_ == 1) return cat("rank ", rank());
  return cat("shard ", map_.shard_of(rank(), shard), " (rank ", rank(), ")");
}

void ShardGroup::fail(Lock& lock, const std::string& reason, const std::string& step) {
  lock.unlock();
  failure_->fail(reason, rank());
  if (link_) link_->announce_failure();
  failure_->raise(step);
}

/// A shard that has left never arrives.
void ShardGroup::check_departures(Lock& lock, const Operation& operation) {
  for (int s = 0; s < local_shards_; ++s) {
    if (left_[std::size_t(s)] && next_[std::size_t(s)] <= operation.index) {
      fail(lock,
           cat(shard_name(s), " left the job after ", next_[std::size_t(s)], " collective calls"),
           operation.info.step);
    }
  }
}

int ShardGroup::add_groups(const ShardLists& lists) {
  const Lock lock(mutex_);
  const auto known = std::ranges::find(
      tables_, lists, [](const auto& table) -> const ShardLists& { return table->lists; });
  if (known != tables_.end()) return int(known - tables_.begin());
  tables_.push_back(std::make_unique<GroupTable>(lists, rank(), map_));
  return int(tables_.size()) - 1;
}

const GroupTable& ShardGroup::groups(int number) {
  const Lock lock(mutex_);
  return *tables_.at(std::size_t(number));
}

std::shared_ptr<Operation> ShardGroup::submit(int shard, CallInfo info, Part part,
                                              std::function<void()> fault) {
  Lock lock(mutex_);
  if (failure_->failed()) {
    lock.unlock();
    if (link_) link_->announce_failure();
    failure_->raise(info.step);
  }
  const std::int64_t index = next_[std::size_t(shard)]++;
  const std::size_t position = std::size_t(index - completed_);
  if (position == queue_.size()) {
    auto operation = std::make_shared<Operation>();
    operation->info = std::move(info);
    operation->index = index;
    if (operation->info.groups >= 0)
      operation->groups = tables_.at(std::size_t(operation->info.groups)).get();
    operation->parts.resize(std::size_t(local_shards_));
    queue_.push_back(std::move(operation));
    if (link_) link_->set_calls(index + 1);
  } else if (!agree(queue_[position]->info, info)) {
    fail(lock, cat(shard_name(shard), " made another call than the shards before it"), info.step);
  }
  const std::shared_ptr<Operation> operation = queue_[position];
  operation->parts[std::size_t(shard)] = part;
  if (fault) operation->fault = std::move(fault);
  check_departures(lock, *operation);
  if (++operation->arrived < local_shards_) return operation;
  operation->ready_at = Clock::now();
  operation->in_background =
      link_ && link_->any_thread() && !operation->blocks_caller() && wait_comes_late(*operation);
  if (operation->in_background) {
    ++background_calls_;
    if (!background_.joinable()) background_ = std::thread([this] { run_in_background(); });
    background_work_.notify_one();
  }
  if (local_shards_ > 1) changed_.notify_all();
  return operation;
}

/// What became of the call before of the same step; a thread that is woken for nothing costs a short call its time.
bool ShardGroup::wait_comes_late(const Operation& operation) const {
  const auto before = waits_come_late_.find(operation.info.step);
  return before == waits_come_late_.end() ? operation.info.bytes > background_bytes
                                          : before->second;
}

bool ShardGroup::front_is_ready() const {
  return !running_ && !queue_.empty() && queue_.front()->arrived == local_shards_ &&
         !failure_->failed();
}

void ShardGroup::run_front(Lock& lock, bool someone_waits) {
  const std::shared_ptr<Operation> operation = queue_.front();
  running_ = operation->running = true;
  lock.unlock();
  bool succeeded = false;
  try {
    if (link_) {
      link_->hurry(someone_waits);
      link_->begin_call(operation->info.step);
    }
    execute(*operation);
    succeeded = true;
  } catch (const CollectiveError& error) {
    failure_->fail(error.what(), error.failed_rank());
  } catch (const std::exception& error) {
    failure_->fail(cat("rank ", rank(), " failed: ", error.what()), rank());
  }
  if (!succeeded && link_) link_->abandon_transfers();
  lock.lock();
  running_ = operation->running = false;
  operation->work.reset();
  if (succeeded) {
    operation->done = true;
    queue_.pop_front();
    ++completed_;
    if (operation->in_background) --background_calls_;
    if (background_calls_ > 0) background_work_.notify_one();
  }
  if (local_shards_ > 1 || !someone_waits) changed_.notify_all();
}

void ShardGroup::run_in_background() {
  ::prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds by which its short sleeps may last longer
  Lock lock(mutex_);
  while (true) {
    background_work_.wait(
        lock, [this] { return stopping_ || (background_calls_ > 0 && front_is_ready()); });
    if (stopping_) return;
    run_front(lock, waiting_ > 0);
  }
}

void ShardGroup::wait(Operation& operation) {
  Lock lock(mutex_);
  const auto since = Clock::now();
  bool warned = false;
  if (link_ && !operation.blocks_caller() && operation.arrived == local_shards_)
    waits_come_late_[operation.info.step] = since - operation.ready_at > late;
  ++waiting_;
  while (!operation.done && (operation.running || !failure_->failed())) {
    if (front_is_ready()) {
      run_front(lock, true);
      continue;
    }
    const std::shared_ptr<SlicedWork> work = running_ ? queue_.front()->work : nullptr;
    if (work && work->next < work->slices) {
      lock.unlock();
      work->help();
      lock.lock();
      continue;
    }
    if (link_ && running_) link_->hurry(true);
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    if (!warned && !operation.done && Clock::now() - since > timeout_) {
      warned = true;
      warn_of_slowness(operation);
    }
  }
  --waiting_;
  if (operation.done) return;
  lock.unlock();
  if (link_) link_->announce_failure();
  failure_->raise(operation.info.step);
}

void ShardGroup::warn_of_slowness(const Operation& operation) const {
  if (operation.arrived == local_shards_) return;  // the channel speaks of other ranks
  std::string missing;
  for (int s = 0; s < local_shards_; ++s) {
    if (next_[std::size_t(s)] <= operation.index)
      missing += cat(missing.empty() ? "" : ", ", shard_name(s));
  }
  log(LogLevel::warning, cat("step '", operation.info.step, "': still waiting for ", missing));
}

void ShardGroup::poison(int shard, const std::string& why) noexcept {
  failure_->fail(cat(shard_name(shard), " failed: ", why), rank());
  if (link_) link_->announce_failure();
}

void ShardGroup::leave(int shard) noexcept {
  Lock lock(mutex_);
  left_[std::size_t(shard)] = 1;
  const std::int64_t calls = next_[std::size_t(shard)];
  if (calls - completed_ >= std::int64_t(queue_.size())) return;
  lock.unlock();
  failure_->fail(cat(shard_name(shard), " left the job after ", calls, " collective calls"),
                 rank());
}

}  // namespace partita::collective
