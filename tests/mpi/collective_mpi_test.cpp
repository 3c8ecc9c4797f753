// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Communicators over MPI, for any number of ranks (mpirun -n R test_mpi) and one or two shards per
// rank.  The suite CollectiveMpiRounds is also what the scripts collective_*.sh run while they kill,
// stop or fail a rank.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include "partita/base/env.hpp"
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

/// Runs `body` on one thread per shard of this rank; returns the errors' texts.
std::vector<std::string> on_shards(const CommunicatorOptions& options,
                                   const std::function<void(Communicator&)>& body) {
  auto communicators = make_mpi_communicators(options);
  std::vector<std::string> errors(communicators.size());
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < communicators.size(); ++s) {
    threads.emplace_back([&, s] {
      try {
        body(*communicators[s]);
      } catch (const std::exception& error) {
        errors[s] = error.what();
        communicators[s]->poison(error.what());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return errors;
}

void expect_no_errors(const std::vector<std::string>& errors) {
  for (const auto& error : errors) EXPECT_EQ(error, "");
}

/// Shards per rank, bytes of a chunk, bytes of a message: the last two small, so that every length
/// is cut into many.
struct Setting {
  int shards_per_rank;
  std::size_t chunk_bytes, max_message_bytes;
  [[nodiscard]] CommunicatorOptions options() const {
    CommunicatorOptions options;
    options.shards_per_rank = shards_per_rank;
    options.chunk_bytes = chunk_bytes;
    options.max_message_bytes = max_message_bytes;
    return options;
  }
};

class CollectiveMpi : public ::testing::TestWithParam<Setting> {};

INSTANTIATE_TEST_SUITE_P(Settings, CollectiveMpi,
                         ::testing::Values(Setting{1, std::size_t(4) << 20, std::size_t(1) << 30},
                                           Setting{2, std::size_t(4) << 20, std::size_t(1) << 30},
                                           Setting{1, 10'000, 700}, Setting{2, 1'000, 64}),
                         [](const auto& setting) {
                           return "shards" + std::to_string(setting.param.shards_per_rank) +
                                  "chunk" + std::to_string(setting.param.chunk_bytes);
                         });

TEST_P(CollectiveMpi, AllReduceMatchesTheNaiveLoop) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    EXPECT_EQ(c.shards(), c.ranks() * GetParam().shards_per_rank);
    EXPECT_EQ(c.shard() / GetParam().shards_per_rank, c.rank());
    for (DType dtype : all_dtypes) {
      for (Combiner combiner : collective_combiners) {
        if (!is_combinable(dtype, combiner)) continue;
        for (std::size_t count : {3u, 5000u}) {
          Bytes data = sample_vector(dtype, c.shard(), count);
          c.all_reduce(data, dtype, combiner, "sum")->wait();
          EXPECT_EQ(data, naive_all_reduce(dtype, combiner, c.shards(), count))
              << to_string(dtype) << ' ' << to_string(combiner) << ' ' << count;
        }
      }
    }
  }));
}

TEST_P(CollectiveMpi, LengthsFromNothingToMegabytes) {
  const bool tiny_messages = GetParam().max_message_bytes < 1000;
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    for (std::size_t count : {0u, 1u, 2u, 300u, 10'000u, 1'000'000u}) {
      if (tiny_messages && count > 1000) continue;
      Bytes data = sample_vector(DType::i32, c.shard(), count);
      c.all_reduce(data, DType::i32, Combiner::sum, "sum")->wait();
      EXPECT_EQ(data, naive_all_reduce(DType::i32, Combiner::sum, c.shards(), count)) << count;
    }
  }));
}

TEST_P(CollectiveMpi, SumsAreTheSameBitsEverywhere) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    for (std::size_t count : {100u, 40'000u}) {
      Bytes data = rough_floats(c.shard(), count);
      c.all_reduce(data, DType::f32, Combiner::sum, "sum")->wait();
      Bytes of_root = data;
      c.broadcast(of_root, "compare");
      EXPECT_EQ(data, of_root);
    }
  }));
}

TEST_P(CollectiveMpi, GroupsMeetApartFromOthers) {
  const bool has_tiny_messages = GetParam().max_message_bytes < 1000;
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    testing::expect_random_group_calls(c, 60, 40, 1);
    testing::expect_random_group_calls(c, 8, has_tiny_messages ? 900 : 60'000, 2);
  }));
}

