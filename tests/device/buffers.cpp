// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory of a device: contents, ranges, accounting, exhaustion.
#include <numeric>

#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

class DeviceBuffers : public DeviceTest {};

TEST_F(DeviceBuffers, hold_what_was_written_at_an_offset) {
  const auto buffer = upload(std::vector<int>{1, 2, 3, 4, 5});
  const std::vector<int> patch{30, 40};
  device().write(*buffer, 2 * sizeof(int), std::as_bytes(std::span(patch)));
  EXPECT_EQ(download<int>(*buffer), (std::vector<int>{1, 2, 30, 40, 5}));
  std::vector<int> part(2);
  device().read(*buffer, 3 * sizeof(int), std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, (std::vector<int>{40, 5}));
}

TEST_F(DeviceBuffers, copy_moves_a_range_between_buffers_and_within_one) {
  const auto from = upload(std::vector<int>{1, 2, 3, 4});
  const auto to = upload(std::vector<int>{0, 0, 0, 0});
  device().copy(*from, 4, *to, 8, 8);
  EXPECT_EQ(download<int>(*to), (std::vector<int>{0, 0, 2, 3}));
  device().copy(*from, 0, *from, 8, 8);
  EXPECT_EQ(download<int>(*from), (std::vector<int>{1, 2, 1, 2}));
  device().copy(*from, 4, *from, 4, 8);
  EXPECT_EQ(download<int>(*from), (std::vector<int>{1, 2, 1, 2}));
}

TEST_F(DeviceBuffers, empty_transfers_do_nothing) {
  const auto buffer = upload(std::vector<int>{7});
  device().write(*buffer, 4, {});
  device().read(*buffer, 4, {});
  device().copy(*buffer, 0, *buffer, 4, 0);
  EXPECT_EQ(download<int>(*buffer), std::vector<int>{7});
}

TEST_F(DeviceBuffers, zero_bytes_are_allocated_as_one) {
  EXPECT_EQ(device().allocate(0)->bytes(), 1u);
}

TEST_F(DeviceBuffers, are_counted_until_their_last_owner_goes) {
  EXPECT_EQ(device().allocated_bytes(), 0);
  auto a = device().allocate(1000);
  auto b = device().allocate(500);
  EXPECT_EQ(device().allocated_bytes(), 1500);
  const auto also_a = a;
  a.reset();
  EXPECT_EQ(device().allocated_bytes(), 1500);
  b.reset();
  EXPECT_EQ(device().allocated_bytes(), 1000);
  EXPECT_EQ(device().peak_allocated_bytes(), 1500);
}

TEST_F(DeviceBuffers, may_outlive_the_device) {
  const auto buffer = device().allocate(64);
  devices_.clear();
  EXPECT_EQ(buffer->bytes(), 64u);
}

TEST_F(DeviceBuffers, out_of_memory_names_the_size_and_the_limit) {
  const auto too_much = std::size_t(device().profile().max_allocation_bytes) + 1;
  const std::string text =
      error_text(ErrorKind::device, [&] { (void)device().allocate(too_much); });
  EXPECT_NE(text.find("out of device memory"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(too_much) + " bytes"), std::string::npos) << text;
  EXPECT_EQ(device().allocated_bytes(), 0);
}

TEST_F(DeviceBuffers, a_range_outside_the_buffer_is_our_bug) {
  const auto buffer = device().allocate(8);
  std::vector<std::byte> bytes(8);
  error_text(ErrorKind::internal, [&] { device().write(*buffer, 1, bytes); });
  error_text(ErrorKind::internal, [&] { device().read(*buffer, 9, bytes); });
  error_text(ErrorKind::internal, [&] { device().copy(*buffer, 4, *buffer, 0, 8); });
}

}  // namespace
}  // namespace partita::testing
