// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/group_view.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "partita/base/error.hpp"

namespace partita::collective {

std::vector<int> GroupView::by_rank() const {
  std::vector<int> order(members());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int p) { return rank_at[std::size_t(p)]; });
  return order;
}

ShardMap::ShardMap(int ranks, int shards_per_rank) : is_in_order_(true) {
  for (int s = 0; s < ranks * shards_per_rank; ++s)
    places_.push_back({s / shards_per_rank, s % shards_per_rank});
}

ShardMap::ShardMap(std::span<const int> ranks) : is_in_order_(false) {
  std::map<int, int> counts;
  for (const int rank : ranks) places_.push_back({rank, counts[rank]++});
}

int ShardMap::shard_of(int rank, int number) const {
  const auto place = std::ranges::find_if(
      places_, [&](const Place& p) { return p.rank == rank && p.number == number; });
  PARTITA_ASSERT(place != places_.end());
  return int(place - places_.begin());
}

GroupTable::GroupTable(ShardLists shard_lists, int rank, const ShardMap& map)
    : lists(std::move(shard_lists)) {
  for (const std::vector<int>& list : lists) {
    GroupView view;
    for (std::size_t p = 0; p < list.size(); ++p) {
      const int of = map.rank_of(list[p]);
      const auto at = std::ranges::find(view.ranks, of);
      view.rank_at.push_back(int(at - view.ranks.begin()));
      if (at == view.ranks.end()) view.ranks.push_back(of);
      if (of != rank) continue;
      view.own = view.rank_at.back();
      view.positions.push_back(int(p));
      view.shards.push_back(map.local_number(list[p]));
    }
    if (!view.shards.empty()) views.push_back(std::move(view));
  }
  std::vector<int> all(std::size_t(map.shards()));
  std::iota(all.begin(), all.end(), 0);
  is_whole_job = map.is_in_order() && lists.size() == 1 && lists[0] == all;
}

}  // namespace partita::collective
