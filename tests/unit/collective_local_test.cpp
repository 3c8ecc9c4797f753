// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Communicators of one process: one shard, and several on threads.
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "partita/collective/communicator.hpp"
#include "tests/unit/collective_groups.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita {
namespace {

using partita::testing::Bytes;
using partita::testing::concatenated_blocks;
using partita::testing::is_combinable;
using partita::testing::naive_all_reduce;
using partita::testing::rough_floats;
using partita::testing::sample_block;
using partita::testing::sample_vector;
using partita::testing::uneven_sizes;

constexpr int shard_counts[] = {1, 2, 3, 5};

/// Runs `body` on one thread per shard; what a shard throws it poisons the group with.  Returns the
/// errors' texts, empty where there was none.
std::vector<std::string> on_shards(int shards, const std::function<void(Communicator&)>& body,
                                   CommunicatorOptions options = {}) {
  options.shards_per_rank = shards;
  auto communicators = make_local_communicators(options);
  EXPECT_EQ(communicators.size(), std::size_t(shards));
  std::vector<std::string> errors(static_cast<std::size_t>(shards));
  std::vector<std::thread> threads;
  for (int s = 0; s < shards; ++s) {
    threads.emplace_back([&, s] {
      const auto communicator = std::move(communicators[std::size_t(s)]);
      try {
        body(*communicator);
      } catch (const std::exception& error) {
        errors[std::size_t(s)] = error.what();
        communicator->poison(error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

void expect_no_errors(const std::vector<std::string>& errors) {
  for (const auto& error : errors) EXPECT_EQ(error, "");
}

TEST(CollectiveLocal, AllReduceMatchesTheNaiveLoopForEveryDtypeAndCombiner) {
  for (int shards : shard_counts) {
    expect_no_errors(on_shards(shards, [&](Communicator& c) {
      EXPECT_EQ(c.shards(), shards);
      EXPECT_EQ(c.rank(), 0);
      for (DType dtype : all_dtypes) {
        for (Combiner combiner : collective_combiners) {
          if (!is_combinable(dtype, combiner)) continue;
          Bytes data = sample_vector(dtype, c.shard(), 1001);
          c.all_reduce(data, dtype, combiner, "sum")->wait();
          EXPECT_EQ(data, naive_all_reduce(dtype, combiner, shards, 1001))
              << to_string(dtype) << ' ' << to_string(combiner) << " shards " << shards;
        }
      }
    }));
  }
}

TEST(CollectiveLocal, SumsRunInShardOrderAndAreTheSameBits) {
  for (int shards : {2, 3, 5}) {
    constexpr std::size_t count = 300'000;
    std::vector<float> expected(count);
    for (int s = 0; s < shards; ++s) {
      const Bytes part = rough_floats(s, count);
      for (std::size_t i = 0; i < count; ++i) {
        float x = 0;
        std::memcpy(&x, part.data() + i * sizeof x, sizeof x);
        expected[i] = s == 0 ? x : expected[i] + x;
      }
    }
    expect_no_errors(on_shards(shards, [&](Communicator& c) {
      Bytes data = rough_floats(c.shard(), count);
      c.all_reduce(data, DType::f32, Combiner::sum, "sum")->wait();
      EXPECT_EQ(std::memcmp(data.data(), expected.data(), data.size()), 0) << shards;
    }));
  }
}

TEST(CollectiveLocal, NanAndInfinityPropagate) {
  expect_no_errors(on_shards(3, [&](Communicator& c) {
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();
    for (Combiner combiner : {Combiner::sum, Combiner::max, Combiner::min}) {
      for (int from = 0; from < 3; ++from) {
        float data[2] = {c.shard() == from ? nan : float(c.shard()),
                         c.shard() == from ? -inf : 1.0f};
        c.all_reduce(std::as_writable_bytes(std::span(data)), DType::f32, combiner, "special")
            ->wait();
        EXPECT_TRUE(std::isnan(data[0]));
        EXPECT_EQ(data[1], combiner == Combiner::max ? 1.0f : -inf);
      }
    }
  }));
}

TEST(CollectiveLocal, GroupsMeetApartFromOthers) {
  for (int shards : {1, 2, 4, 6, 8})
    for (const std::size_t most : {9u, 60'000u})
      expect_no_errors(on_shards(shards, [&](Communicator& c) {
        testing::expect_random_group_calls(c, most > 1000 ? 12 : 60, most, unsigned(shards));
      }));
}

TEST(CollectiveLocal, MembersOfAGroupHoldTheSameBits) {
  const ShardLists lists{{5, 0, 3}, {2, 1, 4}};
  expect_no_errors(on_shards(
      6, [&](Communicator& c) { testing::expect_same_bits_in_groups(c, lists, 100'000); }));
}

TEST(CollectiveLocal, CallsOfGroupsThatDifferAreRefused) {
  const auto errors = on_shards(2, [&](Communicator& c) {
    const int groups = c.add_groups({{0}, {1}});
    float x = 0;
    c.meet({.call = c.shard() == 0 ? GroupCall::all_to_all : GroupCall::all_reduce,
            .groups = groups,
            .dtype = DType::f32,
            .step = "x"},
           c.shard() == 0 ? std::as_bytes(std::span(&x, 1)) : std::span<const std::byte>(),
           std::as_writable_bytes(std::span(&x, 1)))
        ->wait();
  });
  EXPECT_NE((errors[0] + errors[1]).find("made another call than the shards before it"),
            std::string::npos)
      << errors[0] << errors[1];
}

TEST(CollectiveLocal, AFailureEndsCallsOfGroupsToo) {
  const auto errors = on_shards(4, [&](Communicator& c) {
    const int groups = c.add_groups({{0, 1}, {2, 3}});
    if (c.shard() == 3) throw_user_error("the last fails");
    Bytes data(64);
    c.meet({.call = GroupCall::all_reduce, .groups = groups, .dtype = DType::f32, .step = "sum"},
           {}, data)
        ->wait();
  });
  for (int s = 0; s < 3; ++s)
    EXPECT_NE(errors[std::size_t(s)].find("shard 3 failed: the last fails"), std::string::npos)
        << errors[std::size_t(s)];
}

TEST(CollectiveLocal, GathersBroadcastAndBarrier) {
  for (int shards : shard_counts) {
    for (std::size_t scale : {1u, 100'000u}) {
      const auto sizes = uneven_sizes(shards, scale);
      const Bytes expected = concatenated_blocks(sizes);
      std::atomic<int> arrived{0};
      expect_no_errors(on_shards(shards, [&](Communicator& c) {
        const Bytes block = sample_block(c.shard(), sizes[std::size_t(c.shard())]);
        Bytes everywhere(expected.size()), at_root(c.shard() == 0 ? expected.size() : 0);
        c.all_gather(block, everywhere, sizes, "gather")->wait();
        EXPECT_EQ(everywhere, expected);
        c.gather_to_root(block, at_root, sizes, "output");
        if (c.shard() == 0) {
          EXPECT_EQ(at_root, expected);
        }
        Bytes told = c.shard() == 0 ? expected : Bytes(expected.size());
        c.broadcast(told, "tell");
        EXPECT_EQ(told, expected);
        ++arrived;
        c.barrier("all");
        EXPECT_EQ(arrived, shards);
        c.all_reduce({}, DType::f32, Combiner::sum, "nothing")->wait();
      }));
    }
  }
}

TEST(CollectiveLocal, GatherReadsABlockThatLiesInTheResult) {
  expect_no_errors(on_shards(3, [&](Communicator& c) {
    const std::vector<std::size_t> sizes{4, 0, 8};
    Bytes data(12);
    const std::size_t at = c.shard() == 2 ? 4 : 0;
    const Bytes block = sample_block(c.shard(), sizes[std::size_t(c.shard())]);
    std::copy(block.begin(), block.end(), data.begin() + std::ptrdiff_t(at));
    c.all_gather(std::span(data).subspan(at, block.size()), data, sizes, "gather")->wait();
    EXPECT_EQ(data, concatenated_blocks(sizes));
  }));
}

TEST(CollectiveLocal, CallsMayOverlapAndBeWaitedForInAnyOrder) {
  expect_no_errors(on_shards(3, [&](Communicator& c) {
    std::vector<Bytes> data;
    std::vector<RequestPtr> requests;
    for (int i = 0; i < 20; ++i)
      data.push_back(sample_vector(DType::f32, c.shard(), 1000 * std::size_t(i)));
    for (auto& d : data) requests.push_back(c.all_reduce(d, DType::f32, Combiner::sum, "many"));
    for (int i = 19; i >= 0; --i) {
      if (c.shard() != 1 || i % 2 == 0) requests[std::size_t(i)]->wait();
    }
    requests.clear();  // shard 1's other requests end here
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(data[std::size_t(i)],
                naive_all_reduce(DType::f32, Combiner::sum, 3, 1000 * std::size_t(i)));
    }
  }));
}

TEST(CollectiveLocal, CountsTheProgramsCollectivesWhereThereAreSeveralShards) {
  for (int shards : {1, 2}) {
    expect_no_errors(on_shards(shards, [&](Communicator& c) {
      Bytes data(64), all(8 * std::size_t(shards));
      const std::vector<std::size_t> sizes(std::size_t(shards), 8);
      c.all_reduce(data, DType::f32, Combiner::sum, "a")->wait();
      c.all_gather(std::span(data).first(8), all, sizes, "b")->wait();
      c.barrier("not counted");
      compare_across_shards(c, "artifact", "same");
      EXPECT_EQ(c.counters().calls, shards == 1 ? 0 : 2);
      EXPECT_EQ(c.counters().bytes, shards == 1 ? 0 : 80);
    }));
  }
}

TEST(CollectiveLocal, RefusesF16AndWrongSizes) {
  for (int shards : {1, 2}) {
    on_shards(shards, [&](Communicator& c) {
      Bytes data(8);
      const std::vector<std::size_t> sizes(std::size_t(shards), 3);
      EXPECT_THROW((void)c.all_reduce(data, DType::f16, Combiner::sum, "x"), Error);
      EXPECT_THROW((void)c.all_reduce(data, DType::bf16, Combiner::sum, "x"), Error);
      EXPECT_THROW((void)c.all_reduce(data, DType::f32, Combiner::logical_and, "x"), Error);
      EXPECT_THROW((void)c.all_reduce(std::span(data).first(7), DType::f32, Combiner::sum, "x"),
                   Error);
      EXPECT_THROW((void)c.all_gather(data, data, sizes, "x"), Error);
    });
  }
}

TEST(CollectiveLocal, AFailingShardEndsEveryWaitWithItsReason) {
  const auto errors = on_shards(5, [&](Communicator& c) {
    if (c.shard() == 3) throw_device_error("out of device memory");
    float x = 1;
    c.all_reduce(std::as_writable_bytes(std::span(&x, 1)), DType::f32, Combiner::sum, "gradient")
        ->wait();
  });
  EXPECT_EQ(errors[3], "out of device memory");
  for (int s : {0, 1, 2, 4}) {
    EXPECT_EQ(errors[std::size_t(s)], "step 'gradient': shard 3 failed: out of device memory");
  }
}

TEST(CollectiveLocal, InjectedFailureReachesEveryShard) {
  CommunicatorOptions options;
  options.fault = parse_fault("fail@shard:1,call:2");
  const auto errors = on_shards(
      3,
      [&](Communicator& c) {
        for (int i = 0; i < 5; ++i) {
          float x = 1;
          c.all_reduce(std::as_writable_bytes(std::span(&x, 1)), DType::f32, Combiner::sum,
                       cat("round ", i))
              ->wait();
          EXPECT_EQ(x, 3);
        }
      },
      options);
  EXPECT_EQ(errors[1], "injected failure");
  EXPECT_EQ(errors[0], "step 'round 2': shard 1 failed: injected failure");
  EXPECT_EQ(errors[2], errors[0]);
}

TEST(CollectiveLocal, AShardThatLeavesEndsTheWaitsOfTheOthers) {
  const auto errors = on_shards(3, [&](Communicator& c) {
    c.barrier("first");
    if (c.shard() != 2) c.barrier("second");
  });
  EXPECT_EQ(errors[0], "step 'second': shard 2 left the job after 1 collective calls");
  EXPECT_EQ(errors[1], errors[0]);
  EXPECT_EQ(errors[2], "");
}

TEST(CollectiveLocal, AShardThatComputesLongerThanTheTimeoutIsNotDead) {
  CommunicatorOptions options;
  options.timeout = std::chrono::milliseconds(50);
  expect_no_errors(on_shards(
      2,
      [&](Communicator& c) {
        if (c.shard() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
        float x = 2;
        c.all_reduce(std::as_writable_bytes(std::span(&x, 1)), DType::f32, Combiner::sum, "slow")
            ->wait();
        EXPECT_EQ(x, 4);
      },
      options));
}

TEST(CollectiveLocal, CallsThatDifferBetweenShardsAreAnError) {
  const auto errors = on_shards(2, [&](Communicator& c) {
    float x[2] = {1, 1};
    const std::size_t count = c.shard() == 0 ? 1 : 2;
    c.all_reduce(std::as_writable_bytes(std::span(x).first(count)), DType::f32, Combiner::sum,
                 "sum")
        ->wait();
  });
  for (const auto& error : errors)
    EXPECT_NE(error.find("made another call"), std::string::npos) << error;
}

TEST(CollectiveLocal, AfterAFailureEveryCallThrows) {
  for (int shards : {1, 2}) {
    on_shards(shards, [&](Communicator& c) {
      c.poison("broken");
      try {
        c.barrier("later");
        ADD_FAILURE() << "expected a CollectiveError";
      } catch (const CollectiveError& error) {
        EXPECT_EQ(error.kind(), ErrorKind::device);
        EXPECT_NE(std::string(error.what()).find("broken"), std::string::npos);
      }
    });
  }
}

TEST(CollectiveFault, ReadsItsText) {
  EXPECT_FALSE(parse_fault("").has_value());
  const Fault fault = parse_fault("kill@rank:1,call:3,amid:1").value();
  EXPECT_EQ(fault.kind, Fault::Kind::kill);
  EXPECT_EQ(fault.rank, 1);
  EXPECT_EQ(fault.call, 3);
  EXPECT_TRUE(fault.amid_transfer);
  EXPECT_EQ(parse_fault("sleep@delay:250")->delay, std::chrono::milliseconds(250));
  EXPECT_EQ(parse_fault("stop")->shard, -1);
  for (const char* text : {"explode", "kill@", "kill@rank", "kill@rank:x", "kill@rank:-1",
                           "kill@rank:1,", "kill@a:1"}) {
    EXPECT_THROW((void)parse_fault(text), Error) << text;
  }
}

}  // namespace
}  // namespace partita
