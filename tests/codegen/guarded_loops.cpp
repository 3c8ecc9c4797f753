// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops whose number of iterations the device decides, as compiled for GPUs and run ahead of what the host knows, on the
// OpenCL device that is here: results are the interpreter's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "kernel/ast/plan_steps.hpp"
#include "tests/codegen/on_targets.hpp"

namespace partita::testing {
namespace {

using ir::Tensor;

struct Loops {
  int guarded = 0, others = 0;
};

Loops loops_of(const Steps& steps) {
  Loops loops;
  for (const Step& s : steps) {
    if (const While* loop = std::get_if<While>(&s.what))
      ++(loop->guarded ? loops.guarded : loops.others);
    for (const Steps* inner : kernel::inner_steps(s)) {
      const Loops within = loops_of(*inner);
      loops.guarded += within.guarded;
      loops.others += within.others;
    }
  }
  return loops;
}

class GuardedLoops : public ::testing::Test {
 protected:
  void SetUp() override {
    if (list_devices().empty()) GTEST_SKIP() << "no OpenCL platform is installed";
    ::setenv("PARTITA_OPENCL_CLASS", "gpu", 1);
  }
  void TearDown() override { ::unsetenv("PARTITA_OPENCL_CLASS"); }

  /// Runs @main twice on random inputs; each kind of loop occurs so often in its plan.
  static void expect_equal(const std::string& text, Loops expected_loops, double rounding = 1) {
    Artifact artifact =
        partita::compile(text, {.target = "opencl", .gemm = "generated", .device = "gpu"}).artifact;
    const Loops loops = loops_of(artifact.plan.steps);
    EXPECT_EQ(loops.guarded, expected_loops.guarded);
    EXPECT_EQ(loops.others, expected_loops.others);
    Asked(text).expect_of(std::move(artifact), "", rounding);
  }
};

TEST_F(GuardedLoops, whose_end_the_values_decide) {
  expect_equal(R"(
func.func @main(%x: tensor<100xf32>) -> (tensor<100xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %limit = stablehlo.constant dense<1000.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<100xf32>
  %r:2 = stablehlo.while(%v = %x, %n = %zero) : tensor<100xf32>, tensor<i32>
  cond {
    %sq = stablehlo.multiply %v, %v : tensor<100xf32>
    %sum = stablehlo.reduce(%sq init: %f) applies stablehlo.add across dimensions = [0] : (tensor<100xf32>, tensor<f32>) -> tensor<f32>
    %more = stablehlo.compare LT, %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %v, %half : tensor<100xf32>
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %next, %m : tensor<100xf32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<100xf32>, tensor<i32>
})",
               {.guarded = 1});
}

TEST_F(GuardedLoops, that_do_not_run_at_all) {
  expect_equal(R"(
func.func @main(%x: tensor<7xf32>) -> tensor<7xf32> {
  %limit = stablehlo.constant dense<-1000.0> : tensor<f32>
  %r = stablehlo.while(%v = %x) : tensor<7xf32>
  cond {
    %s = stablehlo.slice %v [0:1] : (tensor<7xf32>) -> tensor<1xf32>
    %e = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
    %more = stablehlo.compare LT, %e, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %v, %v : tensor<7xf32>
    stablehlo.return %next : tensor<7xf32>
  }
  return %r : tensor<7xf32>
})",
               {.guarded = 1});
}

TEST_F(GuardedLoops, whose_condition_is_carried) {
  expect_equal(R"(
func.func @main(%x: tensor<33xf32>) -> tensor<33xf32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %limit = stablehlo.constant dense<20.0> : tensor<f32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<33xf32>
  %r:2 = stablehlo.while(%more = %true, %v = %x) : tensor<i1>, tensor<33xf32>
  cond {
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %v, %one : tensor<33xf32>
    %max = stablehlo.reduce(%next init: %f) applies stablehlo.maximum across dimensions = [0] : (tensor<33xf32>, tensor<f32>) -> tensor<f32>
    %again = stablehlo.compare LT, %max, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %again, %next : tensor<i1>, tensor<33xf32>
  }
  return %r#1 : tensor<33xf32>
})",
               {.guarded = 1});
}

TEST_F(GuardedLoops, with_products_whose_items_meet_at_barriers) {
  expect_equal(R"(
func.func @main(%a: tensor<96x96xf32>, %x: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %limit = stablehlo.constant dense<100000.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.25> : tensor<96x96xf32>
  %r = stablehlo.while(%v = %x) : tensor<96x96xf32>
  cond {
    %sq = stablehlo.multiply %v, %v : tensor<96x96xf32>
    %sum = stablehlo.reduce(%sq init: %f) applies stablehlo.add across dimensions = [0, 1] : (tensor<96x96xf32>, tensor<f32>) -> tensor<f32>
    %more = stablehlo.compare LT, %sum, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %p = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
    %next = stablehlo.multiply %p, %scale : tensor<96x96xf32>
    stablehlo.return %next : tensor<96x96xf32>
  }
  return %r : tensor<96x96xf32>
})",
               {.guarded = 1}, 30);
}

TEST_F(GuardedLoops, within_loops_that_wait) {
  expect_equal(R"(
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %low = stablehlo.constant dense<3.0> : tensor<f32>
  %high = stablehlo.constant dense<40.0> : tensor<f32>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %r = stablehlo.while(%v = %x) : tensor<5xf32>
  cond {
    %max = stablehlo.reduce(%v init: %f) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %more = stablehlo.compare LT, %max, %high : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %inner = stablehlo.while(%w = %v) : tensor<5xf32>
    cond {
      %max = stablehlo.reduce(%w init: %f) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
      %more = stablehlo.compare LT, %max, %low : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %n = stablehlo.add %w, %one : tensor<5xf32>
      stablehlo.return %n : tensor<5xf32>
    }
    %next = stablehlo.add %v, %inner : tensor<5xf32>
    stablehlo.return %next : tensor<5xf32>
  }
  return %r : tensor<5xf32>
})",
               {.guarded = 1, .others = 1});
}

}  // namespace
}  // namespace partita::testing
