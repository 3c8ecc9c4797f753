// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The model of time against what data sheets give by hand: products by the peak, copies by the bandwidth, small kernels
// by the launch, occupancy by what a multiprocessor has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "partita/driver/compile.hpp"
#include "partita/driver/time_model.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::testing {
namespace {

using driver::LaunchTime;
using driver::ModelledDevice;
using driver::TimeBound;
using driver::TimeEstimate;
using ::testing::HasSubstr;

constexpr double peak = 67e12, matrix_peak = 989e12, bandwidth = 3350e9, launch = 4e-6;

driver::CompileOptions for_device(const std::string& device) {
  return {.target = "opencl", .device = device};
}

ModelledDevice sm_90() { return modelled_device(for_device("nvidia-sm_90")); }

TimeEstimate estimate(const std::string& program, const std::string& device = "nvidia-sm_90") {
  const Artifact artifact =
      driver::compile_module(*ir::parse_module(program, "program"), for_device(device));
  return estimate_time(artifact, modelled_device(for_device(device)));
}

std::string product(int n, const std::string& dtype) {
  const std::string type = cat("tensor<", n, "x", n, "x", dtype, ">");
  return cat("func.func @main(%x: ", type, ", %y: ", type, ") -> ", type,
             " {\n  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (", type,
             ", ", type, ") -> ", type, "\n  return %0 : ", type, "\n}\n");
}

std::string negate(const std::string& type) {
  return cat("func.func @main(%x: ", type, ") -> ", type, " {\n  %0 = stablehlo.negate %x : ", type,
             "\n  return %0 : ", type, "\n}\n");
}

TEST(TimeModel, products_by_the_peak) {
  const TimeEstimate of_f32 = estimate(product(4096, "f32"));
  ASSERT_EQ(of_f32.kernels.size(), 1u);
  EXPECT_EQ(of_f32.kernels[0].longest.bound, TimeBound::flops);
  const double least = 2 * std::pow(4096.0, 3);
  EXPECT_GT(of_f32.seconds, least / peak);
  EXPECT_LT(of_f32.seconds, 1.25 * least / peak);
  const TimeEstimate of_bf16 = estimate(product(4096, "bf16"));
  EXPECT_GT(of_bf16.seconds, least / matrix_peak);
  EXPECT_LT(of_bf16.seconds, 0.5 * of_f32.seconds);
}

TEST(TimeModel, elements_by_the_bandwidth) {
  const TimeEstimate e = estimate(negate("tensor<67108864xf32>"));
  ASSERT_EQ(e.kernels.size(), 1u);
  EXPECT_EQ(e.kernels[0].longest.bound, TimeBound::bandwidth);
  EXPECT_NEAR(e.seconds, launch + 2.0 * 4 * 67108864 / bandwidth, 1e-6);
}

TEST(TimeModel, small_kernels_by_the_launch) {
  const TimeEstimate e = estimate(negate("tensor<64xf32>"));
  ASSERT_EQ(e.kernels.size(), 1u);
  EXPECT_EQ(e.kernels[0].longest.bound, TimeBound::launch);
  EXPECT_NEAR(e.seconds, launch, 0.5e-6);
  EXPECT_EQ(e.launches, 1);
}

TEST(TimeModel, occupancy_by_what_a_multiprocessor_has) {
  const driver::LaunchShape many{.items = 1 << 22, .group = 256, .buffer_bytes = {}};
  const auto occupancy = [&](const KernelWork& work) {
    return launch_time(work, many, sm_90()).occupancy;
  };
  EXPECT_DOUBLE_EQ(occupancy({.operations = 1}), 1);  // eight groups of 2048 items
  // 228 KiB hold four groups of 48 KiB; 65536 words two of 256 items with 64 sums in 128 registers.
  EXPECT_DOUBLE_EQ(occupancy({.operations = 1, .local_bytes = 48 << 10}), 0.5);
  EXPECT_DOUBLE_EQ(occupancy({.operations = 1, .sum_bytes = 256}), 0.25);
  const driver::LaunchShape few{.items = 66 * 256, .group = 256, .buffer_bytes = {}};
  EXPECT_DOUBLE_EQ(launch_time({.operations = 1}, few, sm_90()).occupancy, 0.0625);
}

TEST(TimeModel, parts_by_hand) {
  const driver::LaunchShape shape{
      .items = 132 * 8 * 256, .group = 256, .buffer_bytes = {1e6, 1e12}};
  // 256 sub-groups of one chain each come to 64 / (64 + 24) of the rate on a full multiprocessor.
  const LaunchTime flops = launch_time({.operations = 10000}, shape, sm_90());
  EXPECT_EQ(flops.bound, TimeBound::flops);
  EXPECT_NEAR(flops.seconds, launch + shape.items * 2 * 10000 / peak * (64 + 24) / 64, 1e-9);
  // Of a buffer of 1 MB no more than that comes from memory, however often it is read.
  const LaunchTime cached =
      launch_time({.operations = 1, .buffer_bytes = {32 * 4000, 0}}, shape, sm_90());
  EXPECT_EQ(cached.bound, TimeBound::cache);
  EXPECT_NEAR(cached.seconds, launch + shape.items * 4000 / (3 * bandwidth), 1e-9);
  const LaunchTime moved =
      launch_time({.operations = 1, .buffer_bytes = {0, 32 * 4000}}, shape, sm_90());
  EXPECT_EQ(moved.bound, TimeBound::bandwidth);
  EXPECT_NEAR(moved.seconds, launch + shape.items * 4000 / bandwidth, 1e-9);
  const LaunchTime waits = launch_time({.operations = 1, .answers = 100}, shape, sm_90());
  EXPECT_EQ(waits.bound, TimeBound::latency);
  EXPECT_NEAR(waits.seconds, launch + 100 * 0.35e-6, 1e-9);
}

TEST(TimeModel, loops_multiply_and_open_ones_are_named) {
  const auto loop = [](const std::string& limit) {
    return cat(R"(
func.func @main(%x: tensor<64xf32>, %n: tensor<i32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<64xf32>
   cond {
    %c = stablehlo.compare LT, %i, )",
               limit, R"( : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.reverse %y, dims = [0] : tensor<64xf32>
    %s = stablehlo.sine %r : tensor<64xf32>
    stablehlo.return %j, %s : tensor<i32>, tensor<64xf32>
  }
  return %0#1 : tensor<64xf32>
}
)");
  };
  const TimeEstimate closed = estimate(loop("%ten")), open = estimate(loop("%n"));
  EXPECT_FALSE(closed.has_open_loops);
  EXPECT_GE(closed.launches, 10);
  EXPECT_TRUE(open.has_open_loops);
  EXPECT_THAT(to_text(open, sm_90()),
              HasSubstr("loops whose iterations are not known are counted once"));
}

TEST(TimeModel, loops_that_memory_ends_are_not_known) {
  const TimeEstimate e = estimate(R"(
func.func @main(%x: tensor<64xf32>, %i: tensor<512x1xi32>, %u: tensor<512xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<64xf32>, tensor<512x1xi32>, tensor<512xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
)");
  const auto is_known = [](const driver::KernelTime& k) { return k.is_known; };
  EXPECT_FALSE(std::ranges::all_of(e.kernels, is_known));
  EXPECT_LT(e.seconds, 1e-3);
  EXPECT_THAT(to_text(e, sm_90()), HasSubstr("without kernels whose work is not known: "));
}

TEST(TimeModel, text_names_device_kernels_and_sum) {
  const std::string text = to_text(estimate(negate("tensor<64xf32>")), sm_90());
  EXPECT_THAT(text, HasSubstr("time by the model, not measured, on nvidia-sm_90 (built in)\n"));
  EXPECT_THAT(text, HasSubstr("launch"));
  EXPECT_THAT(text, HasSubstr(" us in 1 launch of one shard\n"));
}

}  // namespace
}  // namespace partita::testing
