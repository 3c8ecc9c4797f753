// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Arenas that are cut for devices whose largest allocation is smaller.
#include "runtime/exec/arena_pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "partita/base/error.hpp"
#include "tests/support/sample_artifacts.hpp"

namespace partita {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Value {
  std::int64_t offset = 0, bytes = 0;
};

Plan plan_of(const std::vector<Value>& values) {
  Plan plan;
  for (const Value& v : values) {
    plan.buffers.push_back({.dtype = DType::ui8, .count = v.bytes, .arena_offset = v.offset});
    plan.arena_bytes = std::max(plan.arena_bytes, v.offset + v.bytes);
  }
  return plan;
}

TEST(ArenaPieces, one_where_it_fits_or_nothing_limits_it) {
  const Plan plan = plan_of({{0, 256}, {256, 128}});
  for (const std::int64_t most : {0, 384, 1000}) {
    const ArenaPieces pieces = cut_arena(plan, most);
    EXPECT_THAT(pieces.bytes, ElementsAre(384)) << most;
    EXPECT_EQ(pieces.places[1].offset, 256) << most;
  }
  EXPECT_TRUE(cut_arena(plan_of({}), 100).bytes.empty());
}

TEST(ArenaPieces, are_cut_between_values_where_that_can_be) {
  const ArenaPieces pieces = cut_arena(plan_of({{0, 256}, {256, 256}, {512, 128}}), 600);
  EXPECT_THAT(pieces.bytes, ElementsAre(512, 128));
  EXPECT_EQ(pieces.places[2].piece, 1);
  EXPECT_EQ(pieces.places[2].offset, 0);
}

TEST(ArenaPieces, values_across_a_cut_share_one_place) {
  // All places from 384 to 640 are taken by values that cross them.
  const ArenaPieces pieces = cut_arena(plan_of({{0, 640}, {256, 512}, {640, 256}, {0, 256}}), 640);
  for (const std::int64_t bytes : pieces.bytes) EXPECT_LE(bytes, 640);
  EXPECT_LE(pieces.total_bytes(), 896 + 640);
}

TEST(ArenaPieces, a_value_that_is_too_large_has_one_as_large) {
  const ArenaPieces pieces = cut_arena(plan_of({{0, 128}, {128, 4000}, {4224, 128}}), 512);
  EXPECT_EQ(pieces.bytes[std::size_t(pieces.places[1].piece)], 4000);
}

// What may not share memory in the plan does not share it in pieces; all lie within theirs.
TEST(ArenaPieces, keep_apart_what_is_apart_in_random_arenas) {
  std::mt19937 random(7);
  const auto below = [&](std::int64_t n) { return std::int64_t(random() % std::uint64_t(n)); };
  for (int round = 0; round < 300; ++round) {
    std::vector<Value> values;
    std::int64_t largest = 1;
    for (std::int64_t k = below(30) + 1; k > 0; --k) {
      const std::int64_t bytes = below(round % 3 == 0 ? 60 : 1500);
      values.push_back({below(40) * place_alignment(bytes), bytes});
      largest = std::max(largest, bytes);
    }
    const std::int64_t most = largest + below(round % 3 == 0 ? 50 : 2000);
    const ArenaPieces pieces = cut_arena(plan_of(values), most);
    for (const std::int64_t bytes : pieces.bytes) ASSERT_LE(bytes, most) << round;
    for (std::size_t a = 0; a < values.size(); ++a) {
      const auto& pa = pieces.places[a];
      ASSERT_GE(pa.piece, 0);
      ASSERT_EQ(pa.offset % place_alignment(values[a].bytes), 0);
      ASSERT_LE(pa.offset + values[a].bytes, pieces.bytes[std::size_t(pa.piece)]) << round;
      for (std::size_t b = 0; b < a; ++b) {
        const auto share = [](std::int64_t x, std::int64_t x_bytes, std::int64_t y,
                              std::int64_t y_bytes) {
          return x < y + y_bytes && y < x + x_bytes && x_bytes > 0 && y_bytes > 0;
        };
        const auto& pb = pieces.places[b];
        const bool share_now =
            pa.piece == pb.piece && share(pa.offset, values[a].bytes, pb.offset, values[b].bytes);
        ASSERT_TRUE(!share_now ||
                    share(values[a].offset, values[a].bytes, values[b].offset, values[b].bytes))
            << round;
      }
    }
  }
}

// y = x + 1 + 1 + … by way of temporaries side by side.
Artifact chain(std::int64_t n, int length) {
  Artifact artifact;
  artifact.target = "opencl";
  artifact.modules.push_back({"kernels", ""});
  artifact.kernels.push_back({"increment", 0});
  Plan& p = artifact.plan;
  const Type type{.dtype = DType::f32, .dims = {n}};
  p.inputs = {{.name = "x", .type = type}};
  p.outputs = {{.name = "y", .type = type}};
  p.buffers = {{.kind = BufferKind::input, .count = n, .name = "x"},
               {.kind = BufferKind::output, .count = n, .name = "y"}};
  int from = 0;
  for (int k = 0; k <= length; ++k) {
    const int to = k == length ? 1 : int(p.buffers.size());
    if (k < length) {
      p.buffers.push_back({.count = n, .arena_offset = p.arena_bytes, .name = cat("t", k)});
      p.arena_bytes += (n * 4 + 127) / 128 * 128;
    }
    p.steps.push_back(
        {Launch{.kernel = 0, .buffers = {{from, 0}, {to, 0}}, .global = {n, 1, 1}}, "increment"});
    from = to;
  }
  return artifact;
}

NullKernels increment_kernels() {
  return {{"increment", [](const NullKernelArgs& a) {
             for (std::int64_t i = 0; i < a.global[0]; ++i)
               a.buffers[1].as<float>()[i] = a.buffers[0].as<float>()[i] + 1;
           }}};
}

TEST(ArenaPieces, programs_run_in_them_with_and_without_margins) {
  for (const bool poisoned : {false, true}) {
    SessionOptions options;
    if (poisoned) options.poison = 0xff;
    Session session(chain(100, 20), options,
                    testing::null_parts(1, increment_kernels(), {.largest_buffer = 2000}));
    session.set_input(0, testing::f32_array({100}, std::vector<float>(100, 1.f)));
    session.run();
    EXPECT_EQ(testing::f32_values(session.output(0).value()), std::vector<float>(100, 22.f));
    EXPECT_GE(session.stats().peak_arena_bytes, 20 * 400);
    EXPECT_LE(session.stats().peak_arena_bytes, 20 * 512);
  }
}

TEST(ArenaPieces, a_value_beyond_the_largest_allocation_is_an_error_that_names_it) {
  try {
    Session session(chain(100, 3), {},
                    testing::null_parts(1, increment_kernels(), {.largest_buffer = 399}));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    EXPECT_THAT(error.what(),
                HasSubstr("input 'x' takes 400 bytes, null allows 399 in one buffer"));
  }
}

}  // namespace
}  // namespace partita
