// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Drafts as text: everything that a draft can hold reads back as itself, and what does not hold together
// is refused where it stands.
#include "kernel/text/draft_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "kernel/ast/statements.hpp"
#include "kernel/ast/verify.hpp"
#include "kernel/text/print_kernel.hpp"
#include "kernel/text/quote.hpp"
#include "partita/base/error.hpp"

namespace partita::kernel {
namespace {

using ::testing::HasSubstr;

/// Every kind of step, and what may be left out in them.
constexpr std::string_view every_step = R"(count "library_calls" 1
contraction "gemm_2x2" "library; \"why\" \\ \0a"
variable v0 "begin"
variable v1 "end"
variable v2 ""
placement "clients" 12 from v0 to v1
placement "whole" 3
input "x" : f32[12, 4] over "clients"
input "" : i32[]
output "" : f32[4]
constant f16[2] = 0x003c00c0
constant f32[0] = 0x
buffer b0 input 0 : f32[((v1 - v0) * 4)] "x"
buffer b1 input 1 : i32[1] "i"
buffer b2 output 0 : f32[4] "y"
buffer b3 constant 0 : f16[2] "c"
buffer b4 arena at 0 : f32[16] "a"
buffer b5 block : f32[((v1 - v0) * 4)] "b"
buffer b6 arena at 128 : i1[1] "p"
buffer b7 arena at 256 : f32[48] "all"
buffer b8 arena at 512 : bf16[16] "narrow"
arena 1024
requests 2

kernel @twice.0 "adds \"x\" to itself" {
  buffers f32, f32 written
  scalars s0 in [0, 12], s1
  variables k0 < 4
  %0 = k0
  %1 = s0
  %2 = %0 + %1
  %3 = load b0[%2]
  %4 = add(%3, %3) : f32
  %5 = s1
  %6 = %0 < %5
  when %6 {
    store b1[%0] = %4
  }
}

steps {
  launch @twice.0(b0[(v0 mod 2)], b2, i64 v0, i32 min((v1 / 2), 7)) over 4, max(v1, 1), 1 groups 4, 1, 1 "twice"
  gemm f32 2, 2, 2 (b4[v0] transposed by 2 stride 4, b4[8] by 2, b4 by 2 stride 4) alpha 0.5 beta 1 batch (v1 - v0) "gemm"
  gemm f32 of bf16 2, 2, 2 (b8 by 2, b8 transposed by 2, b4 by 2) "narrow"
  copy b0[4] to b4 count 4 "copy"
  for v2 from v0 to v1 step 3 "loop" {
    copy b4 to b5[(v2 * 4)] count 4 "block"
  }
  while b6 "while" {
    copy b6 to b6 count 0 "condition"
  } do {
    done 0 "inside"
  }
  case b1 : i32 "case" {
    copy b4 to b4[4] count 4 "first"
  } or {
  }
  all_reduce 0 max f32 over "clients" (b4 count 4, b4[8] count 2) "reduce"
  all_gather 1 f32 over "clients" b5 to b7 each 4 "gather"
  done 1 ""
  host "eigh" "lower" (b4[8] f32 by 2 by 2) to (b7, b2) "eigenvalues"
  host "lu" (b4 f32 by 1 by 2) to (b7, b1, b1) count 0 "none"
  check b6 "expected \"p\"" "check"
}
)";

/// Every kind of statement and expression.
constexpr std::string_view every_expression = R"(
kernel @all.0 {
  buffers f32, i32, f32 written, c64, bf16 written
  scalars s0
  variables k0 < 64, k1 < 8, k2, k3 < 4, k4
  registers 3
  rows k1
  flags wide_index, stores_last, independent_items
  %0 = k0
  %1 = k1
  %2 = s0
  %3 = item
  %4 = 3
  %5 = %0 * %4
  %6 = %5 - %1
  %7 = %6 / %4
  %8 = %0 mod %4
  %9 = min(%8, %2)
  %10 = max(%9, %1)
  %11 = %10 + %0
  %12 = load b1[%11]
  %13 = index %12
  %14 = %13 < %2
  %15 = %13 <= %3
  %16 = %13 == %4
  %17 = and_(%14, %15) : i1
  %18 = or_(%17, %16) : i1
  %19 = load b0[%0]
  %20 = load b3[%1]
  %21 = real(%20) : c64
  %22 = convert %12 to f32
  %23 = bitcast %12 to f32
  %24 = element %0 : f32
  %25 = constant -0 : f32
  declare r0 : f32 = %25
  for k2 from %4 to %2 step 2 parallel {
    %26 = constant 0x7fc00001 : f32
    %27 = constant 0x3f8000004 : c64
    %28 = constant true : i1
    %29 = choose(%18, %22, %23)
    %30 = k2
    %31 = load b0[%30]
    multiply_add r0 : f32 += %31 * %29
    assign r0 : f32 = %24
  }
  declare r1 : f32 = %26 over k3 of 4
  %32 = r1 : f32
  add_lanes r0 : f32 += %32 of 4
  when %28 {
    %33 = k3
    %34 = %33 + %0
    %35 = r0 : f32
    store b2[%34] = %35 over k3 of 4 f32
    %36 = convert %35 to bf16
    store b4[%34] = %36 over k3 of 4 f32
    %37 = real(%27) : c64
    store b2[%0] = %37
    store b2[%1] = %21
    store b2[%7] = %19
  }
}
)";

