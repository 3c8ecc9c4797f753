// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Matrix products of the library against a plain loop.  Few cases in one process: on PoCL the first
// product of each precision builds CLBlast's kernels for seconds.
#include <clblast.h>

#include <limits>
#include <thread>

#include "tests/device/device_test.hpp"
#include "tests/device/gemm_cases.hpp"

namespace partita::testing {
namespace {

using DeviceGemm = DeviceTest;

TEST_F(DeviceGemm, f32_equals_a_plain_loop) {
  for (const GemmCase& c : gemm_cases()) {
    const auto in = make_arrays<float>(c);
    EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, f64_equals_a_plain_loop) {
  if (!device().profile().has_fp64) GTEST_SKIP() << "the device has no fp64";
  for (const GemmCase& c : gemm_cases()) {
    const auto in = make_arrays<double>(c);
    EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, with_beta_0_ignores_what_c_held) {
  for (const GemmCase& c : gemm_cases()) {
    if (c.gemm.beta != 0) continue;
    auto in = make_arrays<float>(c);
    const auto expected = expected_result(c, in);
    std::ranges::fill(in.c, std::numeric_limits<float>::quiet_NaN());
    const auto out = run_gemm(device(), c, in);
    for (std::int64_t b = 0; b < c.batch; ++b)
      for (std::int64_t i = 0; i < c.gemm.m; ++i)
        for (std::int64_t j = 0; j < c.gemm.n; ++j) {
          const auto at = std::size_t(c.c_offset + b * c.gemm.stride_c + i * c.gemm.ldc + j);
          ASSERT_EQ(out[at], expected[at]) << c.name;
        }
  }
}

TEST_F(DeviceGemm, without_an_inner_dimension_scales_c) {
  for (const GemmCase& c : gemm_cases()) {
    if (c.gemm.k != 0) continue;
    const auto in = make_arrays<float>(c);
    EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in)) << c.name;
  }
}

TEST_F(DeviceGemm, names_the_code_of_a_refused_call) {
  const GemmCase c{"bad", {.m = 4, .n = 4, .k = 4, .lda = 2, .ldb = 4, .ldc = 4}};
  const Arrays<float> in{std::vector<float>(16), std::vector<float>(16), std::vector<float>(16)};
  const std::string text = error_text(ErrorKind::device, [&] { (void)run_gemm(device(), c, in); });
  EXPECT_NE(text.find("kInvalidLeadDimA"), std::string::npos) << text;
  EXPECT_NE(text.find("m=4 n=4 k=4"), std::string::npos) << text;
}

TEST_F(DeviceGemm, first_calls_of_two_devices_at_once_are_safe) {
  auto two = open_devices({.devices_per_rank = 2});
  const GemmCase c = gemm_cases().front();
  const auto in = make_arrays<float>(c);
  std::vector<std::vector<float>> out(2);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      for (int repeat = 0; repeat < 20; ++repeat) out[i] = run_gemm(*two[i], c, in);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(out[0], expected_result(c, in));
  EXPECT_EQ(out[1], expected_result(c, in));
}

// Parameters belong to whoever set them, though CLBlast has one set for a device.
TEST_F(DeviceGemm, takes_parameters_that_an_artifact_brings) {
  const auto other = open_devices({});
  const auto parameters = [](std::int64_t size) {
    return LibraryParameters{.kernel = "GemmRoutine",
                             .dtype = DType::f32,
                             .values = {{.name = "XGEMM_MIN_INDIRECT_SIZE", .value = size}}};
  };
  Artifact artifact;
  artifact.target = "opencl";
  const auto load = [&](Device& on, const std::string& name, std::int64_t size) {
    artifact.library = {.devices = {name}, .parameters = {parameters(size)}};
    (void)on.load(artifact);
  };
  const std::string name = device().profile().name;
  const auto told = [] {  // CLBlast's parameters of the device that tests run on
    cl_platform_id platform = nullptr;
    cl_device_id id = nullptr;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, nullptr);
    std::unordered_map<std::string, std::size_t> values;
    EXPECT_EQ(clblast::RetrieveParameters(id, "GemmRoutine", clblast::Precision::kSingle, values),
              clblast::StatusCode::kSuccess);
    return std::int64_t(values.at("XGEMM_MIN_INDIRECT_SIZE"));
  };
  const std::int64_t own = told(), ours = own + 1;
  const GemmCase c = gemm_cases().front();
  const auto in = make_arrays<float>(c);
  load(device(), name.substr(0, 5), ours);
  EXPECT_EQ(told(), own) << "before the first product";
  EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in));
  EXPECT_EQ(told(), ours);
  EXPECT_EQ(run_gemm(*other.front(), c, in), expected_result(c, in));
  EXPECT_EQ(told(), own);
  EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in));
  EXPECT_EQ(told(), ours);
  load(device(), "not " + name, ours);
  EXPECT_EQ(run_gemm(device(), c, in), expected_result(c, in));
  EXPECT_EQ(told(), own);
}

}  // namespace
}  // namespace partita::testing
