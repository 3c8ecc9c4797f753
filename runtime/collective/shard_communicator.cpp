// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Communicator as one shard's view of its ShardGroup, the group of one shard, and local groups.
#include <algorithm>
#include <numeric>

#include "partita/collective/communicator.hpp"
#include "runtime/collective/combine.hpp"
#include "runtime/collective/fault.hpp"
#include "runtime/collective/shard_group.hpp"
#include "runtime/collective/wire.hpp"

namespace partita::collective {
namespace {

class DoneRequest final : public Request {
 public:
  void wait() override {}
};

class GroupRequest final : public Request {
 public:
  GroupRequest(std::shared_ptr<ShardGroup> group, std::shared_ptr<Operation> operation)
      : group_(std::move(group)), operation_(std::move(operation)) {}
  GroupRequest(const GroupRequest&) = delete;
  GroupRequest& operator=(const GroupRequest&) = delete;
  ~GroupRequest() override {
    if (!operation_) return;
    try {
      group_->wait(*operation_);
    } catch (const std::exception&) {  // the failure stays with the group; the next call throws it
    }
  }
  void wait() override {
    if (!operation_) return;
    const auto operation = std::exchange(operation_, nullptr);
    group_->wait(*operation);
  }

 private:
  std::shared_ptr<ShardGroup> group_;
  std::shared_ptr<Operation> operation_;
};

/// The caller's side of the contract of the gathers.
void check_blocks(std::span<const std::byte> from, std::span<std::byte> to,
                  std::span<const std::size_t> sizes, const Communicator& communicator,
                  bool receives) {
  if (sizes.size() != std::size_t(communicator.shards())) {
    throw_internal_error(
        cat("gather: expected ", communicator.shards(), " block sizes, found ", sizes.size()));
  }
  if (from.size() != sizes[std::size_t(communicator.shard())]) {
    throw_internal_error(cat("gather: expected a block of ",
                             sizes[std::size_t(communicator.shard())], " bytes, found ",
                             from.size()));
  }
  const std::size_t total = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
  if (receives && to.size() != total) {
    throw_internal_error(cat("gather: expected room for ", total, " bytes, found ", to.size()));
  }
}

void check_whole_elements(std::span<std::byte> data, DType dtype) {
  if (data.size() % byte_size(dtype) != 0) {
    throw_internal_error(cat("all_reduce: expected whole elements of ", to_string(dtype),
                             ", found ", data.size(), " bytes"));
  }
}

void check_wire(const Wire& wire, DType dtype, Combiner combiner) {
  if (wire.format != WireFormat::exact && (dtype != DType::f32 || combiner != Combiner::sum))
    throw_internal_error(cat("all_reduce: expected a sum of f32 to travel as ",
                             to_string(wire.format), ", found ", to_string(combiner), " of ",
                             to_string(dtype)));
}

[[noreturn]] void refuse_parts(GroupCall call, std::size_t from, std::size_t to) {
  throw_internal_error(cat(to_string(call), ": expected parts that fit the group, found ", from,
                           " bytes in and ", to, " out"));
}

/// The caller's side of the contract of calls of groups of `members`; `position` in its own.
void check_parts(const GroupMeeting& meeting, std::size_t members, std::size_t position,
                 std::size_t from, std::size_t to) {
  const std::size_t total =
      std::accumulate(meeting.sizes.begin(), meeting.sizes.end(), std::size_t(0));
  const bool fits =
      meeting.call == GroupCall::all_gather
          ? meeting.sizes.size() == members && from == meeting.sizes[position] && to == total
      : meeting.call == GroupCall::reduce_scatter ? from == to * members
      : meeting.call == GroupCall::all_reduce     ? from == 0
                                                  : from == to && to % members == 0;
  const bool combines =
      meeting.call == GroupCall::all_reduce || meeting.call == GroupCall::reduce_scatter;
  if (!fits || (combines && to % byte_size(meeting.dtype) != 0))
    refuse_parts(meeting.call, from, to);
  if (combines) check_combinable(meeting.dtype, meeting.combiner);
  check_wire(meeting.wire, meeting.dtype, meeting.combiner);
}

class GroupCommunicator final : public Communicator {
 public:
  GroupCommunicator(std::shared_ptr<ShardGroup> group, int local_shard, std::optional<Fault> fault)
      : group_(std::move(group)),
        local_shard_(local_shard),
        shard_(group_->map().shard_of(group_->rank(), local_shard)),
        fault_(fault) {}
  GroupCommunicator(const GroupCommunicator&) = delete;
  GroupCommunicator& operator=(const GroupCommunicator&) = delete;
  ~GroupCommunicator() override { group_->leave(local_shard_); }

