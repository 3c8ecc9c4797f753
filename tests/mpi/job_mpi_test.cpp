// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Jobs: programs on any devices of several processes, one after another and at the same time.
#include "partita/collective/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "partita/base/env.hpp"
#include "partita/base/error.hpp"
#include "tests/unit/collective_groups.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita {
namespace {

using testing::Bytes;
using testing::concatenated_blocks;
using ::testing::Each;
using ::testing::HasSubstr;
using testing::naive_all_reduce;
using testing::sample_block;
using testing::sample_vector;
using ::testing::StrEq;
using ::testing::ThrowsMessage;
using testing::uneven_sizes;

constexpr int devices_per_process = 2;

/// One job of the process for all tests, as processes have it.
Job& job() {
  static const std::shared_ptr<Job> once = Job::over_mpi(devices_per_process);
  return *once;
}

std::vector<int> all_devices() {
  std::vector<int> all(std::size_t(job().devices()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

bool has_some(const std::vector<int>& devices) {
  return std::ranges::any_of(
      devices, [](int device) { return device / devices_per_process == job().process(); });
}

/// `body` on a thread for each of this process's shards of the devices; the errors' texts.
std::vector<std::string> on_devices(const std::vector<int>& devices,
                                    const std::function<void(Communicator&)>& body) {
  if (!has_some(devices)) return {};
  const std::shared_ptr<Communicators> shards = job().communicators(devices);
  std::vector<std::string> errors(shards->size());
  std::vector<std::thread> threads;
  for (std::size_t s = 0; s < shards->size(); ++s)
    threads.emplace_back([&, s] {
      try {
        body(*(*shards)[s]);
      } catch (const std::exception& error) {
        errors[s] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

void expect_all_calls(Communicator& c) {
  const std::size_t count = 700;
  Bytes sum = sample_vector(DType::i32, c.shard(), count);
  c.all_reduce(sum, DType::i32, Combiner::sum, "sum")->wait();
  EXPECT_EQ(sum, naive_all_reduce(DType::i32, Combiner::sum, c.shards(), count));

  const std::vector<std::size_t> sizes = uneven_sizes(c.shards(), 5);
  const Bytes whole = concatenated_blocks(sizes),
              own = sample_block(c.shard(), sizes[std::size_t(c.shard())]);
  Bytes all(whole.size());
  c.all_gather(own, all, sizes, "gather")->wait();
  EXPECT_EQ(all, whole);
  Bytes at_root(c.shard() == 0 ? whole.size() : 0);
  c.gather_to_root(own, at_root, sizes, "gather to root");
  if (c.shard() == 0) {
    EXPECT_EQ(at_root, whole);
  }
  Bytes from_root = sample_vector(DType::i32, c.shard(), 9);
  c.broadcast(from_root, "broadcast");
  EXPECT_EQ(from_root, sample_vector(DType::i32, 0, 9));
  c.barrier("barrier");
  testing::expect_random_group_calls(c, 30, 2000, 5);
}

TEST(Job, AllCallsOnAllDevices) {
  EXPECT_EQ(job().devices(), job().processes() * devices_per_process);
  EXPECT_THAT(on_devices(all_devices(), expect_all_calls), Each(StrEq("")));
}

TEST(Job, AllCallsOnDevicesInAnyOrder) {
  std::mt19937 random(3);
  for (int k = 0; k < 6; ++k) {
    std::vector<int> devices = all_devices();
    std::ranges::shuffle(devices, random);
    EXPECT_THAT(on_devices(devices, expect_all_calls), Each(StrEq("")));
    devices.resize(1 + random() % devices.size());
    EXPECT_THAT(on_devices(devices, expect_all_calls), Each(StrEq("")));
  }
}

TEST(Job, ShardsAreNumberedAsTheListIs) {
  std::vector<int> devices = all_devices();
  std::ranges::reverse(devices);
  const std::shared_ptr<Communicators> shards = job().communicators(devices);
  EXPECT_EQ(shards, job().communicators(devices));
  EXPECT_NE(shards, job().communicators(all_devices()));
  ASSERT_EQ(shards->size(), std::size_t(devices_per_process));
  for (std::size_t s = 0; s < shards->size(); ++s) {
    EXPECT_EQ((*shards)[s]->shards(), job().devices());
    EXPECT_EQ(devices[std::size_t((*shards)[s]->shard())] / devices_per_process, job().process());
  }
  EXPECT_LT((*shards)[0]->shard(), (*shards)[1]->shard());
}

// Two programs at once, each on one device of every process: their messages go apart.
TEST(Job, ProgramsOnOtherDevicesRunAtTheSameTime) {
  std::vector<std::string> errors[devices_per_process];
  std::vector<std::thread> threads;
  for (int d = 0; d < devices_per_process; ++d)
    threads.emplace_back([&, d] {
      std::vector<int> devices;
      for (int p = 0; p < job().processes(); ++p) devices.push_back(p * devices_per_process + d);
      errors[d] = on_devices(devices, [&](Communicator& c) {
        for (int round = 0; round < 200; ++round) {
          const std::size_t count = round % 20 == 0 ? 30'000 : std::size_t(1 + d);
          Bytes data = sample_vector(DType::i32, c.shard() + 40 * d, count),
                all(data.size() * std::size_t(c.shards()));
          c.all_gather(data, all, std::vector<std::size_t>(std::size_t(c.shards()), data.size()),
                       "gather")
              ->wait();
          for (int s = 0; s < c.shards(); ++s)
            ASSERT_EQ(testing::part_of(all, std::size_t(s) * data.size(), data.size()),
                      sample_vector(DType::i32, s + 40 * d, count));
        }
      });
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::string>& of_program : errors)
    EXPECT_THAT(of_program, Each(StrEq("")));
}

TEST(Job, DevicesThatAreNoneAreRefused) {
  const int devices = job().devices();
  const auto list = [](std::vector<int> numbers) {
    return [numbers] { (void)job().communicators(numbers); };
  };
  EXPECT_THAT(list({0, devices}),
              ThrowsMessage<Error>(HasSubstr(cat("below ", devices, ", found ", devices))));
  EXPECT_THAT(list({0, 0}), ThrowsMessage<Error>(HasSubstr("expected each once")));
  EXPECT_THAT(list({}), ThrowsMessage<Error>(HasSubstr(
                            cat("expected some of process ", job().process(), ", found none"))));
}

/// What a script runs, with ranks that are killed or, where PARTITA_TEST_LEAVES is set, process 0 leaves early: rounds on all devices in
/// another order, until something fails, which ends the process as the command line would.
TEST(JobRounds, Run) {
  const auto own = Job::over_mpi(devices_per_process);
  std::vector<int> devices(std::size_t(own->devices()));
  std::iota(devices.rbegin(), devices.rend(), 0);
  const std::shared_ptr<Communicators> shards = own->communicators(devices);
  const bool leaves = own->process() == 0 && environment("PARTITA_TEST_LEAVES");
  try {
    for (int round = 0; round < (leaves ? 10 : 20); ++round) {
      std::vector<Bytes> data;
      std::vector<RequestPtr> requests;
      for (const auto& c : *shards) {
        data.push_back(sample_vector(DType::i32, c->shard(), 10));
        requests.push_back(
            c->all_reduce(data.back(), DType::i32, Combiner::sum, cat("round ", round)));
      }
      for (const RequestPtr& request : requests) request->wait();
      EXPECT_EQ(data[0], naive_all_reduce(DType::i32, Combiner::sum, int(devices.size()), 10));
    }
  } catch (const std::exception& error) {
    shards->front()->poison(error.what());
    std::fprintf(stderr, "error: rank %d: %s\n", own->process(), error.what());
    abort_mpi_job(3);
    std::exit(3);
  }
}

}  // namespace
}  // namespace partita