std::string with_steps(std::string_view kernel) {
  return cat("input \"\" : f32[64]\nbuffer b0 input 0 : f32[64] \"\"\n", kernel, "\nsteps {\n}\n");
}

std::string refusal(const std::string& text) {
  try {
    (void)parse_draft(text, "t");
  } catch (const Error& e) {
    EXPECT_EQ(int(e.kind()), int(ErrorKind::user));
    return e.located_message();
  }
  return "none";
}

/// `text` with the first `from` replaced.
std::string with(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  const std::size_t at = changed.find(from);
  if (at == std::string::npos) ADD_FAILURE() << "no " << from;
  return changed.replace(at, from.size(), to);
}

TEST(DraftText, every_step_reads_back_as_itself) {
  EXPECT_EQ(print_draft(parse_draft(every_step, "steps")), every_step);
}

TEST(DraftText, every_expression_reads_back_as_itself) {
  // A kernel that nothing launches is not printed.
  const PlanDraft draft = parse_draft(with_steps(every_expression), "kernel");
  ASSERT_EQ(draft.kernels.size(), 1u);
  EXPECT_EQ("\n" + text::print_kernel(*draft.kernels[0], "@all.0"), every_expression);
}

TEST(DraftText, what_nothing_uses_is_left_out) {
  const PlanDraft draft = parse_draft(with_steps(every_expression), "kernel");
  EXPECT_EQ(print_draft(draft), with_steps(""));
  const std::string unused = with(every_step, "  %5 = s1\n", "  %5 = s1\n  %6 = k0\n  %7 = 12\n");
  EXPECT_THAT(refusal(unused), HasSubstr("expected %8, found %6"));
}

TEST(DraftText, says_where_it_cannot_be_read) {
  EXPECT_EQ(refusal(""), "t:1:1: expected a declaration or the steps, found the end");
  EXPECT_EQ(refusal("steps {\n  launsh\n}"), "t:2:3: expected a step, found 'launsh'");
  EXPECT_EQ(refusal("input \"x"), "t:1:7: expected '\"' at the end of a quoted text, found none");
  EXPECT_EQ(refusal("input \"\\q\" : f32[]"),
            "t:1:7: expected a character after '\\', found '\"\\q\"'");
  EXPECT_EQ(refusal("constant f32[2] = 0x00\nsteps {}"),
            "t:1:10: expected 0x and the bytes of tensor<2xf32>, found 4 characters");
  EXPECT_EQ(refusal("steps {\n} steps"), "t:2:3: expected the end after the steps, found 'steps'");
  EXPECT_EQ(refusal("buffer b1 arena : f32[1] \"\""), "t:1:8: expected b0, found b1");
  EXPECT_EQ(refusal(cat("buffer b0 arena : f32[", std::string(200, '('))),
            cat("t:1:", 22 + 101, ": expected less nesting, found '('"));
}

struct Wrong {
  std::string_view from, to, message;
};

TEST(DraftText, steps_must_hold_together) {
  const Wrong all[] = {
      {"(b0[(v0 mod 2)], b2,", "(b0[(v0 mod 2)],", "step twice: expected 2 buffers, found 1"},
      {", i32 min((v1 / 2), 7)", "", "step twice: expected 2 scalars, found 1"},
      {"launch @twice.0(b0", "launch @twice.0(b1", "buffer 0: expected f32, found i32"},
      {"launch @twice.0(b0", "launch @twice.1(b0", "expected a kernel that is declared"},
      {"copy b0[4] to b4", "copy b0[4] to b9", "expected a buffer below 9, found 9"},
      {"b4[v0] transposed", "b4[v3] transposed", "expected a variable below 3, found 3"},
      {"arena at 128", "arena at 100", "expected a place within 1024 bytes of arena"},
      {"over \"clients\" (b4", "over \"others\" (b4", "expected the name of a placement"},
      {"done 1", "done 2", "expected a request below 2, found 2"}};
  for (const Wrong& w : all)
    EXPECT_THAT(refusal(with(every_step, w.from, w.to)), HasSubstr(w.message)) << w.to;
}

