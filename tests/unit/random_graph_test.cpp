// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The generator of random programs makes the shapes that it is there for, and programs that run.
#include "tests/support/random_graph.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::testing {
namespace {

constexpr unsigned seeds = 600;
constexpr int steps = 12;

TEST(RandomGraph, MakesEveryShape) {
  Census census;
  unsigned with_shapes = 0;
  std::size_t most_results = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const RandomGraph program = random_graph(seed, steps);
    with_shapes += program.census.empty() ? 0 : 1;
    for (const auto& [shape, count] : program.census) census[shape] += count;
    most_results = std::max(most_results, program.noise.size());
  }
  EXPECT_GT(with_shapes, seeds * 2 / 5);
  EXPECT_LT(with_shapes, seeds * 3 / 5);
  EXPECT_GE(most_results, 26U);
  const Census least{{"gather", 100},
                     {"gather of points", 40},
                     {"dynamic_slice", 40},
                     {"dynamic_update_slice", 40},
                     {"scatter", 40},
                     {"argmax", 40},
                     {"index of truth values", 200},
                     {"index by bounds", 400},
                     {"loop", 20},
                     {"loop until", 20},
                     {"scan", 30},
                     {"search", 40},
                     {"map", 20},
                     {"branch", 20},
                     {"sort", 20},
                     {"small results", 8},
                     {"loop > loop", 2},
                     {"loop > search", 2},
                     {"loop > sort", 2},
                     {"loop > branch", 2},
                     {"scan > gather", 5},
                     {"scan > loop", 2},
                     {"scan > loop until", 2},
                     {"map > scan", 5},
                     {"map > loop", 3},
                     {"map > loop until", 3},
                     {"map > search", 3},
                     {"map > sort", 3}};
  for (const auto& [shape, count] : least) EXPECT_GE(census[shape], count) << shape;
}

TEST(RandomGraph, IsValidAndRuns) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const RandomGraph program = random_graph(seed, steps);
    ASSERT_NO_THROW(ir::verify(*program.module)) << seed;
    const std::vector<HostArray> results = interpreted(program);
    ASSERT_EQ(results.size(), program.noise.size()) << seed;
    EXPECT_EQ(noise_difference(results, interpreted(program), program.noise), "") << seed;
  }
}

TEST(RandomGraph, TheSameSeedGivesTheSameProgram) {
  for (const unsigned seed : {3u, 52u, 150u}) {
    const RandomGraph a = random_graph(seed, steps), b = random_graph(seed, steps);
    EXPECT_EQ(ir::print_module(*a.module), ir::print_module(*b.module));
    EXPECT_TRUE(std::ranges::equal(
        a.inputs, b.inputs, [](const auto& x, const auto& y) { return x.bytes == y.bytes; }));
  }
}

TEST(RandomGraph, MergedProgramsKeepTheirResults) {
  std::vector<RandomGraph> parts;
  std::vector<HostArray> expected;
  for (const unsigned seed : {1u, 52u, 7u}) {
    parts.push_back(random_graph(seed, steps));
    const std::vector<HostArray> results = interpreted(parts.back());
    expected.insert(expected.end(), results.begin(), results.end());
  }
  const RandomGraph whole = merged(parts);
  ir::verify(*whole.module);
  EXPECT_EQ(whole.noise.size(), expected.size());
  EXPECT_EQ(noise_difference(interpreted(whole), expected, whole.noise), "");
}

}  // namespace
}  // namespace partita::testing
