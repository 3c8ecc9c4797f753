// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Where temporaries lie: in memory that others have had, or each in memory of its own.
#include <gtest/gtest.h>

#include "kernel/draft_pass.hpp"
#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/frontend/stablehlo.hpp"

namespace partita::kernel {
namespace {

constexpr std::int64_t count = 40, gap = 128;

/// in0 -> t0 -> t1 -> t2 -> t3 -> out0, by copies.
PlanDraft chain() {
  PlanDraft draft;
  Plan& p = draft.plan;
  const Type type{.dtype = DType::f32, .dims = {count}};
  p.inputs = {{.name = "x", .type = type}};
  p.outputs = {{.name = "y", .type = type}};
  p.buffers = {{.kind = BufferKind::input, .count = count, .name = "x"},
               {.kind = BufferKind::output, .count = count, .name = "y"}};
  for (int k = 0; k < 4; ++k) p.buffers.push_back({.count = count, .name = cat("t", k)});
  for (const auto& [from, to] : {std::pair{0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 1}})
    p.steps.push_back({Copy{.from = {from, 0}, .to = {to, 0}, .count = count}, "copy"});
  return draft;
}

/// Pairs of temporaries that share a byte, or have fewer than `apart` bytes between them.
int close_pairs(const Plan& plan, std::int64_t apart) {
  int pairs = 0;
  for (std::size_t a = 0; a < plan.buffers.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const Buffer &x = plan.buffers[a], &y = plan.buffers[b];
      const bool is_temporary = x.kind == BufferKind::arena || x.kind == BufferKind::spare;
      if (!is_temporary || x.kind != y.kind || x.index != y.index) continue;
      const auto end = [&](const Buffer& buffer) {
        return buffer.arena_offset + buffer.count.value() * std::int64_t(byte_size(buffer.dtype)) +
               apart;
      };
      pairs += x.arena_offset < end(y) && y.arena_offset < end(x);
    }
  return pairs;
}

void assign_arena(PlanDraft& draft, const std::string& options = "") {
  (void)run_draft_passes(draft, manager::parse_runs("assign-arena" + options), {});
}

TEST(Arena, is_shared_by_what_is_not_alive_together) {
  PlanDraft draft = chain();
  assign_arena(draft);
  EXPECT_EQ(draft.plan.arena_bytes, 4 * count);  // every other one lies in the result
  EXPECT_GT(close_pairs(draft.plan, 0), 0);
}

TEST(Arena, has_a_place_and_a_gap_for_each_without_sharing) {
  PlanDraft draft = chain();
  assign_arena(draft, "{share=no}");
  constexpr std::int64_t bytes = 4 * count, whole = 2 * 128;  // up to where another may begin
  EXPECT_EQ(draft.plan.arena_bytes, 3 * (whole + gap) + bytes + gap);
  EXPECT_EQ(close_pairs(draft.plan, gap), 0);
}

TEST(Arena, option_of_the_compiler_says_whether_it_is_shared) {
  const auto module = ir::parse_module(R"(
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %1, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.dot_general %2, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = stablehlo.dot_general %3, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
})",
                                       "program");
  for (const std::string& target : driver::built_targets()) {
    CompileOptions options{.target = target};
    const Plan shared = partita::compile(*module, options).artifact.plan;
    options.shares_arena = false;
    const Plan apart = partita::compile(*module, options).artifact.plan;
    EXPECT_GT(close_pairs(shared, 0), 0) << target;
    EXPECT_EQ(close_pairs(apart, gap), 0) << target;
    EXPECT_GT(apart.arena_bytes, shared.arena_bytes) << target;
  }
}

}  // namespace
}  // namespace partita::kernel