TEST(DraftText, kernels_must_hold_together) {
  const Wrong all[] = {
      {"%6 = %5 - %1", "%6 = %5 - %9", "expected an expression that is defined, found %9"},
      {"%7 = %6 / %4", "%7 = %6 / %1", "expected a positive number to divide by"},
      {"%17 = and_(%14, %15) : i1", "%17 = and_(%14, %13) : i1", "found an index"},
      {"%17 = and_(%14, %15) : i1", "%17 = and_(%14, %15, %15) : i1",
       "expected 2 operands, found 3"},
      {"%17 = and_(%14, %15) : i1", "%17 = wand(%14, %15) : i1", "found 'wand'"},
      {"%13 = index %12", "%13 = index %5", "expected an element"},
      {"choose(%18, %22, %23)", "choose(%18, %22, %12)", "expected f32, found i32"},
      {"bitcast %12 to f32", "bitcast %12 to f16", "expected dtypes of one width"},
      {"constant true : i1", "constant 2 : i1", "expected an element of i1, found 2"},
      {"load b3[%1]", "load b5[%1]", "expected one of 5 buffers, found b5"},
      {"registers 3", "registers 1", "expected a register below r1, found r1"},
      {"declare r1", "declare r0", "expected another register than those around it, found r0"},
      {"assign r0", "assign r2", "expected a register that is declared, found r2"},
      {"for k2 from", "for k1 from", "expected another variable than those around it, found k1"},
      {"over k3 of 4\n", "over k5 of 4\n", "expected a variable below k5, found k5"},
      {"%33 = k3", "%33 = k4", "expected a variable of a loop around it, found k4"},
      {"store b2[%0] = %37", "store b0[%0] = %37", "expected a buffer that is written, found b0"},
      {"store b2[%0] = %37", "store b2[%37] = %37", "expected an index, found an element"},
      {"store b2[%0] = %37", "store b2[%0] = %12", "expected f32, found i32"},
      {"when %28", "when %12", "expected i1, found i32"},
      {"step 2", "step 0", "expected a step of at least 1, found 0"},
      {"%2 = s0", "%2 = s1", "expected one of 1 scalars, found s1"},
      {"over k3 of 4 f32\n    %36", "over k3 of 4 i16\n    %36",
       "expected vectors of f32, f64 or integers"},
      {"flags wide_index", "flags narrow", "expected a flag of a kernel, found 'narrow'"}};
  for (const Wrong& w : all)
    EXPECT_THAT(refusal(with_steps(with(every_expression, w.from, w.to))), HasSubstr(w.message))
        << w.to;
}

TEST(DraftText, elements_keep_their_bits) {
  for (const DType d : all_dtypes) {
    if (d == DType::c128) continue;
    const std::size_t bits = 8 * byte_size(d);
    std::vector<std::uint64_t> samples{0, 1, 2, 0x3c00, 0x3f80, 0x7f800000, 0x7fc00001, 0x80000000};
    for (const double x : {0.1, -0.0, 1e300, std::numeric_limits<double>::infinity()})
      samples.push_back(std::bit_cast<std::uint64_t>(x));
    samples.push_back(std::numeric_limits<std::uint64_t>::max());
    for (std::uint64_t sample : samples) {
      if (bits < 64) sample &= (std::uint64_t(1) << bits) - 1;
      const std::string text = text::constant_text(d, sample);
      EXPECT_EQ(text::constant_bits(d, text), sample) << to_string(d) << " " << text;
    }
  }
  EXPECT_EQ(text::constant_text(DType::f32, std::bit_cast<std::uint32_t>(0.1f)), "0.1");
  EXPECT_EQ(text::constant_text(DType::f32, std::bit_cast<std::uint32_t>(-0.0f)), "-0");
  EXPECT_EQ(text::constant_text(DType::bf16, 0x3f80), "1");
  EXPECT_EQ(text::constant_text(DType::i8, 0xff), "-1");
  EXPECT_EQ(text::constant_text(DType::ui8, 0xff), "255");
  EXPECT_EQ(text::constant_bits(DType::i8, "0x100"), std::nullopt);
  EXPECT_EQ(text::constant_bits(DType::f32, "1.5x"), std::nullopt);
}

TEST(DraftText, expressions_are_not_folded_when_they_are_read) {
  Kernel kernel;
  kernel.pool.set_extent(0, 4);
  const scalar::ExprId four = kernel.pool.index(4), item = kernel.pool.variable(0);
  const scalar::ExprId quotient =
      kernel.pool.restore({.kind = scalar::ExprKind::index_div, .operands = {item, four}});
  EXPECT_NE(quotient, kernel.pool.div(item, 4));
  EXPECT_FALSE(kernel.pool.is_index_constant(quotient));
}

TEST(DraftText, names_are_quoted) { EXPECT_EQ(text::quote("a\"b\\c\n\x7f"), R"("a\"b\\c\0a\7f")"); }

}  // namespace
}  // namespace partita::kernel