TEST_P(CollectiveMpi, MembersOfAGroupHoldTheSameBits) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    std::mt19937 random(11);
    for (const std::size_t count : {100u, 40'000u})
      testing::expect_same_bits_in_groups(c, testing::random_groups(c.shards(), random), count);
  }));
}

TEST_P(CollectiveMpi, NanAndInfinityPropagate) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    for (Combiner combiner : {Combiner::sum, Combiner::max, Combiner::min}) {
      for (int from = 0; from < c.shards(); ++from) {
        std::vector<double> data(20'000, double(c.shard()));
        if (c.shard() == from) data[7] = nan, data[19'999] = -inf;
        c.all_reduce(std::as_writable_bytes(std::span(data)), DType::f64, combiner, "special")
            ->wait();
        EXPECT_TRUE(std::isnan(data[7]));
        if (combiner != Combiner::max || c.shards() == 1) {
          EXPECT_EQ(data[19'999], -inf);
        }
        EXPECT_TRUE(std::isfinite(data[8]));
      }
    }
  }));
}

TEST_P(CollectiveMpi, GathersBroadcastAndBarrier) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    for (std::size_t scale : {0u, 1u, 20'000u}) {
      if (scale > 1 && GetParam().max_message_bytes < 1000) continue;
      const auto sizes = uneven_sizes(c.shards(), std::max<std::size_t>(scale, 1));
      std::vector<std::size_t> used = sizes;
      if (scale == 0) std::fill(used.begin(), used.end(), 0);
      const Bytes expected = concatenated_blocks(used);
      const Bytes block = sample_block(c.shard(), used[std::size_t(c.shard())]);
      Bytes everywhere(expected.size()), at_root(c.shard() == 0 ? expected.size() : 0);
      c.all_gather(block, everywhere, used, "gather")->wait();
      EXPECT_EQ(everywhere, expected) << scale;
      c.gather_to_root(block, at_root, used, "output");
      EXPECT_EQ(at_root, c.shard() == 0 ? expected : Bytes()) << scale;
      Bytes told = c.shard() == 0 ? expected : Bytes(expected.size());
      c.broadcast(told, "tell");
      EXPECT_EQ(told, expected) << scale;
      c.barrier("all");
    }
  }));
}

TEST_P(CollectiveMpi, CallsUnderWayOverlapWithComputing) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    const std::size_t count = GetParam().max_message_bytes < 1000 ? 1000 : 200'000;
    std::vector<Bytes> data;
    std::vector<RequestPtr> requests;
    for (int i = 0; i < 6; ++i) {
      data.push_back(sample_vector(DType::f32, c.shard(), i % 2 == 0 ? count : 5));
    }
    for (auto& d : data)
      requests.push_back(c.all_reduce(d, DType::f32, Combiner::sum, "overlapped"));
    std::this_thread::sleep_for(std::chrono::milliseconds(c.shard() % 3 * 10));
    for (auto request = requests.rbegin(); request != requests.rend(); ++request)
      (*request)->wait();
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(data[std::size_t(i)],
                naive_all_reduce(DType::f32, Combiner::sum, c.shards(), i % 2 == 0 ? count : 5));
    }
  }));
}

TEST_P(CollectiveMpi, SeveralGroupsLiveSideBySide) {
  auto first = make_mpi_communicators(GetParam().options());
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    for (Communicator* used :
         {first[std::size_t(c.shard() % GetParam().shards_per_rank)].get(), &c}) {
      Bytes data = sample_vector(DType::i64, used->shard(), 50);
      used->all_reduce(data, DType::i64, Combiner::max, "max")->wait();
      EXPECT_EQ(data, naive_all_reduce(DType::i64, Combiner::max, used->shards(), 50));
    }
  }));
}

TEST_P(CollectiveMpi, ComparisonNamesTheRanksThatDiffer) {
  expect_no_errors(on_shards(GetParam().options(), [&](Communicator& c) {
    EXPECT_NO_THROW(compare_across_shards(c, "artifact", "abc"));
    EXPECT_NO_THROW(compare_across_shards(c, "artifact", ""));
    if (c.ranks() == 1) return;
    try {
      compare_across_shards(c, "artifact hash", c.rank() == 1 ? std::string(200, 'x') : "abc");
      ADD_FAILURE() << "expected a user error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::user);
      EXPECT_EQ(std::string(error.what()),
                "artifact hash: expected the same on every rank, found 'abc' on rank 0 and '" +
                    std::string(80, 'x') + "…' on rank 1");
    }
    c.barrier("still usable");
    EXPECT_EQ(c.counters().calls, 0);
  }));
}

