// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Each algorithm on the toy problem: its oracle on every target, alone and on three shards; the text of its
// program, kept in examples/algorithms; and what it communicates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "partita/base/error.hpp"
#include "partita/device/device.hpp"
#include "tests/e2e/algorithms/toy.hpp"
#include "tests/support/document.hpp"
#include "tests/support/unused_functions.hpp"

namespace partita::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Oracles have nine digits.
void expect_values(const std::vector<Values>& found, const std::vector<Values>& expected,
                   const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(found[k].size(), expected[k].size()) << where << ", result " << k;
    for (std::size_t i = 0; i < found[k].size(); ++i)
      EXPECT_NEAR(found[k][i], expected[k][i], 1e-9 + 5e-9 * std::abs(expected[k][i]))
          << where << ", result " << k << ", element " << i;
  }
}

void expect_on(const std::string& target, int shards) {
  for (const ToyProgram& program : toy_programs())
    expect_values(compile_and_run(program, target, shards).results, program.expected,
                  cat(program.name, " on ", target));
}

TEST(Algorithms, GiveTheirOracles) {
  for (const ToyProgram& program : toy_programs())
    expect_values(interpret(program), program.expected, program.name);
}

TEST(AlgorithmTexts, AreThoseOfTheExamples) {
  for (const ToyProgram& toy : toy_programs()) {
    build::Program program(toy.placements, toy.name);
    expect_document(cat("../examples/algorithms/", toy.name, ".mlir"),
                    toy.build_into(program).text());
  }
}

TEST(AlgorithmTexts, HoldNoFunctionThatNothingCalls) {
  for (const ToyProgram& toy : toy_programs()) {
    build::Program program(toy.placements, toy.name);
    EXPECT_THAT(unused_functions(toy.build_into(program).module()), IsEmpty()) << toy.name;
  }
}

TEST(AlgorithmsOnCpu, GiveTheirOracles) { expect_on("cpu", 1); }
TEST(AlgorithmsOnCpu, GiveTheirOraclesOnThreeShards) { expect_on("cpu", 3); }

/// Collective calls of a program of the toy problem's model (as two leaves) and data on three shards.
std::int64_t calls_of(const std::function<build::Arrays(const build::Arrays& params,
                                                        const build::Arrays& data)>& body) {
  const ToyProgram program{
      .name = "calls",
      .placements = {{clients, 3}},
      .inputs = {{"x", {1}, {2}}, {"z", {1}, {-1}}, {"data", {3, 2}, toy_data}},
      .body = [&](const build::Arrays& a) {
        return body({a[0], a[1]}, {a[2]});
      }};
  return compile_and_run(program, "cpu", 3).collective_calls;
}

const algorithms::LocalTraining three_steps{
    .loss = toy_loss, .optimizer = algorithms::sgd(0.01), .steps = 3};

TEST(AlgorithmCalls, NoneForBranchesThatTrain) {
  EXPECT_EQ(calls_of([](const auto& params, const auto& data) {
              return algorithms::local_models(clients, three_steps, params, data);
            }),
            0);
}

TEST(AlgorithmCalls, OneForTheGradientOfAMeanLoss) {
  EXPECT_EQ(calls_of([](const auto& params, const auto& data) {
              const build::Loss loss = [&](const build::Arrays& x) {
                return algorithms::mean_loss(clients, toy_loss, x, data);
              };
              return build::grad(loss, params);
            }),
            1);
}

TEST(AlgorithmCalls, OneForARound) {
  EXPECT_EQ(calls_of([](const auto& params, const auto& data) {
              return algorithms::fed_avg(clients, three_steps, params, data);
            }),
            1);
}

/// Calls of one step that comes after `before` others, its state an input of the program.
std::int64_t calls_of_step(const algorithms::DiLoCo& diloco, double before) {
  const ToyProgram program{.name = "step",
                           .placements = {{clients, 3}},
                           .inputs = {{"x", {1}, {2}},
                                      {"z", {1}, {-1}},
                                      {"x_workers", {3, 1}, {2, 2, 2}},
                                      {"z_workers", {3, 1}, {-1, -1, -1}},
                                      {"x_velocity", {1}, {0}},
                                      {"z_velocity", {1}, {0}},
                                      {"step", {}, {before}},
                                      {"data", {3, 2}, toy_data}},
                           .body = [&](const build::Arrays& a) {
                             build::Arrays leaves = algorithms::part(a, 0, 6);
                             leaves.push_back(build::convert(a[6], DType::i32));
                             const auto state = algorithms::diloco_state(diloco, leaves, 2);
                             build::Arrays next =
                                 algorithms::diloco_step(diloco, state, {a[7]}).state.leaves();
                             next.back() = build::convert(next.back(), DType::f64);
                             return next;
                           }};
  return compile_and_run(program, "cpu", 3).collective_calls;
}

TEST(AlgorithmCalls, OneForEachIntervalOfDiLoCo) {
  const algorithms::DiLoCo diloco{.placement = clients,
                                  .loss = toy_loss,
                                  .inner = algorithms::sgd(0.01),
                                  .outer = algorithms::momentum({.is_nesterov = true}),
                                  .interval = 3};
  EXPECT_EQ(calls_of_step(diloco, 0), 0);
  EXPECT_EQ(calls_of_step(diloco, 1), 0);
  EXPECT_EQ(calls_of_step(diloco, 2), 1);
}

TEST(AlgorithmErrors, NameWhatIsExpected) {
  const auto refusal_of = [](const algorithms::LocalTraining& training,
                             const algorithms::DiLoCo& diloco) -> std::string {
    try {
      static_cast<void>(calls_of([&](const auto& params, const auto& data) {
        static_cast<void>(algorithms::diloco_init(diloco, params));
        return algorithms::fed_avg(clients, training, params, data);
      }));
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing thrown";
  };
  algorithms::DiLoCo diloco{.placement = clients,
                            .loss = toy_loss,
                            .inner = algorithms::sgd(0.01),
                            .outer = algorithms::sgd(1)};
  algorithms::LocalTraining stepwise = three_steps;
  stepwise.is_stepwise = true;
  EXPECT_THAT(refusal_of(stepwise, diloco),
              HasSubstr("train: expected batches with 3 steps first, found tensor<2xf64>"));
  diloco.delay = 1;
  EXPECT_THAT(refusal_of(three_steps, diloco),
              HasSubstr("diloco: expected a delay below the interval of 1, found 1"));
  diloco.delay = 0;
  diloco.fragments = {{.leaves = {0, 0}}};
  EXPECT_THAT(refusal_of(three_steps, diloco), HasSubstr("fragments that hold each leaf once"));
}

TEST(AlgorithmsOnOpenCl, GiveTheirOraclesOnThreeShards) {
  if (std::ranges::none_of(list_devices(), [](const auto& p) { return p.backend == "opencl"; }))
    GTEST_SKIP() << "no OpenCL platform is installed";
  expect_on("opencl", 3);
}

}  // namespace
}  // namespace partita::testing