  int shard() const override { return shard_; }
  int shards() const override { return group_->map().shards(); }
  int rank() const override { return group_->rank(); }
  int ranks() const override { return group_->ranks(); }

  using Communicator::all_reduce;
  RequestPtr all_reduce(std::span<std::byte> data, DType dtype, Combiner combiner, const Wire& wire,
                        const std::string& step) override {
    check_combinable(dtype, combiner);
    check_whole_elements(data, dtype);
    check_wire(wire, dtype, combiner);
    if (!group_->map().is_in_order())
      return meet({.call = GroupCall::all_reduce,
                   .groups = everyone(),
                   .dtype = dtype,
                   .combiner = combiner,
                   .wire = wire,
                   .step = step},
                  {}, data);
    auto request = start({.kind = CallKind::all_reduce,
                          .dtype = dtype,
                          .combiner = combiner,
                          .bytes = data.size(),
                          .sizes = {},
                          .step = step,
                          .wire = wire},
                         {.from = data, .to = data});
    count(travelling_bytes(wire, data.size()));
    return request;
  }

  RequestPtr all_gather(std::span<const std::byte> from, std::span<std::byte> to,
                        std::span<const std::size_t> sizes, const std::string& step) override {
    check_blocks(from, to, sizes, *this, true);
    if (!group_->map().is_in_order())
      return meet({.call = GroupCall::all_gather,
                   .groups = everyone(),
                   .sizes = {sizes.begin(), sizes.end()},
                   .step = step},
                  from, to);
    auto request = start(gather_info(CallKind::all_gather, sizes, step), {.from = from, .to = to});
    count(to.size());
    return request;
  }

  int add_groups(const ShardLists& lists) override { return group_->add_groups(lists); }

  RequestPtr meet(const GroupMeeting& meeting, std::span<const std::byte> from,
                  std::span<std::byte> to) override {
    const GroupTable& table = group_->groups(meeting.groups);
    check_place(meeting, table, from.size(), to.size());
    if (table.is_whole_job && meeting.call == GroupCall::all_reduce)
      return all_reduce(to, meeting.dtype, meeting.combiner, meeting.wire, meeting.step);
    if (table.is_whole_job && meeting.call == GroupCall::all_gather)
      return all_gather(from, to, meeting.sizes, meeting.step);
    auto request = start({.kind = CallKind::groups,
                          .dtype = meeting.dtype,
                          .combiner = meeting.combiner,
                          .bytes = to.size(),
                          .sizes = meeting.sizes,
                          .step = meeting.step,
                          .call = meeting.call,
                          .groups = meeting.groups,
                          .wire = meeting.wire},
                         {.from = from, .to = to});
    count(travelling_bytes(meeting.wire, to.size()));
    return request;
  }

  void gather_to_root(std::span<const std::byte> from, std::span<std::byte> to,
                      std::span<const std::size_t> sizes, const std::string& step) override {
    check_blocks(from, to, sizes, *this, shard() == 0);
    if (!group_->map().is_in_order()) {
      std::vector<std::byte> all(
          shard() == 0 ? 0 : std::accumulate(sizes.begin(), sizes.end(), std::size_t(0)));
      return all_gather(from, shard() == 0 ? to : all, sizes, step)->wait();
    }
    start(gather_info(CallKind::gather_to_root, sizes, step), {.from = from, .to = to})->wait();
  }

