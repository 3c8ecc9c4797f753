// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/collective/group_view.hpp"

#include <algorithm>
#include <numeric>

namespace partita::collective {

std::vector<int> GroupView::by_rank() const {
  std::vector<int> order(members());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int p) { return rank_at[std::size_t(p)]; });
  return order;
}

GroupTable::GroupTable(ShardLists shard_lists, int rank, int ranks, int local_shards)
    : lists(std::move(shard_lists)) {
  for (const std::vector<int>& list : lists) {
    GroupView view;
    for (std::size_t p = 0; p < list.size(); ++p) {
      const int of = list[p] / local_shards;
      const auto at = std::ranges::find(view.ranks, of);
      view.rank_at.push_back(int(at - view.ranks.begin()));
      if (at == view.ranks.end()) view.ranks.push_back(of);
      if (of != rank) continue;
      view.own = view.rank_at.back();
      view.positions.push_back(int(p));
      view.shards.push_back(list[p] % local_shards);
    }
    if (!view.shards.empty()) views.push_back(std::move(view));
  }
  std::vector<int> all(std::size_t(ranks) * std::size_t(local_shards));
  std::iota(all.begin(), all.end(), 0);
  is_whole_job = lists.size() == 1 && lists[0] == all;
}

}  // namespace partita::collective
