// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random collectives of groups, and what they give, written down naively: for the communicators of one process and
// those over MPI.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/collective/communicator.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita::testing {

/// A random partition of the shards into groups of one size.
[[nodiscard]] inline ShardLists random_groups(int shards, std::mt19937& random) {
  std::vector<int> sizes, all(static_cast<std::size_t>(shards));
  for (int size = 1; size <= shards; ++size)
    if (shards % size == 0) sizes.push_back(size);
  const int size = sizes[random() % sizes.size()];
  std::iota(all.begin(), all.end(), 0);
  if (random() % 3 != 0) std::ranges::shuffle(all, random);
  ShardLists lists(static_cast<std::size_t>(shards / size));
  for (std::size_t k = 0; k < all.size(); ++k) lists[k / std::size_t(size)].push_back(all[k]);
  return lists;
}

/// Pairs from any shard to some, each once.
[[nodiscard]] inline ShardLists random_pairs(int shards, std::mt19937& random) {
  ShardLists pairs;
  for (int target = 0; target < shards; ++target)
    if (random() % 4 != 0) pairs.push_back({int(random() % unsigned(shards)), target});
  return pairs;
}

[[nodiscard]] inline Bytes part_of(const Bytes& all, std::size_t begin, std::size_t bytes) {
  return {all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(begin + bytes)};
}

/// Vectors of i32 of the members of a group, added up.
[[nodiscard]] inline Bytes naive_sum(const std::vector<int>& group, std::size_t count) {
  Bytes sum = sample_vector(DType::i32, group[0], count);
  for (std::size_t k = 1; k < group.size(); ++k) {
    const Bytes other = sample_vector(DType::i32, group[k], count);
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t a = 0, b = 0;
      std::memcpy(&a, sum.data() + 4 * i, 4);
      std::memcpy(&b, other.data() + 4 * i, 4);
      a += b;
      std::memcpy(sum.data() + 4 * i, &a, 4);
    }
  }
  return sum;
}

/// What shard `shard` brings to and gets of a call of so many elements of i32 in each block or slice.
struct GroupCase {
  Bytes from, expected;
  std::vector<std::size_t> sizes = {};  ///< of a gather
};

[[nodiscard]] inline GroupCase group_case(GroupCall call, const std::vector<int>& group,
                                          std::size_t position, std::size_t count) {
  const std::size_t members = group.size();
  const auto vector = [&](int shard, std::size_t n) { return sample_vector(DType::i32, shard, n); };
  GroupCase c;
  switch (call) {
    case GroupCall::all_reduce:
      c.expected = naive_sum(group, count);
      break;
    case GroupCall::all_gather:
      for (std::size_t p = 0; p < members; ++p) {
        const Bytes block = vector(group[p], count * (p % 3));
        c.sizes.push_back(block.size());
        c.expected.insert(c.expected.end(), block.begin(), block.end());
        if (p == position) c.from = block;
      }
      break;
    case GroupCall::reduce_scatter:
      c.from = vector(group[position], count * members);
      c.expected = part_of(naive_sum(group, count * members), 4 * count * position, 4 * count);
      break;
    case GroupCall::all_to_all:
      c.from = vector(group[position], count * members);
      for (const int shard : group) {
        const Bytes slice =
            part_of(vector(shard, count * members), 4 * count * position, 4 * count);
        c.expected.insert(c.expected.end(), slice.begin(), slice.end());
      }
      break;
    case GroupCall::permute:
      break;
  }
  return c;
}

/// One call; what this shard gets is as it should be.
inline void expect_group_call(Communicator& c, GroupCall call, const ShardLists& lists,
                              std::size_t count) {
  const int groups = c.add_groups(lists);
  const std::string what = cat(to_string(call), " of ", count, " elements");
  GroupCase expected;
  if (call == GroupCall::permute) {
    expected.from = sample_vector(DType::i32, c.shard(), count);
    expected.expected.assign(4 * count, std::byte{0});
    for (const std::vector<int>& pair : lists)
      if (pair[1] == c.shard()) expected.expected = sample_vector(DType::i32, pair[0], count);
  } else {
    for (const std::vector<int>& list : lists) {
      const auto at = std::ranges::find(list, c.shard());
      if (at != list.end())
        expected = group_case(call, list, std::size_t(at - list.begin()), count);
    }
  }
  Bytes to(expected.expected.size(), std::byte{0x55});
  if (call == GroupCall::all_reduce) to = sample_vector(DType::i32, c.shard(), count);
  c.meet({.call = call,
          .groups = groups,
          .dtype = DType::i32,
          .combiner = Combiner::sum,
          .sizes = expected.sizes,
          .step = what},
         expected.from, to)
      ->wait();
  EXPECT_EQ(to, expected.expected) << what << " on shard " << c.shard();
}

/// Random calls, the same on every shard.
inline void expect_random_group_calls(Communicator& c, int calls, std::size_t most, unsigned seed) {
  std::mt19937 random(seed);
  for (int k = 0; k < calls; ++k) {
    const auto call = GroupCall(random() % 5);
    const ShardLists lists = call == GroupCall::permute ? random_pairs(c.shards(), random)
                                                        : random_groups(c.shards(), random);
    const std::size_t count = random() % 4 == 0 ? random() % 4 : random() % most;
    expect_group_call(c, call, lists, count);
  }
}

/// Sums of floats that rounding makes depend on the order: members of a group hold the same bits.
inline void expect_same_bits_in_groups(Communicator& c, const ShardLists& lists,
                                       std::size_t count) {
  Bytes data = rough_floats(c.shard(), count);
  const int groups = c.add_groups(lists);
  c.meet({.call = GroupCall::all_reduce, .groups = groups, .dtype = DType::f32, .step = "sum"}, {},
         data)
      ->wait();
  Bytes all(data.size() * lists[0].size());
  c.meet({.call = GroupCall::all_gather,
          .groups = groups,
          .sizes = std::vector<std::size_t>(lists[0].size(), data.size()),
          .step = "compare"},
         data, all)
      ->wait();
  for (std::size_t k = 0; k < lists[0].size(); ++k)
    EXPECT_EQ(part_of(all, k * data.size(), data.size()), data);
}

}  // namespace partita::testing
