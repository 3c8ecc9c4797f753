// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Jobs over TCP, with threads in the place of processes.
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>

#include "runtime/tcp/sockets.hpp"
#include "tests/unit/collective_jobs.hpp"

namespace partita {
namespace {

using testing::Bytes;
using ::testing::HasSubstr;
using testing::sample_vector;
using ::testing::ThrowsMessage;

/// Texts that threads share.
class Texts {
 public:
  SharedStore store() {
    return {.put =
                [this](const std::string& key, const std::string& text) {
                  const std::lock_guard lock(mutex_);
                  texts_[key] = text;
                  changed_.notify_all();
                },
            .get =
                [this](const std::string& key, std::chrono::milliseconds at_most) {
                  std::unique_lock lock(mutex_);
                  if (!changed_.wait_for(lock, at_most, [&] { return texts_.contains(key); }))
                    throw_device_error(cat("no ", key));
                  return texts_[key];
                }};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> texts_;
};

constexpr int devices_each = 2;

/// `body` in so many processes of one job.
void in_processes(int processes, const std::function<void(Job&)>& body) {
  Texts texts;
  std::vector<std::thread> threads;
  for (int p = 0; p < processes; ++p)
    threads.emplace_back([&, p] {
      const std::shared_ptr<Job> job = Job::over_tcp(devices_each, p, processes, texts.store());
      EXPECT_EQ(job->process(), p);
      EXPECT_EQ(job->processes(), processes);
      body(*job);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(TcpJob, AllCallsOnAllDevices) {
  for (const int processes : {1, 2, 3})
    in_processes(processes, [](Job& job) {
      testing::on_devices(job, testing::all_devices(job), testing::expect_all_calls);
    });
}

TEST(TcpJob, AllCallsOnDevicesInAnyOrder) {
  for (const int processes : {2, 3})
    in_processes(processes, testing::expect_calls_on_devices_in_any_order);
}

TEST(TcpJob, ShardsAreNumberedAsTheListIs) {
  in_processes(2, testing::expect_shards_numbered_as_the_list_is);
}

TEST(TcpJob, ProgramsOnOtherDevicesRunAtTheSameTime) {
  in_processes(3, testing::expect_programs_on_other_devices_at_the_same_time);
}

TEST(TcpJob, DevicesThatAreNoneAreRefused) { in_processes(2, testing::expect_refused_devices); }

TEST(TcpJob, LongMessagesGoBothWaysAtOnce) {
  in_processes(2, [](Job& job) {
    testing::on_devices(job, {0, 2}, [](Communicator& c) {
      Bytes data = sample_vector(DType::i32, c.shard(), 3'000'000);
      c.all_reduce(data, DType::i32, Combiner::sum, "sum")->wait();
      EXPECT_EQ(data, testing::naive_all_reduce(DType::i32, Combiner::sum, 2, 3'000'000));
    });
  });
}

TEST(TcpJob, RanksThatMakeOtherCallsAreNoticed) {
  in_processes(2, [](Job& job) {
    const auto shards = job.communicators(std::vector<int>{0, 2});
    Bytes data(job.process() == 0 ? 8 : 16);
    EXPECT_THAT(
        [&] { shards->front()->all_reduce(data, DType::i32, Combiner::sum, "sum")->wait(); },
        ThrowsMessage<CollectiveError>(HasSubstr("the ranks do not make the same calls")));
  });
}

TEST(TcpJob, AFailureReachesTheOthersWithItsText) {
  in_processes(3, [](Job& job) {
    const auto shards = job.communicators(std::vector<int>{4, 0, 2});
    Bytes data(8);
    if (job.process() == 1) return shards->front()->poison("no more memory");
    EXPECT_THAT(
        [&] { shards->front()->all_reduce(data, DType::i32, Combiner::sum, "sum")->wait(); },
        ThrowsMessage<CollectiveError>(HasSubstr("no more memory")));
  });
}

TEST(TcpJob, WhoLeavesEarlyIsNoticed) {
  in_processes(2, [](Job& job) {
    if (job.process() == 1) return;
    const auto shards = job.communicators(std::vector<int>{2, 0});
    Bytes data(8);
    EXPECT_THAT(
        [&] { shards->front()->all_reduce(data, DType::i32, Combiner::sum, "sum")->wait(); },
        ThrowsMessage<CollectiveError>(HasSubstr("waited for rank 1, which left the job")));
  });
}

TEST(TcpJob, ProcessesWithOtherNumbersOfDevicesAreRefused) {
  Texts texts;
  std::vector<std::thread> threads;
  for (int p = 0; p < 2; ++p)
    threads.emplace_back([&, p] {
      EXPECT_THAT([&] { (void)Job::over_tcp(1 + p, p, 2, texts.store()); },
                  ThrowsMessage<Error>(HasSubstr("expected as many of every process")));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT([&] { (void)Job::over_tcp(1, 2, 2, texts.store()); },
              ThrowsMessage<Error>(HasSubstr("expected one of 2, found 2")));
}

// Who knows the port and not the word: one who says nothing, one who says something else, one who goes away.
TEST(TcpJob, ConnectionsOfOthersAreNotTaken) {
  Texts texts;
  std::vector<collective::FileDescriptor> strangers;
  SharedStore store = texts.store();
  store.get = [&strangers, get = store.get](const std::string& key,
                                            std::chrono::milliseconds at_most) {
    const std::string record = get(key, at_most);
    std::istringstream words(record);
    int port = 0;
    std::string word;
    words >> word >> word >> word >> port;
    const Bytes noise(100, std::byte{7});
    for (int k = 0; k < 3; ++k) {
      auto socket = collective::connect_to("localhost", port, std::chrono::seconds(5));
      EXPECT_TRUE(socket);
      if (k == 1) {
        EXPECT_TRUE(collective::send_all(socket.get(), noise, std::chrono::seconds(5)));
      }
      if (k < 2) strangers.push_back(std::move(socket));
    }
    return record;
  };
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int p = 0; p < 2; ++p)
    threads.emplace_back([&, p] {
      const auto job = Job::over_tcp(1, p, 2, p == 1 ? store : texts.store());
      testing::on_devices(*job, {0, 1}, testing::expect_all_calls);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

}  // namespace
}  // namespace partita
