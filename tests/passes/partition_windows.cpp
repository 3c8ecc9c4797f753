// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Nodes that look at neighbours along a dimension that a mesh cuts: what the shards' results make is what the whole
// program gives.  PARTITA_TEST_SEEDS=FIRST:COUNT runs other programs.
#include <gtest/gtest.h>

#include <iostream>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "partita/ir/op.hpp"
#include "passes/transforms/partition/halo.hpp"
#include "tests/ops/op_test.hpp"
#include "tests/passes/pass_case.hpp"
#include "tests/support/random_windows.hpp"
#include "tests/support/test_seeds.hpp"

namespace partita::testing {
namespace {

std::vector<ir::Tensor> run(const ir::Module& module, const std::vector<ir::Tensor>& inputs) {
  ir::Interpreter interpreter(module);
  return interpreter.run(module.entry("main"), inputs);
}

int count_of(const ir::Module& module, std::string_view op) {
  int count = 0;
  ir::walk(*module.entry("main").body, [&](ir::Node& node) { count += node.is(op); });
  return count;
}

TEST(PartitionWindows, RandomProgramsAreTheSameInParts) {
  const Seeds seeds = test_seeds(400);
  unsigned exchanging = 0, gathering = 0;
  for (unsigned seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    WindowProgram program = random_windows(seed);
    const std::string what = cat("PARTITA_TEST_SEEDS=", seed, ":1 over ", program.mesh);
    const std::string whole = ir::print_module(*program.module);
    const auto expected = run(*program.module, program.inputs);
    try {
      passes::PassContext context;
      (void)driver::run_passes(*program.module, driver::parse_pipeline("inline simplify partition"),
                               context);
      ir::verify(*program.module);
      const auto found = run(*program.module, program.inputs);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k)
        ir::expect_close(found[k], expected[k], cat(what, ", result ", k), 0);
    } catch (const Error& e) {
      FAIL() << what << ": " << e.what() << "\n" << whole;
    }
    if (HasFailure()) FAIL() << whole << "\nin parts:\n" << ir::print_module(*program.module);
    exchanging += count_of(*program.module, "mr.mesh_permute") > 0;
    gathering += count_of(*program.module, "mr.mesh_all_gather") > 0;
  }
  std::cout << seeds.count << " programs from seed " << seeds.first << ", " << exchanging
            << " with neighbours' elements, " << gathering << " with gathered values\n";
  if (seeds.count >= 100) {
    EXPECT_GT(2 * exchanging, seeds.count);
    EXPECT_GT(gathering, 0U);
  }
}

passes::Halo halo_of(const passes::PartWindows& windows) {
  const auto halo = passes::find_halo(windows);
  EXPECT_TRUE(halo);
  return halo.value_or(passes::Halo{});
}

TEST(PartitionWindows, OneElementOfEachNeighbourForWindowsOfThree) {
  const auto halo = halo_of({.window = {.extent = 12, .size = 3, .low = 1, .high = 1},
                             .count = 12,
                             .n = 4,
                             .elements = 3,
                             .windows = 3});
  ASSERT_EQ(halo.pieces.size(), 3U);
  EXPECT_EQ(halo.pieces[0], (passes::HaloPiece{-1, 2, 3, {1, 2, 3}}));
  EXPECT_EQ(halo.pieces[1], (passes::HaloPiece{0, 0, 3, {0, 1, 2, 3}}));
  EXPECT_EQ(halo.pieces[2], (passes::HaloPiece{1, 0, 1, {0, 1, 2}}));
  EXPECT_EQ(halo.received(), 2);
  EXPECT_TRUE(halo.is_near());
  EXPECT_EQ(halo.length, 5);
  EXPECT_EQ(halo.first, (ir::I64s{-1, 2, 5, 8}));
  EXPECT_EQ(halo.offset, (ir::I64s{0, 0, 0, 0}));
  EXPECT_TRUE(halo.sees_before && halo.sees_behind && halo.has_one_lead());
}

TEST(PartitionWindows, WindowsOfStrideTwoThatTileNeedNothing) {
  const auto halo = halo_of({.window = {.extent = 16, .size = 2, .stride = 2},
                             .count = 8,
                             .n = 4,
                             .elements = 4,
                             .windows = 2});
  EXPECT_EQ(halo.received(), 0);
  EXPECT_EQ(halo.pieces.size(), 1U);
  EXPECT_EQ(halo.length, 4);
}

TEST(PartitionWindows, PartsOfResultsThatAreShorterDriftAlong) {
  // x[6:] of 12 over 3 shards: results 2 each, from elements 6, 8 and 10.
  const auto halo = halo_of(
      {.window = {.extent = 12, .low = -6}, .count = 6, .n = 3, .elements = 4, .windows = 2});
  EXPECT_EQ(halo.first, (ir::I64s{6, 8, 10}));
  ASSERT_EQ(halo.pieces.size(), 2U);
  EXPECT_EQ(halo.pieces[0], (passes::HaloPiece{0, 2, 4, {2}}));
  EXPECT_EQ(halo.pieces[1], (passes::HaloPiece{1, 0, 4, {0, 1}}));
  EXPECT_EQ(halo.offset, (ir::I64s{4, 2, 0}));
  EXPECT_FALSE(halo.sees_before || halo.sees_behind);
}

TEST(PartitionWindows, ElementsOfDilatedPartsStandAtPlacesThatDiffer) {
  // Interior padding of one between 6 elements over 2 shards, 11 places: 6 and 5.
  const auto even = halo_of({.window = {.extent = 6, .base_dilation = 2},
                             .count = 11,
                             .n = 2,
                             .elements = 3,
                             .windows = 6});
  EXPECT_TRUE(even.has_one_lead());
  EXPECT_EQ(even.received(), 0);
  // Between 5 elements: 9 places, 5 and 4, so that shard 1 begins between elements.
  const auto odd = halo_of({.window = {.extent = 5, .base_dilation = 2},
                            .count = 9,
                            .n = 2,
                            .elements = 3,
                            .windows = 5});
  EXPECT_EQ(odd.lead, (ir::I64s{0, 1}));
  EXPECT_FALSE(odd.has_one_lead());
}

TEST(PartitionWindows, TooManyMessagesOrNoElementsAreNoHalo) {
  // x[0:32] of 1024 over 32 shards: every shard but the first needs an element of the first.
  EXPECT_FALSE(passes::find_halo(
      {.window = {.extent = 1024}, .count = 32, .n = 32, .elements = 32, .windows = 1}));
  // Padding alone.
  EXPECT_FALSE(passes::find_halo(
      {.window = {.extent = 4, .low = 9}, .count = 8, .n = 2, .elements = 2, .windows = 4}));
}

}  // namespace
}  // namespace partita::testing
