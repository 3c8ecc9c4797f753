// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels: arguments, sizes, work-groups, floating-point rules, errors.
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/device/device_test.hpp"

namespace partita::testing {
namespace {

// Every kernel of this file, in one unit: PoCL's build time is per unit and per kernel.
constexpr const char* source = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel void shift(__global const int* a, long oa, __global int* b, long ob, int add, long times) {
  const size_t i = get_global_id(0);
  b[ob + i] = a[oa + i] * (int)times + add;
}
__kernel void visit(__global int* b, long ob) {
  const size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  b[ob + (z * 7 + y) * 1021 + x] += 1;
}
__kernel void mark(__global int* b, long ob) { b[ob + get_global_id(0)] += 1; }
__kernel void groups(__global int* b, long ob) { b[ob + get_global_id(0)] = get_local_size(0); }
__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void fixed(__global int* b, long ob) {
  b[ob + get_global_id(0)] = get_local_size(0);
}
__kernel void rounding(__global const float* a, long oa, __global float* b, long ob) {
  const size_t i = get_global_id(0);
  __global const float* x = a + oa + 3 * i;
  __global float* y = b + ob + 3 * i;
  y[0] = x[0] * x[1] + x[2];
  y[1] = x[0] / x[1];
  y[2] = sqrt(x[0]);
}
)";
enum Entry { shift, visit, mark, groups, fixed, rounding };

class DeviceLaunches : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    program_ =
        device().load(kernels(source, {"shift", "visit", "mark", "groups", "fixed", "rounding"}));
  }

  void launch(Entry kernel, std::vector<BoundBuffer> buffers, std::array<std::int64_t, 3> global,
              std::array<std::int64_t, 3> local = {0, 0, 0},
              std::vector<LaunchArgs::Scalar> scalars = {}) {
    device().launch(*program_, {.kernel = kernel,
                                .buffers = buffers,
                                .scalars = scalars,
                                .global = global,
                                .local = local});
  }

  DeviceProgramPtr program_;
};

TEST_F(DeviceLaunches, pass_buffers_with_element_offsets_then_scalars) {
  const auto a = upload(std::vector<int>{1, 2, 3, 4, 5, 6});
  const auto b = upload(std::vector<int>(6, -1));
  launch(shift, {{a.get(), 2}, {b.get(), 1}}, {3, 1, 1}, {},
         {{DType::i32, 100}, {DType::i64, -10}});
  EXPECT_EQ(download<int>(*b), (std::vector<int>{-1, 70, 60, 50, -1, -1}));
}

TEST_F(DeviceLaunches, run_in_the_order_of_the_calls) {
  const auto a = upload(std::vector<int>{3});
  for (int i = 0; i < 10; ++i)
    launch(shift, {{a.get(), 0}, {a.get(), 0}}, {1, 1, 1}, {}, {{DType::i32, 1}, {DType::i64, 2}});
  device().flush();
  EXPECT_EQ(download<int>(*a), std::vector<int>{4 * 1024 - 1});  // x + 1 doubles each time
}

TEST_F(DeviceLaunches, visit_every_item_once_whatever_the_size) {
  for (const std::int64_t size : {1, 2, 3, 16, 61, 64, 67, 256, 1021, 4096, 4099, 65537, 100003}) {
    const auto b = upload(std::vector<int>(std::size_t(size) + 2, 0));
    launch(mark, {{b.get(), 1}}, {size, 1, 1});
    std::vector<int> expected(std::size_t(size) + 2, 1);
    expected.front() = expected.back() = 0;
    EXPECT_EQ(download<int>(*b), expected) << size;
  }
}

TEST_F(DeviceLaunches, visit_every_item_once_in_three_dimensions) {
  const auto b = upload(std::vector<int>(1021 * 7 * 3, 0));
  launch(visit, {{b.get(), 0}}, {1021, 7, 3});
  EXPECT_EQ(download<int>(*b), std::vector<int>(1021 * 7 * 3, 1));
  launch(visit, {{b.get(), 0}}, {1020, 7, 3});
  EXPECT_EQ(std::ranges::count(download<int>(*b), 1), 21);
}

TEST_F(DeviceLaunches, with_no_item_do_nothing) {
  const auto b = upload(std::vector<int>{5});
  launch(mark, {{b.get(), 0}}, {0, 1, 1});
  launch(mark, {{b.get(), 0}}, {1, 1, 0});
  EXPECT_EQ(download<int>(*b), std::vector<int>{5});
}

TEST_F(DeviceLaunches, keep_a_local_size_that_the_plan_or_the_kernel_fixes) {
  const auto b = upload(std::vector<int>(24, 0));
  launch(groups, {{b.get(), 0}}, {24, 1, 1}, {8, 1, 1});
  EXPECT_EQ(download<int>(*b), std::vector<int>(24, 8));
  launch(fixed, {{b.get(), 0}}, {24, 1, 1});
  EXPECT_EQ(download<int>(*b), std::vector<int>(24, 4));
}

TEST_F(DeviceLaunches, with_an_impossible_local_size_name_kernel_and_code) {
  const auto b = upload(std::vector<int>(8, 0));
  const std::string text = error_text(ErrorKind::device, [&] {
    launch(groups, {{b.get(), 0}}, {8, 1, 1}, {1 << 20, 1, 1});
  });
  EXPECT_NE(text.find("kernel 'groups'"), std::string::npos) << text;
  EXPECT_NE(text.find("CL_INVALID_WORK_GROUP_SIZE"), std::string::npos) << text;
}