  void broadcast(std::span<std::byte> data, const std::string& step) override {
    if (!group_->map().is_in_order()) {
      std::vector<std::size_t> sizes(std::size_t(shards()), 0);
      sizes[0] = data.size();
      const std::span<std::byte> own = shard() == 0 ? data : std::span<std::byte>();
      return all_gather(own, data, sizes, step)->wait();
    }
    CallInfo info;
    info.kind = CallKind::broadcast;
    info.bytes = data.size();
    info.step = step;
    start(std::move(info), {.from = data, .to = data})->wait();
  }

  void barrier(const std::string& step) override {
    if (!group_->map().is_in_order()) {
      std::byte nothing{0};
      return all_reduce({&nothing, 1}, DType::ui8, Combiner::max, step)->wait();
    }
    CallInfo info;
    info.step = step;
    start(std::move(info), {})->wait();
  }

  void poison(const std::string& why) noexcept override { group_->poison(local_shard_, why); }
  Counters counters() const override { return counters_; }

 private:
  /// The number of the group of all shards, where they are anywhere.
  [[nodiscard]] int everyone() {
    if (everyone_ < 0) {
      std::vector<int> all(static_cast<std::size_t>(shards()));
      std::iota(all.begin(), all.end(), 0);
      everyone_ = group_->add_groups({all});
    }
    return everyone_;
  }

  void check_place(const GroupMeeting& meeting, const GroupTable& table, std::size_t from,
                   std::size_t to) const {
    if (meeting.call == GroupCall::permute) return check_parts(meeting, 1, 0, from, to);
    for (const GroupView& view : table.views) {
      const auto at = std::ranges::find(view.shards, local_shard_);
      if (at != view.shards.end())
        return check_parts(meeting, view.members(),
                           std::size_t(view.positions[std::size_t(at - view.shards.begin())]), from,
                           to);
    }
    throw_internal_error(cat(to_string(meeting.call), ": expected groups with shard ", shard()));
  }

  /// Rounded between ranks alone.
  [[nodiscard]] std::size_t travelling_bytes(const Wire& wire, std::size_t bytes) const {
    return ranks() > 1 && wire.format != WireFormat::exact
               ? wire_bytes(wire.format, bytes / sizeof(float))
               : bytes;
  }

  static CallInfo gather_info(CallKind kind, std::span<const std::size_t> sizes,
                              const std::string& step) {
    CallInfo info;
    info.kind = kind;
    info.sizes.assign(sizes.begin(), sizes.end());
    info.bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
    info.step = step;
    return info;
  }

  std::unique_ptr<GroupRequest> start(CallInfo info, Part part) {
    std::function<void()> amid_transfer;
    if (fault_ && is_due(*fault_, rank(), shard(), calls_)) {
      if (!fault_->amid_transfer)
        commit(*fault_);
      else
        amid_transfer = [fault = *fault_] { commit(fault); };
    }
    ++calls_;
    auto operation = group_->submit(local_shard_, std::move(info), part, std::move(amid_transfer));
    return std::make_unique<GroupRequest>(group_, std::move(operation));
  }

  void count(std::size_t bytes) {
    ++counters_.calls;
    counters_.bytes += std::int64_t(bytes);
  }

  std::shared_ptr<ShardGroup> group_;
  int local_shard_, shard_;
  std::optional<Fault> fault_;
  std::int64_t calls_ = 0;
  int everyone_ = -1;
  Counters counters_;
};

/// The group of one shard: nothing moves, nothing waits, nothing is counted.
class SoleCommunicator final : public Communicator {
 public:
  explicit SoleCommunicator(std::optional<Fault> fault) : fault_(fault) {}

