// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Which devices a rank gets, and their profiles.
#include <chrono>
#include <thread>

#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

class DeviceOpening : public DeviceTest {};

TEST_F(DeviceOpening, gives_a_profile_with_the_facts_the_compiler_asks_for) {
  const DeviceProfile& profile = device().profile();
  EXPECT_EQ(profile.backend, "opencl");
  EXPECT_FALSE(profile.name.empty());
  EXPECT_FALSE(profile.driver.empty());
  EXPECT_FALSE(profile.platform.empty());
  EXPECT_GE(profile.compute_units, 1);
  EXPECT_GE(profile.max_work_group, 1);
  EXPECT_GT(profile.local_bytes, 0);
  EXPECT_GT(profile.max_allocation_bytes, 0);
  EXPECT_GE(profile.global_bytes, profile.max_allocation_bytes);
  const auto listed = list_devices();
  EXPECT_TRUE(std::ranges::any_of(listed, [&](const auto& p) { return p.name == profile.name; }));
}

TEST_F(DeviceOpening, splits_a_cpu_by_core_among_local_ranks_and_their_shards) {
  const DeviceProfile whole = device().profile();
  if (!whole.is_cpu) GTEST_SKIP() << "the device is not a CPU";
  if (whole.compute_units < 2) GTEST_SKIP() << "the device has one core";
  int units = 0;
  for (int rank = 0; rank < 2; ++rank) {
    const auto devices = open_devices({.local_rank = rank, .local_ranks = 2});
    ASSERT_EQ(devices.size(), 1u);
    units += devices[0]->profile().compute_units;
  }
  EXPECT_EQ(units, whole.compute_units);
  const auto both = open_devices({.devices_per_rank = 2});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0]->profile().compute_units + both[1]->profile().compute_units,
            whole.compute_units);
}

TEST_F(DeviceOpening, shares_a_cpu_where_it_has_fewer_cores_than_shards) {
  const DeviceProfile whole = device().profile();
  if (!whole.is_cpu) GTEST_SKIP() << "the device is not a CPU";
  const int shards = whole.compute_units + 1;
  const auto devices = open_devices({.devices_per_rank = shards});
  ASSERT_EQ(int(devices.size()), shards);
  for (const auto& d : devices) EXPECT_EQ(d->profile().compute_units, whole.compute_units);
}

TEST_F(DeviceOpening, takes_a_core_each_where_there_are_partitions_for_all_cores_of_a_cpu) {
  const DeviceProfile whole = device().profile();
  const int cores = whole.is_cpu ? whole.compute_units : 1;
  Artifact artifact;
  artifact.target = "opencl";
  EXPECT_EQ(default_devices(artifact, 1), 1);
  artifact.plan.placements.push_back(
      {.name = "clients", .size = cores, .begin_variable = 0, .end_variable = 1});
  EXPECT_EQ(default_devices(artifact, 1), cores);
  EXPECT_EQ(default_devices(artifact, cores), 1);
  EXPECT_EQ(default_devices(artifact, cores + 1), 1);
  artifact.plan.placements[0].begin_variable = -1;
  EXPECT_EQ(default_devices(artifact, 1), 1);
  artifact.plan.placements[0] = {
      .name = "clients", .size = cores - 1, .begin_variable = 0, .end_variable = 1};
  EXPECT_EQ(default_devices(artifact, 1), 1);
}

TEST_F(DeviceOpening, sub_devices_compute) {
  auto devices = open_devices({.devices_per_rank = 2});
  for (const auto& d : devices) {
    const auto program =
        d->load(kernels("__kernel void f(__global int* b, long o) { b[o + get_global_id(0)] = 3 * "
                        "get_global_id(0); }",
                        {"f"}));
    const auto buffer = d->allocate(1000 * sizeof(int));
    const std::vector<BoundBuffer> bound{{buffer.get(), 0}};
    d->launch(*program,
              {.kernel = 0, .buffers = bound, .scalars = {}, .global = {1000, 1, 1}, .local = {}});
    std::vector<int> out(1000);
    d->read(*buffer, 0, std::as_writable_bytes(std::span(out)));
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(out[std::size_t(i)], 3 * i);
  }
}

TEST_F(DeviceOpening, works_on_a_queue_that_the_host_lends_and_gives_it_back) {
  const HostQueue host;
  const auto references = [&] {
    cl_uint count = 0;
    EXPECT_EQ(
        clGetCommandQueueInfo(host.queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr),
        CL_SUCCESS);
    return count;
  };
  const cl_uint before = references();
  {
    const auto devices = open_devices({.host_queues = {host.queue}});
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_FALSE(devices[0]->profile().name.empty());
    const auto buffer = devices[0]->allocate(4);
    const std::vector<std::byte> in{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
    devices[0]->write(*buffer, 0, in);
    std::vector<std::byte> out(4);
    devices[0]->read(*buffer, 0, out);
    EXPECT_EQ(out, in);
    EXPECT_GT(references(), before);
  }
  // A driver's own thread may hold the queue a little longer than the command that has ended.
  for (int turn = 0; turn < 1000 && references() != before; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(references(), before);
}

TEST_F(DeviceOpening, refuses_queues_of_the_host_that_do_not_fit) {
  const HostQueue out_of_order(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  error_text(ErrorKind::user, [&] { (void)open_devices({.host_queues = {out_of_order.queue}}); });
  const HostQueue host;
  error_text(ErrorKind::user,
             [&] { (void)open_devices({.devices_per_rank = 2, .host_queues = {host.queue}}); });
}

TEST_F(DeviceOpening, refuses_an_unknown_backend_and_no_devices) {
  const std::string text =
      error_text(ErrorKind::user, [] { (void)open_devices({.backend = "abacus"}); });
  EXPECT_EQ(text, "target 'abacus' is not built in (built in: opencl, cpu)");
  error_text(ErrorKind::user, [] { (void)open_devices({.devices_per_rank = 0}); });
}

TEST_F(DeviceOpening, takes_the_device_the_environment_names) {
  const std::string name = device().profile().name;
  ::setenv("PARTITA_OPENCL_DEVICE", name.c_str(), 1);
  EXPECT_EQ(open_devices({})[0]->profile().name, name);
  ::setenv("PARTITA_OPENCL_DEVICE", "no such device", 1);
  const std::string text = error_text(ErrorKind::device, [] { (void)open_devices({}); });
  ::unsetenv("PARTITA_OPENCL_DEVICE");
  EXPECT_NE(text.find("PARTITA_OPENCL_DEVICE='no such device'"), std::string::npos) << text;
  EXPECT_NE(text.find(name), std::string::npos) << text;
}

}  // namespace
}  // namespace partita::testing
