// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What every process of a job does in the tests of jobs, over MPI and over TCP.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/collective/job.hpp"
#include "tests/unit/collective_groups.hpp"
#include "tests/unit/collective_values.hpp"

namespace partita::testing {

[[nodiscard]] inline std::vector<int> all_devices(const Job& job) {
  std::vector<int> all(std::size_t(job.devices()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// `body` on a thread for each of this process's shards of the devices; what goes wrong fails the test.
inline void on_devices(Job& job, const std::vector<int>& devices,
                       const std::function<void(Communicator&)>& body) {
  const int each = job.devices() / job.processes();
  if (std::ranges::none_of(devices, [&](int d) { return d / each == job.process(); })) return;
  const std::shared_ptr<Communicators> shards = job.communicators(devices);
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
  EXPECT_THAT(errors, ::testing::Each(::testing::StrEq("")));
}

inline void expect_all_calls(Communicator& c) {
  for (const std::size_t count : {700u, 90'000u}) {
    Bytes sum = sample_vector(DType::i32, c.shard(), count);
    c.all_reduce(sum, DType::i32, Combiner::sum, "sum")->wait();
    EXPECT_EQ(sum, naive_all_reduce(DType::i32, Combiner::sum, c.shards(), count));
  }
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
  expect_random_group_calls(c, 30, 2000, 5);
}

inline void expect_calls_on_devices_in_any_order(Job& job) {
  std::mt19937 random(3);
  for (int k = 0; k < 6; ++k) {
    std::vector<int> devices = all_devices(job);
    std::ranges::shuffle(devices, random);
    on_devices(job, devices, expect_all_calls);
    devices.resize(1 + random() % devices.size());
    on_devices(job, devices, expect_all_calls);
  }
}

inline void expect_shards_numbered_as_the_list_is(Job& job) {
  std::vector<int> devices = all_devices(job);
  std::ranges::reverse(devices);
  const int each = job.devices() / job.processes();
  const std::shared_ptr<Communicators> shards = job.communicators(devices);
  EXPECT_EQ(shards, job.communicators(devices));
  EXPECT_NE(shards, job.communicators(all_devices(job)));
  ASSERT_EQ(shards->size(), std::size_t(each));
  for (std::size_t s = 0; s < shards->size(); ++s) {
    EXPECT_EQ((*shards)[s]->shards(), job.devices());
    EXPECT_EQ(devices[std::size_t((*shards)[s]->shard())] / each, job.process());
  }
  EXPECT_LT((*shards)[0]->shard(), (*shards)[1]->shard());
}

/// Programs at once, each on one device of every process: their messages go apart.
inline void expect_programs_on_other_devices_at_the_same_time(Job& job) {
  const int each = job.devices() / job.processes();
  std::vector<std::thread> threads;
  for (int d = 0; d < each; ++d)
    threads.emplace_back([&job, each, d] {
      std::vector<int> devices;
      for (int p = 0; p < job.processes(); ++p) devices.push_back(p * each + d);
      on_devices(job, devices, [d](Communicator& c) {
        const std::vector<std::size_t> one(std::size_t(c.shards()), 1);
        for (int round = 0; round < 200; ++round) {
          const std::size_t count = round % 20 == 0 ? 30'000 : std::size_t(1 + d);
          const Bytes data = sample_vector(DType::i32, c.shard() + 40 * d, count);
          Bytes all(data.size() * one.size());
          c.all_gather(data, all, std::vector<std::size_t>(one.size(), data.size()), "gather")
              ->wait();
          for (std::size_t s = 0; s < one.size(); ++s)
            ASSERT_EQ(part_of(all, s * data.size(), data.size()),
                      sample_vector(DType::i32, int(s) + 40 * d, count));
        }
      });
    });
  for (std::thread& thread : threads) thread.join();
}

inline void expect_refused_devices(Job& job) {
  using ::testing::HasSubstr;
  using ::testing::ThrowsMessage;
  const int devices = job.devices();
  const auto list = [&job](std::vector<int> numbers) {
    return [&job, numbers] { (void)job.communicators(numbers); };
  };
  EXPECT_THAT(list({0, devices}),
              ThrowsMessage<Error>(HasSubstr(cat("below ", devices, ", found ", devices))));
  EXPECT_THAT(list({0, 0}), ThrowsMessage<Error>(HasSubstr("expected each once")));
  EXPECT_THAT(list({}), ThrowsMessage<Error>(HasSubstr(
                            cat("expected some of process ", job.process(), ", found none"))));
}

}  // namespace partita::testing
