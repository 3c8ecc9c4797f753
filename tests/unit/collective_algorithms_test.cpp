// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The algorithms over ranks, on threads of this process.
#include <functional>

#include <gtest/gtest.h>

#include "partita/collective/communicator.hpp"
#include "runtime/collective/algorithms.hpp"
#include "tests/unit/collective_values.hpp"
#include "tests/unit/thread_channel.hpp"

namespace partita::collective {
namespace {

using partita::testing::Bytes;
using partita::testing::concatenated_blocks;
using partita::testing::is_combinable;
using partita::testing::naive_all_reduce;
using partita::testing::on_ranks;
using partita::testing::rough_floats;
using partita::testing::sample_block;
using partita::testing::sample_vector;
using partita::testing::uneven_sizes;

constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 17};

TEST(CollectiveAlgorithms, AllReduceMatchesTheNaiveLoopForEveryDtypeAndCombiner) {
  for (int ranks : {2, 3, 5}) {
    for (DType dtype : all_dtypes) {
      for (Combiner combiner : collective_combiners) {
        if (!is_combinable(dtype, combiner)) continue;
        constexpr std::size_t count = 37;
        const Bytes expected = naive_all_reduce(dtype, combiner, ranks, count);
        on_ranks(ranks, 64, [&](Ranks over) {
          Bytes data = sample_vector(dtype, over.channel.rank(), count);
          all_reduce(over, data, dtype, combiner);
          EXPECT_EQ(data, expected)
              << to_string(dtype) << ' ' << to_string(combiner) << " ranks " << ranks;
        });
      }
    }
  }
}

TEST(CollectiveAlgorithms, AllReduceOfAnyLengthWithAnyChunk) {
  for (int ranks : rank_counts) {
    for (std::size_t count : {0u, 1u, 2u, 100u, 60'000u}) {
      for (std::size_t chunk : {std::size_t(1), std::size_t(100), std::size_t(4) << 20}) {
        if (chunk == 1 && count > 100) continue;
        const Bytes expected = naive_all_reduce(DType::i32, Combiner::sum, ranks, count);
        on_ranks(ranks, count > 1000 ? chunk * 50 : chunk, [&](Ranks over) {
          Bytes data = sample_vector(DType::i32, over.channel.rank(), count);
          all_reduce(over, data, DType::i32, Combiner::sum);
          EXPECT_EQ(data, expected) << ranks << " ranks, " << count << " elements, chunk " << chunk;
        });
      }
    }
  }
}

// Vectors of 100 and 60'000 elements of four bytes, above.
TEST(CollectiveAlgorithms, AllWaysAreTaken) {
  using Way = AllReduceShape::Way;
  const auto way = [](std::size_t bytes, int ranks, bool leaves_host = false) {
    return all_reduce_shape({.bytes = bytes, .ranks = ranks, .leaves_host = leaves_host}).way;
  };
  for (const int ranks : {2, 3, 9, 17}) EXPECT_EQ(way(64, ranks), Way::doubling) << ranks;
  for (const int ranks : {2, 3, 5, 9}) EXPECT_EQ(way(240'000, ranks), Way::ring) << ranks;
  for (const int ranks : {8, 16, 64}) EXPECT_EQ(way(60'000, ranks), Way::halving) << ranks;
  EXPECT_EQ(way(800'000, 4096), Way::halving);
  EXPECT_EQ(way(std::size_t(1) << 30, 4096), Way::ring);
  EXPECT_EQ(way(std::size_t(1) << 20, 16), Way::ring);
  EXPECT_EQ(way(std::size_t(1) << 20, 16, true), Way::halving);
}

TEST(CollectiveAlgorithms, HalvingGivesTheSumOfAnyLength) {
  for (const int ranks : {8, 13, 16})
    for (const std::size_t count : {std::size_t(65'537), std::size_t(100'000)}) {
      ASSERT_EQ(all_reduce_shape({.bytes = 4 * count, .ranks = ranks, .leaves_host = true}).way,
                AllReduceShape::Way::halving)
          << ranks << " ranks, " << count;
      const Bytes expected = naive_all_reduce(DType::i32, Combiner::sum, ranks, count);
      on_ranks(
          ranks, 4 << 20,
          [&](Ranks over) {
            Bytes data = sample_vector(DType::i32, over.channel.rank(), count);
            all_reduce(over, data, DType::i32, Combiner::sum);
            EXPECT_EQ(data, expected) << ranks << " ranks, " << count << " elements";
          },
          true);
    }
}

TEST(CollectiveAlgorithms, SumsAreTheSameBitsOnEveryRankAndEveryTime) {
  for (int ranks : rank_counts) {
    for (std::size_t count : {100u, 50'000u}) {
      std::vector<Bytes> results(2 * std::size_t(ranks));
      for (int run = 0; run < 2; ++run) {
        on_ranks(ranks, 10'000, [&](Ranks over) {
          Bytes data = rough_floats(over.channel.rank(), count);
          all_reduce(over, data, DType::f32, Combiner::sum);
          results[std::size_t(run) * std::size_t(ranks) + std::size_t(over.channel.rank())] = data;
        });
      }
      for (const Bytes& result : results)
        EXPECT_EQ(result, results[0]) << ranks << " ranks, " << count;
    }
  }
}

TEST(CollectiveAlgorithms, GathersTakeUnevenAndEmptyBlocks) {
  for (int ranks : rank_counts) {
    for (std::size_t scale : {1u, 1000u, 20'000u}) {
      const auto sizes = uneven_sizes(ranks, scale);
      std::vector<std::size_t> offsets{0};
      for (std::size_t size : sizes) offsets.push_back(offsets.back() + size);
      const Bytes expected = concatenated_blocks(sizes);
      on_ranks(ranks, 3000, [&](Ranks over) {
        const int rank = over.channel.rank();
        const Bytes block = sample_block(rank, sizes[std::size_t(rank)]);
        Bytes gathered(expected.size());
        std::copy(block.begin(), block.end(),
                  gathered.begin() + std::ptrdiff_t(offsets[std::size_t(rank)]));
        Bytes everywhere = gathered;
        all_gather(over, everywhere, offsets);
        EXPECT_EQ(everywhere, expected) << ranks << " ranks, scale " << scale;
        gather_to_root(over, block, rank == 0 ? std::span(gathered) : std::span<std::byte>(),
                       offsets);
        if (rank == 0) {
          EXPECT_EQ(gathered, expected);
        }
      });
    }
  }
}

TEST(CollectiveAlgorithms, GatherOfNothingEndsOnEveryRank) {
  on_ranks(4, 100, [&](Ranks over) {
    const std::vector<std::size_t> offsets(5, 0);
    all_gather(over, {}, offsets);
    gather_to_root(over, {}, {}, offsets);
    broadcast(over, {});
    all_reduce(over, {}, DType::f64, Combiner::max);
  });
}

TEST(CollectiveAlgorithms, BroadcastReachesEveryRank) {
  for (int ranks : rank_counts) {
    for (std::size_t size : {1u, 999u, 50'000u}) {
      const Bytes expected = sample_block(3, size);
      on_ranks(ranks, 700, [&](Ranks over) {
        Bytes data = over.channel.rank() == 0 ? expected : Bytes(size);
        broadcast(over, data);
        EXPECT_EQ(data, expected) << ranks << " ranks, " << size;
      });
    }
  }
}

TEST(CollectiveAlgorithms, NobodyLeavesABarrierBeforeEveryoneHasCome) {
  for (int ranks : rank_counts) {
    std::atomic<int> arrived{0};
    on_ranks(ranks, 100, [&](Ranks over) {
      ++arrived;
      barrier(over);
      EXPECT_EQ(arrived, ranks);
    });
  }
}

}  // namespace
}  // namespace partita::collective
