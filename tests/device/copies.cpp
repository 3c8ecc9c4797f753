// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Copies beside a device's work, on whatever OpenCL device is here, taken for a GPU.
#include <numeric>

#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

class DeviceCopies : public GpuClassTest {
 protected:
  CopyStream& copies() { return *device().copies(); }

  /// Launches that take a while and leave 1 + 2 + … in every element.
  void keep_busy(DeviceBuffer& buffer, std::int64_t count) {
    if (!program_)
      program_ =
          device().load(kernels("__kernel void add(__global int* x, long x0, long by) {"
                                "  for (int k = 0; k < 1000; ++k)"
                                "    x[x0 + get_global_id(0)] += k == 999 ? by : 0; }",
                                {"add"}));
    const BoundBuffer at{.buffer = &buffer};
    for (std::int64_t k = 1; k <= launches; ++k) {
      const LaunchArgs::Scalar by{DType::i64, k};
      device().launch(*program_, {.kernel = 0,
                                  .buffers = std::span(&at, 1),
                                  .scalars = std::span(&by, 1),
                                  .global = {count, 1, 1},
                                  .local = {}});
    }
  }

  static constexpr int launches = 20, total = launches * (launches + 1) / 2;
  DeviceProgramPtr program_;
};

TEST_F(DeviceCopies, cpus_have_none) {
  const auto devices = open_devices({});
  if (!devices.front()->profile().is_cpu) GTEST_SKIP() << "the device is no CPU";
  EXPECT_EQ(devices.front()->copies(), nullptr);
  EXPECT_EQ(devices.front()->iterations_ahead(), 0);
  EXPECT_EQ(devices.front()->mark(), nullptr);
}

TEST_F(DeviceCopies, move_more_than_they_have_pinned_memory_for) {
  std::vector<int> values(9'000'001), found(values.size() - 7);
  std::iota(values.begin(), values.end(), 0);
  const auto buffer = device().allocate(values.size() * sizeof(int) + 4);
  std::vector<int> given = values;
  const DeviceEventPtr there = copies().write(*buffer, 4, std::as_bytes(std::span(given)));
  given.assign(given.size(), -1);
  there->wait();
  copies().read(*buffer, 4 + 7 * sizeof(int), std::as_writable_bytes(std::span(found)));
  EXPECT_TRUE(std::equal(found.begin(), found.end(), values.begin() + 7));
}

TEST_F(DeviceCopies, empty_ones_do_nothing) {
  const auto buffer = upload(std::vector<int>{7});
  EXPECT_EQ(copies().write(*buffer, 4, {}), nullptr);
  EXPECT_EQ(copies().start_read(*buffer, 0, {}), nullptr);
  copies().read(*buffer, 4, {});
  copies().wait_for({});
  device().wait_for({});
  EXPECT_EQ(download<int>(*buffer), std::vector<int>{7});
}

TEST_F(DeviceCopies, read_what_work_before_a_mark_has_made) {
  const auto buffer = upload(std::vector<int>(1000, 0));
  keep_busy(*buffer, 1000);
  const DeviceEventPtr made = device().mark();
  const HostMemoryPtr memory = device().host_memory(4000);
  copies().wait_for(made);
  copies().start_read(*buffer, 0, memory->bytes())->wait();
  const auto* const found = reinterpret_cast<const int*>(memory->bytes().data());
  EXPECT_EQ(std::vector<int>(found, found + 1000), std::vector<int>(1000, total));
}

TEST_F(DeviceCopies, bring_what_work_after_them_reads) {
  const auto buffer = upload(std::vector<int>(1000, 0)), other = upload(std::vector<int>(1000, 0));
  for (int round = 0; round < 20; ++round) {
    keep_busy(*other, 1000);
    const std::vector<int> values(1000, round);
    copies().wait_for(device().mark());
    device().wait_for(copies().write(*buffer, 0, std::as_bytes(std::span(values))));
    keep_busy(*buffer, 1000);
  }
  EXPECT_EQ(download<int>(*buffer), std::vector<int>(1000, 19 + total));
}

TEST_F(DeviceCopies, in_the_stream_of_work_see_what_was_there_then) {
  const auto buffer = upload(std::vector<int>(10, 0));
  const HostMemoryPtr memory = device().host_memory(80), more = device().host_memory(40);
  keep_busy(*buffer, 10);
  const DeviceEventPtr first = device().start_read(*buffer, 0, memory->bytes().first(40));
  keep_busy(*buffer, 10);
  const DeviceEventPtr second = device().start_read(*buffer, 0, memory->bytes().subspan(40, 40));
  std::ranges::fill(more->bytes(), std::byte(1));
  const DeviceEventPtr third = device().start_write(*buffer, 0, more->bytes().first(40));
  second->wait();
  const auto* const found = reinterpret_cast<const int*>(memory->bytes().data());
  EXPECT_EQ(found[0], total);
  EXPECT_EQ(found[19], 2 * total);
  third->wait();
  EXPECT_EQ(download<int>(*buffer), std::vector<int>(10, 0x01010101));
  first->wait();
}

TEST_F(DeviceCopies, memory_of_the_host_is_not_the_devices) {
  const std::int64_t before = device().allocated_bytes();
  const HostMemoryPtr memory = device().host_memory(1000);
  EXPECT_GE(memory->bytes().size(), 1000u);
  EXPECT_EQ(device().allocated_bytes(), before);
}

TEST_F(DeviceCopies, a_range_outside_the_buffer_is_our_bug) {
  const auto buffer = device().allocate(8);
  std::vector<std::byte> bytes(8);
  error_text(ErrorKind::internal, [&] { (void)copies().write(*buffer, 1, bytes); });
  error_text(ErrorKind::internal, [&] { copies().read(*buffer, 9, bytes); });
  error_text(ErrorKind::internal, [&] { (void)device().start_read(*buffer, 4, bytes); });
  error_text(ErrorKind::internal, [&] { (void)device().start_write(*buffer, 4, bytes); });
}

}  // namespace
}  // namespace partita::testing