TEST_F(DeviceLaunches, with_a_wrong_number_of_arguments_are_our_bug) {
  const auto b = upload(std::vector<int>{0});
  const std::string text = error_text(ErrorKind::internal, [&] {
    launch(shift, {{b.get(), 0}}, {1, 1, 1});
  });
  EXPECT_NE(text.find("kernel 'shift' takes 6 arguments, the plan gives 2"), std::string::npos)
      << text;
  EXPECT_THROW(launch(Entry(17), {}, {1, 1, 1}), Error);
}

TEST_F(DeviceLaunches, neither_contract_nor_approximate) {
  std::vector<float> in;
  for (int i = 1; i <= 1000; ++i)
    in.insert(in.end(), {1.0F + float(i) / 3, 1.0F - float(i) / 7001, -1.0F - float(i) / 11});
  in.insert(in.end(), {0x1p-140F, 0x1p0F, 0});  // a subnormal survives
  const auto a = upload(in);
  const auto b = upload(std::vector<float>(in.size(), 0));
  launch(rounding, {{a.get(), 0}, {b.get(), 0}}, {std::int64_t(in.size()) / 3, 1, 1});
  const std::vector<float> out = download<float>(*b);
  for (std::size_t i = 0; i < in.size(); i += 3) {
    const volatile float product = in[i] * in[i + 1];
    EXPECT_EQ(out[i], product + in[i + 2]) << i;
    EXPECT_EQ(out[i + 1], in[i] / in[i + 1]) << i;
    EXPECT_EQ(out[i + 2], std::sqrt(in[i])) << i;
  }
}

TEST_F(DeviceLaunches, of_a_kernel_that_does_not_exist_are_refused_at_load) {
  const std::string text = error_text(
      ErrorKind::device, [&] { (void)device().load(kernels(source, {"no_such_kernel"})); });
  EXPECT_NE(text.find("no_such_kernel"), std::string::npos) << text;
  EXPECT_NE(text.find("CL_INVALID_KERNEL_NAME"), std::string::npos) << text;
}

TEST_F(DeviceLaunches, of_text_that_does_not_compile_show_the_log) {
  const std::string text = error_text(ErrorKind::device, [&] {
    (void)device().load(
        kernels("__kernel void f(__global int* a) { a[0] = undeclared_name; }", {"f"}));
  });
  EXPECT_NE(text.find("build of kernels 'test' failed"), std::string::npos) << text;
  EXPECT_NE(text.find("CL_BUILD_PROGRAM_FAILURE"), std::string::npos) << text;
  EXPECT_NE(text.find("undeclared_name"), std::string::npos) << text;
  EXPECT_LE(std::ranges::count(text, '\n'), 25);
}

TEST_F(DeviceLaunches, arguments_are_those_of_the_launch_whatever_came_before) {
  const DeviceBufferPtr a = upload<int>({1, 2, 3, 4}), b = upload<int>({0, 0, 0, 0});
  const auto shifted = [&](const DeviceBufferPtr& from, std::int64_t first, std::int64_t add,
                           std::int64_t times) {
    launch(shift, {{from.get(), first}, {b.get(), 0}}, {2, 1, 1}, {0, 0, 0},
           {{DType::i32, add}, {DType::i64, times}});
    const auto values = download<int>(*b);
    return std::vector<int>{values[0], values[1]};
  };
  EXPECT_EQ(shifted(a, 0, 0, 1), (std::vector<int>{1, 2}));
  EXPECT_EQ(shifted(a, 2, 0, 1), (std::vector<int>{3, 4}));
  EXPECT_EQ(shifted(a, 2, 5, 1), (std::vector<int>{8, 9}));
  EXPECT_EQ(shifted(a, 2, 5, 2), (std::vector<int>{11, 13}));
  // Buffers made and freed in turn, of which some have handle and memory of an earlier one.
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(shifted(upload<int>({i, -i, 7, 7}), 0, 5, 2),
              (std::vector<int>{2 * i + 5, 5 - 2 * i}));
}

TEST_F(DeviceLaunches, many_wait_without_an_end_in_between) {
  const DeviceBufferPtr b = upload<int>(std::vector<int>(5));
  constexpr int count = 5000;
  for (int i = 0; i < count; ++i) launch(mark, {{b.get(), i % 2}}, {std::int64_t(1 + i % 4), 1, 1});
  EXPECT_EQ(download<int>(*b), (std::vector<int>{2500, 3750, 3750, 1250, 1250}));
}

TEST_F(DeviceLaunches, read_memory_of_the_host_where_it_lies) {
  alignas(64) int host[] = {1, 2, 3, 4};
  const DeviceBufferPtr a = device().borrow(std::as_bytes(std::span(host)));
  if (!device().profile().is_cpu) GTEST_SKIP() << "only CPUs do";
  ASSERT_TRUE(a);
  const std::int64_t allocated = device().allocated_bytes();
  const DeviceBufferPtr b = upload<int>({0, 0, 0, 0});
  EXPECT_EQ(device().allocated_bytes(), allocated + 16);
  launch(shift, {{a.get(), 0}, {b.get(), 0}}, {4, 1, 1}, {0, 0, 0},
         {{DType::i32, 1}, {DType::i64, 1}});
  EXPECT_EQ(download<int>(*b), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_EQ(download<int>(*a), (std::vector<int>{1, 2, 3, 4}));
  EXPECT_FALSE(device().borrow({}));
  EXPECT_FALSE(device().borrow(std::as_bytes(std::span(host).subspan(1))));
}

}  // namespace
}  // namespace partita::testing
