// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Jobs over MPI, and over TCP where PARTITA_TEST_STORE names a folder for the texts that processes share: programs on any devices of
// several processes, one after another and at the same time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "partita/base/env.hpp"
#include "tests/unit/collective_jobs.hpp"

namespace partita {
namespace {

using testing::Bytes;
using testing::naive_all_reduce;
using testing::sample_vector;

constexpr int devices_per_process = 2;

/// Texts as files of a folder.
SharedStore store_in(const std::filesystem::path& folder) {
  const auto path = [folder](std::string key) {
    std::ranges::replace(key, '/', '.');
    return folder / key;
  };
  return {.put =
              [path, folder](const std::string& key, const std::string& text) {
                std::filesystem::create_directories(folder);
                const std::filesystem::path to = path(key), next = to.string() + ".new";
                std::ofstream(next) << text;
                std::filesystem::rename(next, to);
              },
          .get =
              [path](const std::string& key, std::chrono::milliseconds at_most) {
                const auto deadline = std::chrono::steady_clock::now() + at_most;
                while (!std::filesystem::exists(path(key))) {
                  if (std::chrono::steady_clock::now() > deadline)
                    throw_device_error(cat("no ", key));
                  std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                std::ifstream file(path(key));
                return std::string(std::istreambuf_iterator<char>(file), {});
              }};
}

int number_in(const char* variable) {
  return std::atoi(environment(variable).value_or("").c_str());
}

std::shared_ptr<Job> new_job() {
  const auto folder = environment("PARTITA_TEST_STORE");
  if (!folder) return Job::over_mpi(devices_per_process);
  return Job::over_tcp(devices_per_process, number_in("OMPI_COMM_WORLD_RANK"),
                       number_in("OMPI_COMM_WORLD_SIZE"), store_in(*folder));
}

/// One job of the process for all tests, as processes have it.
Job& job() {
  static const std::shared_ptr<Job> once = new_job();
  return *once;
}

TEST(Job, AllCallsOnAllDevices) {
  EXPECT_EQ(job().devices(), job().processes() * devices_per_process);
  testing::on_devices(job(), testing::all_devices(job()), testing::expect_all_calls);
}

TEST(Job, AllCallsOnDevicesInAnyOrder) { testing::expect_calls_on_devices_in_any_order(job()); }

TEST(Job, ShardsAreNumberedAsTheListIs) { testing::expect_shards_numbered_as_the_list_is(job()); }

TEST(Job, ProgramsOnOtherDevicesRunAtTheSameTime) {
  testing::expect_programs_on_other_devices_at_the_same_time(job());
}

TEST(Job, DevicesThatAreNoneAreRefused) { testing::expect_refused_devices(job()); }

/// What a script runs, with ranks that are killed or, where PARTITA_TEST_LEAVES is set, process 0 leaves early: rounds on all devices in
/// another order, until something fails, which ends the process as the command line would.
TEST(JobRounds, Run) {
  const std::shared_ptr<Job> own = new_job();
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
