// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attention and its gradient for devices of many items, run on the OpenCL device that is here and compared with the
// interpreter: element by element and on matrix units, even and uneven.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernel/ast/plan_steps.hpp"
#include "kernel/text/draft_text.hpp"
#include "tests/codegen/group_form.hpp"

namespace partita::testing {
namespace {

struct AttentionCase {
  std::int64_t batch, heads, rows, columns, depth, width;
  std::string dtype = "f32", mask = {};  ///< mask: "", "causal", "bias", "none at all"
  bool heads_inside = false;  ///< queries, keys and values are [batch, rows, heads, depth]
};

/// Weighted values %o; of a gradient, those by queries, keys and values, with a cotangent as further argument.
std::string text_of(const AttentionCase& c, bool is_gradient = false) {
  const auto side = [&](std::int64_t rows, std::int64_t depth) {
    return tensor(
        c.heads_inside ? Dims{c.batch, rows, c.heads, depth} : Dims{c.batch, c.heads, rows, depth},
        c.dtype);
  };
  const std::string q = side(c.rows, c.depth), k = side(c.columns, c.depth),
                    v = side(c.columns, c.width),
                    out = tensor({c.batch, c.heads, c.rows, c.width}, c.dtype),
                    r = tensor({c.batch, c.heads, c.rows}, "f32");
  const auto scores = [&](const char* d) {
    return tensor({c.batch, c.heads, c.rows, c.columns}, d);
  };
  const std::string s = scores("f32"), p = scores(c.dtype.c_str()),
                    heads = c.heads_inside ? "[0, 2] x [0, 2]" : "[0, 1] x [0, 1]";
  const std::string arguments = cat("%q: ", q, ", %k: ", k, ", %v: ", v, ", %b: ", s);
  std::string text = cat(R"( {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %scale = stablehlo.constant dense<0.25> : )",
                         s, "\n  %lows = stablehlo.constant dense<0xFF800000> : ", s,
                         "\n  %0 = stablehlo.dot_general %q, %k, batching_dims = ", heads,
                         ", contracting_dims = [3] x [3] : (", q, ", ", k, ") -> ", s,
                         "\n  %1 = stablehlo.multiply %0, %scale : ", s, "\n");
  std::string t = "%1";
  if (c.mask == "bias") text += cat("  %2 = stablehlo.add %1, %b : ", s, "\n");
  if (c.mask == "causal" || c.mask == "none at all")
    text += cat("  %i = stablehlo.iota dim = 2 : ", scores("i32"),
                "\n  %j = stablehlo.iota dim = 3 : ", scores("i32"),
                "\n  %seen = stablehlo.compare ", c.mask == "causal" ? "GE" : "GT", ", %i, %j : (",
                scores("i32"), ", ", scores("i32"), ") -> ", scores("i1"),
                "\n  %2 = stablehlo.select %seen, %1, %lows : ", scores("i1"), ", ", s, "\n");
  if (!c.mask.empty()) t = "%2";
  text += cat(
      "  %m = stablehlo.reduce(", t,
      " init: %low) applies stablehlo.maximum across dimensions = [3] : (", s, ", tensor<f32>) -> ",
      r, "\n  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2] : (", r, ") -> ", s,
      "\n  %3 = stablehlo.subtract ", t, ", %mb : ", s, "\n  %e = stablehlo.exponential %3 : ", s,
      "\n  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [3] : (",
      s, ", tensor<f32>) -> ", r, "\n  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2] : (",
      r, ") -> ", s, "\n  %4 = stablehlo.divide %e, %zb : ", s, "\n  %p = stablehlo.convert %4 : (",
      s, ") -> ", p, "\n");
  text += cat("  %o = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x ",
              c.heads_inside ? "[0, 2]" : "[0, 1]", ", contracting_dims = [3] x [",
              c.heads_inside ? 1 : 2, "] : (", p, ", ", v, ") -> ", out, "\n");
  if (!is_gradient)
    return cat("func.func @main(", arguments, ") -> ", out, text, "  return %o : ", out, "\n}\n");
  const std::string wide = tensor({c.batch, c.heads, c.rows, c.width}, "f32"),
                    results = cat("(", q, ", ", k, ", ", v, ")");
  return cat("func.func private @loss(", arguments, ", %g: ", out, ") -> tensor<f32>", text,
             "  %og = stablehlo.multiply %o, %g : ", out, "\n  %ow = stablehlo.convert %og : (",
             out, ") -> ", wide,
             "\n  %l = stablehlo.reduce(%ow init: %zero) applies stablehlo.add across dimensions = "
             "[0, 1, 2, 3] : (",
             wide, ", tensor<f32>) -> tensor<f32>\n  return %l : tensor<f32>\n}\nfunc.func @main(",
             arguments, ", %g: ", out, ") -> ", results,
             " {\n  %0:3 = \"mr.grad\"(%q, %k, %v, %b, %g) {callee = @loss, wrt = array<i64: 0, 1, "
             "2>} : (",
             q, ", ", k, ", ", v, ", ", s, ", ", out, ") -> ", results,
             "\n  return %0#0, %0#1, %0#2 : ", q, ", ", k, ", ", v, "\n}\n");
}

TEST(GroupAttention, is_one_kernel) {
  const AttentionCase cases[] = {
      {1, 1, 64, 32, 16, 32},
      {2, 3, 70, 45, 20, 20},
      {1, 2, 128, 128, 64, 64, "f32", "causal"},
      {1, 2, 65, 129, 64, 48, "f32", "bias", true},
      {2, 1, 33, 100, 7, 5, "f32", "causal", true},
      {1, 1, 1, 300, 128, 128, "f32", "bias"},
      {1, 1, 40, 70, 256, 256},
      {1, 1, 3, 16, 130, 200, "f32", "causal"},
      {1, 2, 50, 64, 32, 64, "bf16", "causal"},
      {1, 1, 64, 90, 80, 96, "f16"},
      {1, 1, 20, 40, 8, 8, "f32", "none at all"},  // the first row sees nothing: no number
  };
  for (const AttentionCase& c : cases)
    for (const char* device : {"gpu", "nvidia-sm_90"}) {
      expect_equal(text_of(c), device, c.columns);
      EXPECT_EQ(compile_for(text_of(c), device).artifact.kernels.size(), 1u) << text_of(c);
    }
}

TEST(GroupAttention, on_matrix_units_and_without) {
  const AttentionCase cases[] = {
      {1, 2, 64, 64, 16, 16, "bf16", "causal"},
      {2, 1, 100, 45, 24, 20, "f16", "bias", true},
      {1, 2, 65, 33, 7, 5, "bf16", "causal", true},
      {1, 1, 70, 40, 16, 16, "f16", "none at all"},
  };
  for (const AttentionCase& c : cases) {
    EXPECT_THAT(compile_for(text_of(c), "nvidia-sm_90").source,
                ::testing::HasSubstr("multiply_matrices"));
    for (const char* how : {"exchange", "none"}) {
      ::setenv("PARTITA_MATRIX_UNITS", how, 1);
      expect_equal(text_of(c), "nvidia-sm_90", c.columns);
    }
  }
  ::unsetenv("PARTITA_MATRIX_UNITS");
}

TEST(GroupAttention, whole_lines_are_copied_to_matrix_units) {
  using ::testing::HasSubstr, ::testing::Not;
  for (const bool has_gradient : {false, true}) {
    const auto source = [&](std::int64_t depth) {
      return compile_for(text_of({1, 2, 64, 64, depth, depth, "bf16", "causal"}, has_gradient),
                         "nvidia-sm_90")
          .source;
    };
    EXPECT_THAT(source(16), HasSubstr("copy_ahead(a"));
    EXPECT_THAT(source(5), Not(HasSubstr("copy_ahead(a")));
  }
}

TEST(GroupAttention, moves_what_was_asked_for) {
  expect_smooth(text_of(AttentionCase{4, 16, 2048, 2048, 64, 64, "bf16", "causal"}));
  expect_smooth(text_of(AttentionCase{4, 16, 2048, 2048, 128, 128, "bf16", "", true}));
  expect_smooth(text_of(AttentionCase{4, 16, 2048, 2048, 64, 64, "f32", "causal"}));
  expect_smooth(text_of(AttentionCase{4, 16, 2048, 2048, 128, 128, "f32", "", true}));
}

const AttentionCase gradient_cases[] = {
    {1, 1, 64, 32, 16, 32},
    {2, 3, 70, 45, 20, 20},
    {1, 2, 65, 129, 64, 48, "f32", "bias", true},
    {2, 1, 33, 100, 7, 5, "f32", "causal", true},
    {1, 1, 1, 300, 128, 128, "f32", "bias"},
    {1, 1, 3, 16, 130, 200, "f32", "causal"},
    {1, 2, 50, 32, 32, 64, "bf16", "causal"},
    {1, 1, 20, 40, 8, 8, "f32", "none at all"},
};

void expect_gradient(const AttentionCase& c, const std::string& device) {
  const std::string text = text_of(c, true);
  expect_equal(text, device, c.columns);
  // Attention, the dots of rows, and two kernels of the gradient; what is beside them turns results.
  const Artifact artifact = compile_for(text, device).artifact;
  EXPECT_LE(artifact.kernels.size(), c.heads_inside ? 7u : 4u) << text;
}

TEST(GroupAttentionGradient, stores_no_scores) {
  for (const AttentionCase& c : gradient_cases) expect_gradient(c, "gpu");
}

TEST(GroupAttentionGradientTiles, for_sm_90) {
  for (const AttentionCase& c : gradient_cases) expect_gradient(c, "nvidia-sm_90");
}

/// Tiles as products of large programs have them.
TEST(GroupAttentionGradientTiles, of_deep_lines) {
  expect_gradient({1, 2, 128, 128, 64, 64, "f32", "causal"}, "nvidia-sm_90");
  expect_gradient({1, 1, 40, 70, 256, 256}, "gpu");
}

TEST(GroupAttentionGradientUnits, give_what_is_expected) {
  ::setenv("PARTITA_MATRIX_UNITS", "exchange", 1);
  expect_equal(text_of({1, 2, 64, 64, 16, 16, "bf16", "causal"}, true), "nvidia-sm_90", 64);
  expect_equal(text_of({1, 1, 70, 81, 16, 12, "f16", "bias", true}, true), "nvidia-sm_90", 81);
  ::unsetenv("PARTITA_MATRIX_UNITS");
}

TEST(GroupAttentionGradient, is_the_same_where_units_are_missing) {
  ::setenv("PARTITA_MATRIX_UNITS", "none", 1);
  expect_equal(text_of({1, 2, 64, 64, 16, 16, "bf16", "causal"}, true), "nvidia-sm_90", 64);
  ::unsetenv("PARTITA_MATRIX_UNITS");
}

TEST(GroupAttentionGradient, takes_matrix_units) {
  const AttentionCase c{1, 2, 64, 64, 16, 16, "bf16", "causal"};
  const kernel::PlanDraft draft =
      kernel::parse_draft(draft_after("prove-independence", text_of(c, true)), "t");
  const auto with_units =
      std::ranges::count_if(kernel::launched_kernels(draft.plan.steps),
                            [&](int k) { return draft.kernels[std::size_t(k)]->plain != nullptr; });
  EXPECT_EQ(with_units, 3);
}

TEST(GroupAttentionGradient, moves_what_was_asked_for) {
  expect_smooth(text_of({4, 16, 2048, 2048, 64, 64, "bf16", "causal"}, true));
  expect_smooth(text_of({4, 16, 2048, 2048, 128, 128, "bf16", "", true}, true));
  expect_smooth(text_of({4, 16, 2048, 2048, 64, 64, "f32", "causal"}, true));
  expect_smooth(text_of({4, 16, 2048, 2048, 128, 128, "f32", "", true}, true));
  expect_smooth(text_of({4, 4, 2048, 2048, 256, 256, "f32"}, true));
}

}  // namespace
}  // namespace partita::testing
