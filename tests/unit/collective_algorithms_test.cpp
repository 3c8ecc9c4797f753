// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The algorithms over ranks, on threads of this process: messages are handed over only when both
// sides have asked for them, so an algorithm that needs buffering inside MPI hangs here.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "runtime/collective/algorithms.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita::collective {
namespace {

using partita::testing::Bytes;
using partita::testing::concatenated_blocks;
using partita::testing::is_combinable;
using partita::testing::naive_all_reduce;
using partita::testing::rough_floats;
using partita::testing::sample_block;
using partita::testing::sample_vector;
using partita::testing::uneven_sizes;

/// Where the threads' messages meet.
class Exchange {
 public:
  struct Side {
    std::span<std::byte> data;
    std::shared_ptr<bool> done;
  };
  std::shared_ptr<bool> post(int from, int to, bool incoming, std::span<std::byte> data) {
    const std::lock_guard lock(mutex_);
    auto& [sends, receives] = pairs_[{from, to}];
    const Side side{data, std::make_shared<bool>(false)};
    (incoming ? receives : sends).push_back(side);
    while (!sends.empty() && !receives.empty()) {
      const Side sent = sends.front(), received = receives.front();
      sends.pop_front();
      receives.pop_front();
      if (sent.data.size() != received.data.size()) throw std::logic_error("sizes differ");
      std::memcpy(received.data.data(), sent.data.data(), sent.data.size());
      *sent.done = *received.done = true;
      changed_.notify_all();
    }
    return side.done;
  }
  void wait(const bool& done) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(20), [&] { return done; }))
      throw std::logic_error("deadlock");
  }
  [[nodiscard]] bool is_empty() const {
    for (const auto& [key, pair] : pairs_) {
      if (!pair.first.empty() || !pair.second.empty()) return false;
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<int, int>, std::pair<std::deque<Side>, std::deque<Side>>> pairs_;
};

class ThreadChannel final : public Channel {
 public:
  ThreadChannel(Exchange& exchange, int rank, int ranks)
      : exchange_(exchange), rank_(rank), ranks_(ranks) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  Ticket send(int to, std::span<const std::byte> data) override {
    // The exchange only reads what is sent.
    return add(rank_, to, false, {const_cast<std::byte*>(data.data()), data.size()});
  }
  Ticket receive(int from, std::span<std::byte> data) override {
    return add(from, rank_, true, data);
  }

 protected:
  void wait_for(Ticket ticket) override { exchange_.wait(*done_[std::size_t(ticket)]); }

 private:
  Ticket add(int from, int to, bool incoming, std::span<std::byte> data) {
    EXPECT_NE(from, to);
    if (data.empty()) return none;
    done_.push_back(exchange_.post(from, to, incoming, data));
    return Ticket(done_.size() - 1);
  }
  Exchange& exchange_;
  int rank_, ranks_;
  std::vector<std::shared_ptr<bool>> done_;
};

constexpr int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 17};

/// Runs `body` on every rank and checks that no message is left over.
void on_ranks(int ranks, std::size_t chunk_bytes, const std::function<void(Ranks)>& body) {
  Exchange exchange;
  std::vector<std::thread> threads;
  std::vector<std::string> errors(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      ThreadChannel channel(exchange, r, ranks);
      std::vector<std::byte> scratch;
      try {
        body({channel, {.chunk_bytes = chunk_bytes}, scratch});
      } catch (const std::exception& error) {
        errors[std::size_t(r)] = error.what();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& error : errors) EXPECT_EQ(error, "");
  EXPECT_TRUE(exchange.is_empty());
}

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

TEST(CollectiveAlgorithms, BothAlgorithmsAreUsed) {
  for (int ranks : {2, 3, 9, 17}) {
    EXPECT_TRUE(prefers_doubling(64, ranks));
    EXPECT_FALSE(prefers_doubling(240'000, ranks));
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
