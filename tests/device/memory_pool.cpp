// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory of buffers that are gone, on whatever OpenCL device is here, taken for a GPU.
#include <numeric>

#include "backend-opencl/device/opencl_buffer.hpp"
#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

using opencl::MemoryPool;

class DeviceMemoryPool : public GpuClassTest {
 protected:
  static cl_mem memory(const DeviceBufferPtr& buffer) {
    return opencl::opencl_buffer(*buffer).memory();
  }
};

TEST_F(DeviceMemoryPool, gives_the_next_buffer_of_a_size_what_the_last_one_left) {
  DeviceBufferPtr first = device().allocate(1000), second = device().allocate(1000);
  const cl_mem was_first = memory(first), was_second = memory(second);
  EXPECT_NE(was_first, was_second);
  first.reset();
  second.reset();
  EXPECT_EQ(device().allocated_bytes(), 0);
  const DeviceBufferPtr other = device().allocate(5000), third = device().allocate(900),
                        fourth = device().allocate(1024);
  EXPECT_EQ(memory(third), was_second);
  EXPECT_EQ(memory(fourth), was_first);
  EXPECT_NE(memory(other), was_first);
  EXPECT_EQ(device().allocated_bytes(), 5000 + 900 + 1024);
}

TEST_F(DeviceMemoryPool, does_not_get_what_another_queue_uses) {
  const std::vector<int> values{1, 2, 3};
  DeviceBufferPtr buffer = device().allocate(12);
  device().copies()->write(*buffer, 0, std::as_bytes(std::span(values)))->wait();
  ASSERT_EQ(clRetainMemObject(memory(buffer)), CL_SUCCESS);  // or the driver may give it again
  const cl_mem was = memory(buffer);
  buffer.reset();
  EXPECT_NE(memory(device().allocate(12)), was);
  clReleaseMemObject(was);
}

TEST_F(DeviceMemoryPool, is_closed_with_the_device) {
  const DeviceBufferPtr outlives = device().allocate(100);
  devices_.clear();
}

// What is written into memory that was another's comes behind what the other's launches still do.
TEST_F(DeviceMemoryPool, keeps_the_order_of_the_queue) {
  const DeviceProgramPtr program = device().load(
      kernels("__kernel void count(__global int* x, long o) {"
              "  int sum = 0; for (int k = 0; k < 20000; ++k) sum += k % (3 + (int)o);"
              "  x[o + get_global_id(0)] = sum; }",
              {"count"}));
  for (int turn = 0; turn < 20; ++turn) {
    DeviceBufferPtr before = device().allocate(4096 * sizeof(int));
    const BoundBuffer at{.buffer = before.get()};
    device().launch(*program, {.kernel = 0,
                               .buffers = std::span(&at, 1),
                               .scalars = {},
                               .global = {4096, 1, 1},
                               .local = {}});
    before.reset();
    std::vector<int> values(4096);
    std::iota(values.begin(), values.end(), turn);
    const DeviceBufferPtr buffer = upload(values);
    EXPECT_EQ(download<int>(*buffer), values);
  }
}

TEST(MemoryPool, rounds_up_by_an_eighth_at_most) {
  for (std::size_t bytes = 1; bytes < (std::size_t(1) << 40); bytes = bytes * 9 / 8 + 1) {
    const std::size_t rounded = MemoryPool::rounded(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, std::max<std::size_t>(bytes + bytes / 8, bytes + 511));
    EXPECT_EQ(MemoryPool::rounded(rounded), rounded);
  }
}

TEST_F(DeviceMemoryPool, lets_go_of_the_oldest_where_it_is_full) {
  const auto make = [&](std::size_t bytes) {
    const DeviceBufferPtr buffer = device().allocate(bytes);
    opencl::Memory kept;
    EXPECT_EQ(clRetainMemObject(memory(buffer)), CL_SUCCESS);
    kept.reset(memory(buffer));
    opencl::opencl_buffer(*buffer).leave_pool();
    return kept;
  };
  MemoryPool pool(3000);
  opencl::Memory first = make(1024), second = make(1024), third = make(1024);
  const cl_mem was_second = second.get(), was_third = third.get();
  pool.give(std::move(first), 1024);
  pool.give(std::move(second), 1024);
  EXPECT_EQ(pool.held_bytes(), 2048);
  pool.give(std::move(third), 1024);
  EXPECT_EQ(pool.held_bytes(), 2048);
  pool.give(make(4096), 4096);  // more than it may hold
  EXPECT_EQ(pool.held_bytes(), 2048);
  EXPECT_EQ(pool.take(1024).get(), was_third);
  EXPECT_EQ(pool.take(1024).get(), was_second);
  EXPECT_EQ(pool.take(1024).get(), nullptr);
  pool.give(make(512), 512);
  pool.close();
  pool.give(make(512), 512);
  EXPECT_EQ(pool.held_bytes(), 0);
}

}  // namespace
}  // namespace partita::testing