  int shard() const override { return 0; }
  int shards() const override { return 1; }
  int rank() const override { return 0; }
  int ranks() const override { return 1; }

  using Communicator::all_reduce;
  RequestPtr all_reduce(std::span<std::byte> data, DType dtype, Combiner combiner, const Wire& wire,
                        const std::string& step) override {
    check_combinable(dtype, combiner);
    check_whole_elements(data, dtype);
    check_wire(wire, dtype, combiner);
    enter(step);
    return std::make_unique<DoneRequest>();
  }
  RequestPtr all_gather(std::span<const std::byte> from, std::span<std::byte> to,
                        std::span<const std::size_t> sizes, const std::string& step) override {
    gather_to_root(from, to, sizes, step);
    return std::make_unique<DoneRequest>();
  }
  int add_groups(const ShardLists& lists) override {
    tables_.push_back(lists);
    return int(tables_.size()) - 1;
  }
  RequestPtr meet(const GroupMeeting& meeting, std::span<const std::byte> from,
                  std::span<std::byte> to) override {
    const ShardLists& lists = tables_.at(std::size_t(meeting.groups));
    check_parts(meeting, 1, 0, from.size(), to.size());
    enter(meeting.step);
    if (lists.empty())
      std::ranges::fill(to, std::byte{0});
    else
      copy_bytes(from, to.data());
    return std::make_unique<DoneRequest>();
  }
  void gather_to_root(std::span<const std::byte> from, std::span<std::byte> to,
                      std::span<const std::size_t> sizes, const std::string& step) override {
    check_blocks(from, to, sizes, *this, true);
    enter(step);
    if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
  }
  void broadcast(std::span<std::byte> /*data*/, const std::string& step) override { enter(step); }
  void barrier(const std::string& step) override { enter(step); }
  void poison(const std::string& why) noexcept override {
    failure_.fail(cat("shard 0 failed: ", why), 0);
  }
  Counters counters() const override { return {}; }

 private:
  void enter(const std::string& step) {
    if (failure_.failed()) failure_.raise(step);
    if (fault_ && is_due(*fault_, 0, 0, calls_++)) commit(*fault_);
  }

  std::optional<Fault> fault_;
  std::int64_t calls_ = 0;
  FailureState failure_;
  std::vector<ShardLists> tables_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> communicators_of(std::shared_ptr<ShardGroup> group,
                                                            const CommunicatorOptions& options) {
  const std::optional<Fault> fault = fault_of(options);
  std::vector<std::unique_ptr<Communicator>> result;
  for (int s = 0; s < group->local_shards(); ++s) {
    result.push_back(std::make_unique<GroupCommunicator>(group, s, fault));
  }
  return result;
}

}  // namespace partita::collective

namespace partita {

std::vector<std::byte> gather_by_all(const Communicators& shards,
                                     std::span<const std::vector<std::byte>> blocks,
                                     std::span<const std::size_t> sizes, const std::string& step) {
  const std::size_t bytes = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
  std::vector<std::vector<std::byte>> all(shards.size(), std::vector<std::byte>(bytes));
  std::vector<RequestPtr> requests;
  for (std::size_t s = 0; s < shards.size(); ++s)
    requests.push_back(shards[s]->all_gather(blocks[s], all[s], sizes, step));
  for (const RequestPtr& request : requests) request->wait();
  return std::move(all.front());
}

std::vector<std::unique_ptr<Communicator>> make_local_communicators(
    const CommunicatorOptions& options) {
  if (options.shards_per_rank < 1) {
    throw_user_error(cat("shards per rank: expected at least 1, found ", options.shards_per_rank));
  }
  if (options.shards_per_rank > 1) {
    return collective::communicators_of(std::make_shared<collective::ShardGroup>(options, nullptr),
                                        options);
  }
  std::vector<std::unique_ptr<Communicator>> result;
  result.push_back(std::make_unique<collective::SoleCommunicator>(collective::fault_of(options)));
  return result;
}

}  // namespace partita
