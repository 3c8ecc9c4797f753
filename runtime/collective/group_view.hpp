// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Groups of shards as one rank sees them: which of their members it has, and the ranks that have others, as a
// channel of their own.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "partita/artifact/plan.hpp"
#include "runtime/collective/channel.hpp"

namespace partita::collective {

/// Where the shards of a program are.
class ShardMap {
 public:
  /// On ranks 0, 1, … as many each, in order.
  ShardMap(int ranks, int shards_per_rank);
  /// Shard s on rank ranks[s]; those of one rank are its local shards 0, 1, … in order.
  explicit ShardMap(std::span<const int> ranks);

  [[nodiscard]] int shards() const { return int(places_.size()); }
  [[nodiscard]] int rank_of(int shard) const { return places_[std::size_t(shard)].rank; }
  [[nodiscard]] int local_number(int shard) const { return places_[std::size_t(shard)].number; }
  /// The shard that is local shard `number` of `rank`.
  [[nodiscard]] int shard_of(int rank, int number) const;
  /// Whether shard s is local shard s mod K of rank s / K, on all ranks of the job.
  [[nodiscard]] bool is_in_order() const { return is_in_order_; }

 private:
  struct Place {
    int rank, number;
  };
  std::vector<Place> places_;
  bool is_in_order_;
};

/// A group with members on this rank.
struct GroupView {
  std::vector<int> ranks;      ///< that have members, in the order of their first positions
  std::vector<int> rank_at;    ///< by position: index into `ranks`
  int own = 0;                 ///< index of this rank
  std::vector<int> positions;  ///< of this rank's members, ascending
  std::vector<int> shards;     ///< the same members, by their number on this rank

  [[nodiscard]] std::size_t members() const { return rank_at.size(); }
  [[nodiscard]] bool is_local() const { return ranks.size() == 1; }
  /// All positions, those of one rank together, in the order of `ranks`.
  [[nodiscard]] std::vector<int> by_rank() const;
};

/// Lists of shards of the job, and the groups among them that have members here, in order.
struct GroupTable {
  ShardLists lists;
  std::vector<GroupView> views;
  /// One group of all shards in order, which are so on the ranks of the job.
  bool is_whole_job = false;

  GroupTable(ShardLists shard_lists, int rank, const ShardMap& map);
};

/// Some ranks of a channel as ranks 0, 1, … of another.
class SubChannel final : public Channel {
 public:
  SubChannel(Channel& all, const GroupView& group) : all_(all), group_(group) {}
  int rank() const override { return group_.own; }
  int ranks() const override { return int(group_.ranks.size()); }
  bool leaves_host() const override { return all_.leaves_host(); }
  Ticket send(int to, std::span<const std::byte> data) override {
    return all_.send(group_.ranks[std::size_t(to)], data);
  }
  Ticket receive(int from, std::span<std::byte> data) override {
    return all_.receive(group_.ranks[std::size_t(from)], data);
  }

 protected:
  void wait_for(Ticket ticket) override { all_.wait(ticket); }

 private:
  Channel& all_;
  const GroupView& group_;
};

}  // namespace partita::collective