TEST(CollectiveMpiOptions, DifferentOptionsAreAUserErrorOnEveryRank) {
  const int ranks = make_mpi_communicators({}).front()->ranks();
  if (ranks == 1) return;
  CommunicatorOptions options;
  options.timeout = std::chrono::milliseconds(local_rank().index == 0 ? 1000 : 2000);
  try {
    (void)make_mpi_communicators(options);
    ADD_FAILURE() << "expected a user error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    EXPECT_NE(std::string(error.what()).find("expected the same on every rank"), std::string::npos);
  }
}

TEST(CollectiveMpiLiveness, ARankThatComputesLongerThanTheTimeoutIsNotDead) {
  CommunicatorOptions options;
  options.timeout = std::chrono::milliseconds(800);
  expect_no_errors(on_shards(options, [&](Communicator& c) {
    if (c.rank() == 1) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    float x = 1;
    c.all_reduce(std::as_writable_bytes(std::span(&x, 1)), DType::f32, Combiner::sum, "slow")
        ->wait();
    EXPECT_EQ(x, float(c.shards()));
  }));
}

/// MPI as a host program would have it: initialised with the thread level of PARTITA_TEST_MPI_LEVEL
/// (an int of mpi.h) where that is set, and finalised in the end.
class HostMpi {
 public:
  HostMpi() {
    const auto level = environment("PARTITA_TEST_MPI_LEVEL");
    if (!level) return;
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, std::atoi(level->c_str()), &provided);
    EXPECT_EQ(provided, std::atoi(level->c_str()));
    is_host_ = true;
  }
  HostMpi(const HostMpi&) = delete;
  HostMpi& operator=(const HostMpi&) = delete;
  ~HostMpi() {
    if (is_host_) MPI_Finalize();
  }
  /// Whether only the thread that initialised MPI may call it.
  [[nodiscard]] static bool is_bound_to_thread() {
    int level = MPI_THREAD_MULTIPLE;
    MPI_Query_thread(&level);
    return level < MPI_THREAD_SERIALIZED;
  }

 private:
  bool is_host_ = false;
};

/// So that a script can send signals to this very process: its id, in a file named after the rank.
void write_process_id() {
  const auto folder = environment("PARTITA_TEST_PIDS");
  if (!folder) return;
  const std::string path = cat(*folder, "/", environment("OMPI_COMM_WORLD_RANK").value_or("0"));
  std::ofstream(path + ".new") << ::getpid() << '\n';
  std::rename((path + ".new").c_str(), path.c_str());
}

void run_rounds(Communicator& c, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = round % 2 == 0 ? 10 : 500'000;
    Bytes data = sample_vector(DType::f32, c.shard(), count);
    c.all_reduce(data, DType::f32, Combiner::sum, cat("round ", round))->wait();
    if (round < 4) {
      EXPECT_EQ(data, naive_all_reduce(DType::f32, Combiner::sum, c.shards(), count));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Rounds of short and long sums until something fails.  What fails ends the process as the command
/// line would: one line, then the whole job.
TEST(CollectiveMpiRounds, Run) {
  const HostMpi host;
  write_process_id();
  CommunicatorOptions options;
  options.shards_per_rank = std::atoi(environment("PARTITA_TEST_SHARDS").value_or("1").c_str());
  options.timeout = std::chrono::milliseconds(
      std::atoi(environment("PARTITA_TEST_TIMEOUT").value_or("60000").c_str()));
  const int rounds = std::atoi(environment("PARTITA_TEST_ROUNDS").value_or("6").c_str());
  std::vector<std::string> errors;
  const bool one_thread = environment("PARTITA_TEST_MPI_LEVEL") && HostMpi::is_bound_to_thread();
  if (one_thread) {
    const auto communicators = make_mpi_communicators(options);
    try {
      run_rounds(*communicators[0], rounds);
    } catch (const std::exception& error) {
      errors.push_back(error.what());
    }
  } else {
    errors = on_shards(options, [&](Communicator& c) { run_rounds(c, rounds); });
  }
  for (const auto& error : errors) {
    if (error.empty()) continue;
    std::fprintf(stderr, "error: rank %d: %s\n", local_rank().index, error.c_str());
    abort_mpi_job(3);
    std::exit(3);
  }
}

}  // namespace
}  // namespace partita
