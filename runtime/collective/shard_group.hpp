// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The shards of one process as a group: collects what each shard brings to a collective call, and
// carries calls out one after another, locally in shard order and over the RankLink where there are
// other ranks.  Whichever thread waits does the work; a thread of the group's own does it where
// nobody waits and the transfer is worth it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "partita/collective/communicator.hpp"
#include "runtime/collective/algorithms.hpp"
#include "runtime/collective/failure.hpp"
#include "runtime/collective/group_view.hpp"
#include "runtime/collective/rank_link.hpp"

namespace partita::collective {

enum class CallKind : std::uint8_t {
  all_reduce,
  all_gather,
  gather_to_root,
  broadcast,
  barrier,
  groups  ///< CallInfo::call of each group
};

/// What all shards say alike.
struct CallInfo {
  CallKind kind = CallKind::barrier;
  DType dtype = DType::i8;
  Combiner combiner = Combiner::sum;
  std::size_t bytes = 0;           ///< of the result (gathers: of all blocks together)
  std::vector<std::size_t> sizes;  ///< gathers: bytes of each shard of the job, or of the group
  std::string step;
  GroupCall call = GroupCall::all_reduce;  ///< of groups
  int groups = -1;                         ///< the number of their table
  Wire wire = {};                          ///< of an all-reduce
};

/// What one shard brings.
struct Part {
  std::span<const std::byte> from;
  std::span<std::byte> to;
};

/// Work on a range of bytes that may be split in any way.
struct SlicedWork {
  std::function<void(std::size_t begin, std::size_t end)> on_range;
  std::size_t bytes = 0, slice = 0, slices = 0;
  std::atomic<std::size_t> next{0}, finished{0};
  /// Takes slices until none is left.
  void help();
};

struct Operation {
  CallInfo info;
  const GroupTable* groups = nullptr;  ///< of calls of groups
  std::vector<Part> parts;             ///< of the local shards
  std::int64_t index = 0;
  int arrived = 0;
  std::chrono::steady_clock::time_point ready_at;  ///< when the last local shard arrived
  bool running = false, done = false, in_background = false;
  std::function<void()> fault;  ///< injected amid the transfer
  std::shared_ptr<SlicedWork> work;

  /// Whether the caller waits at once.
  [[nodiscard]] bool blocks_caller() const {
    return info.kind != CallKind::all_reduce && info.kind != CallKind::all_gather &&
           info.kind != CallKind::groups;
  }
};

/// Copies, also onto itself.
void copy_bytes(std::span<const std::byte> from, std::byte* to);

class ShardGroup {
 public:
  /// As many shards on each rank of the job; `link` is null where this process is the whole job.
  ShardGroup(const CommunicatorOptions& options, std::unique_ptr<RankLink> link);
  /// Shards anywhere; `link` is of this group alone.
  ShardGroup(const CommunicatorOptions& options, std::unique_ptr<RankLink>&& link, ShardMap map);
  /// Every shard has left before.
  ~ShardGroup();
  ShardGroup(const ShardGroup&) = delete;
  ShardGroup& operator=(const ShardGroup&) = delete;

  [[nodiscard]] int local_shards() const { return local_shards_; }
  [[nodiscard]] int rank() const { return link_ ? link_->channel().rank() : 0; }
  /// Of the job, of which some may have no shards.
  [[nodiscard]] int ranks() const { return link_ ? link_->channel().ranks() : 1; }

  [[nodiscard]] const ShardMap& map() const { return map_; }
  /// The number of the table of these lists here.
  int add_groups(const ShardLists& lists);
  [[nodiscard]] const GroupTable& groups(int number);
  /// The next call of local shard `shard`.  Throws after a failure.
  std::shared_ptr<Operation> submit(int shard, CallInfo info, Part part,
                                    std::function<void()> fault);
  /// Until the operation is done; throws after a failure, when nothing uses its buffers any more.
  void wait(Operation& operation);
  void poison(int shard, const std::string& why) noexcept;
  /// Local shard `shard` makes no more calls.
  void leave(int shard) noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;

  [[noreturn]] void fail(Lock& lock, const std::string& reason, const std::string& step);
  [[nodiscard]] std::string shard_name(int shard) const;
  void check_departures(Lock& lock, const Operation& operation);
  [[nodiscard]] bool wait_comes_late(const Operation& operation) const;
  [[nodiscard]] bool front_is_ready() const;
  void run_front(Lock& lock, bool someone_waits);
  void run_in_background();
  void warn_of_slowness(const Operation& operation) const;

  void execute(Operation& operation);
  void all_reduce(Operation& operation);
  void all_gather(Operation& operation);
  void meet(Operation& operation);
  void all_reduce(Operation& operation, const GroupView& group);
  void all_reduce_over(Ranks ranks, const Operation& operation, std::span<std::byte> data,
                       std::size_t group);
  void all_gather(Operation& operation, const GroupView& group);
  void reduce_scatter(Operation& operation, const GroupView& group);
  void all_to_all(Operation& operation, const GroupView& group);
  void permute(Operation& operation);
  static void copy_from_first(const Operation& operation, const GroupView& group);
  void combine_local(Operation& operation, const std::vector<std::span<std::byte>>& vectors,
                     bool is_result);
  void gather_to_root(Operation& operation);
  void broadcast(Operation& operation);
  void copy_to_others(Operation& operation, std::span<const std::byte> bytes);
  void run_sliced(Operation& operation, std::size_t bytes,
                  std::function<void(std::size_t, std::size_t)> on_range);
  [[nodiscard]] std::vector<std::size_t> rank_offsets(const std::vector<std::size_t>& sizes) const;
  [[nodiscard]] Ranks over_ranks();

  const int local_shards_;
  const TransferOptions transfer_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<RankLink> link_;
  const ShardMap map_;
  std::shared_ptr<FailureState> failure_;

  std::mutex mutex_;
  std::condition_variable changed_, background_work_;
  std::deque<std::shared_ptr<Operation>> queue_;  ///< begun, in order; the front runs first
  std::vector<std::int64_t> next_;                ///< per local shard: index of its next call
  std::vector<char> left_;                        ///< per local shard
  std::vector<std::unique_ptr<GroupTable>> tables_;
  std::int64_t completed_ = 0;
  bool running_ = false;
  /// By step: whether callers did other things between its last call and the wait for it.
  std::unordered_map<std::string, bool> waits_come_late_;
  int background_calls_ = 0;  ///< of queue_
  int waiting_ = 0;           ///< threads in wait()
  bool stopping_ = false;
  std::vector<std::byte> scratch_, staging_;
  /// By step and group: what rounded sums have not told the others yet.
  std::map<std::pair<std::string, std::size_t>, std::vector<float>> rests_;
  std::thread background_;
  const FailureState::Listener listener_;  // last: it may be called at once
};

/// The communicators of the shards of `group`; `fault` as in CommunicatorOptions.
[[nodiscard]] std::vector<std::unique_ptr<Communicator>> communicators_of(
    std::shared_ptr<ShardGroup> group, const CommunicatorOptions& options);

}  // namespace partita::collective
