// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What programs become for devices of many items (`--device gpu`), run on the OpenCL device that is here and
// compared with the interpreter: every form of contractions and of rows, even and uneven.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "kernel/text/draft_text.hpp"
#include "partita/compile.hpp"
#include "tests/codegen/group_form.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::testing {
namespace {

// --- Contractions -------------------------------------------------------------------------------

struct DotCase {
  std::int64_t batch, m, n, k;
  bool lhs_transposed, rhs_transposed;
  std::string dtype = "f32";
  std::string epilogue = {};
  bool is_tf32 = false;
};

/// What lets operands of f32 be rounded to tf32.
constexpr std::string_view tf32_algorithm =
    ", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
    "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
    "allow_imprecise_accumulation = false>";

std::string text_of(const DotCase& c) {
  const auto array = [&](std::int64_t rows, std::int64_t columns) {
    return tensor(c.batch > 0 ? Dims{c.batch, rows, columns} : Dims{rows, columns}, c.dtype);
  };
  const std::string lhs = c.lhs_transposed ? array(c.k, c.m) : array(c.m, c.k),
                    rhs = c.rhs_transposed ? array(c.n, c.k) : array(c.k, c.n),
                    out = array(c.m, c.n);
  const int first = c.batch > 0 ? 1 : 0;
  const int lhs_k = first + (c.lhs_transposed ? 0 : 1), rhs_k = first + (c.rhs_transposed ? 1 : 0);
  std::string text =
      cat("func.func @main(%a: ", lhs, ", %b: ", rhs, ", %c: ", out, ") -> ", out,
          " {\n  %0 = stablehlo.dot_general %a, %b, ",
          c.batch > 0 ? "batching_dims = [0] x [0], " : "", "contracting_dims = [", lhs_k, "] x [",
          rhs_k, "]", c.is_tf32 ? tf32_algorithm : "", " : (", lhs, ", ", rhs, ") -> ", out, "\n");
  std::string result = "%0";
  if (!c.epilogue.empty()) {
    text += cat("  %1 = stablehlo.", c.epilogue, " %0, %c : ", out, "\n");
    result = "%1";
  }
  return cat(text, "  return ", result, " : ", out, "\n}\n");
}

TEST(GroupForms, contractions) {
  const DotCase cases[] = {
      {0, 128, 128, 64, false, false},
      {0, 256, 128, 40, true, false, "f32", "add"},
      {0, 150, 110, 67, false, false, "f32", "maximum"},
      {0, 150, 110, 67, true, true},
      {0, 132, 164, 52, false, true, "f32", "multiply"},
      {0, 64, 64, 2048, false, false},
      {0, 64, 50, 1025, true, false, "f32", "add"},
      {0, 1, 1300, 900, false, false},
      {0, 1, 1300, 900, false, true},
      {0, 1301, 1, 877, false, false},
      {0, 1301, 1, 877, true, false},
      {0, 17, 19, 4001, true, false},
      {0, 3, 5, 7, false, false},
      {0, 1, 1, 1, false, false},
      {0, 1, 1, 5000, false, false},
      {0, 40, 40, 1, false, false},
      {3, 165, 133, 57, false, false, "f32", "add"},
      {2, 130, 140, 64, false, true},
      {7, 16, 16, 64, false, true},
      {0, 96, 180, 68, false, false, "f64", "add"},
      {2, 133, 131, 71, true, true, "f64"},
      {0, 164, 196, 40, false, true, "bf16", "add"},
      {0, 165, 131, 70, false, false, "bf16"},
      {0, 128, 128, 72, false, false, "f16"},
      {0, 140, 124, 70, false, true, "complex<f32>", "add"},
      {0, 20, 24, 30, false, false, "complex<f64>"},
      {0, 120, 124, 80, false, false, "complex<f64>"},
      {0, 170, 166, 50, false, false, "i32", "add"},
      {0, 130, 134, 70, true, false, "i64"},
      {0, 128, 128, 64, false, true, "i8"},
      {0, 9, 8, 7, false, true, "i1"},
  };
  for (const DotCase& c : cases) expect_equal(text_of(c), "gpu", c.k);
  for (const char* device : {"nvidia-sm_90", "amd-gfx90a"})
    for (const DotCase& c : {cases[0], cases[2], cases[6], cases[11], cases[16], cases[22]})
      expect_equal(text_of(c), device, c.k);
}

TEST(GroupForms, products_on_matrix_units_and_without) {
  const DotCase cases[] = {{0, 128, 128, 64, false, false, "bf16", "add"},
                           {0, 130, 67, 277, true, true, "f16"},
                           {2, 150, 136, 200, false, true, "bf16"},
                           {0, 136, 128, 200, true, false, "f16"}};
  for (const DotCase& c : cases)
    EXPECT_THAT(compile_for(text_of(c), "nvidia-sm_90").source,
                ::testing::HasSubstr(cat("multiply_matrices_", c.dtype, "(r")));
  for (const char* how : {"exchange", "none"}) {
    ::setenv("PARTITA_MATRIX_UNITS", how, 1);
    for (const DotCase& c : cases) expect_equal(text_of(c), "nvidia-sm_90", c.k);
  }
  ::unsetenv("PARTITA_MATRIX_UNITS");
}

/// Rounds to the nearest tf32 by the bits of a finite f32.
std::string tf32_rounding(const Dims& dims) {
  const std::string f = tensor(dims, "f32"), u = tensor(dims, "ui32");
  return cat("func.func @main(%x: ", f, ") -> ", f, R"( {
  %0 = stablehlo.bitcast_convert %x : ()",
             f, ") -> ", u, R"(
  %1 = stablehlo.constant dense<4096> : )",
             u, R"(
  %2 = stablehlo.add %0, %1 : )",
             u, R"(
  %3 = stablehlo.constant dense<4294959104> : )",
             u, R"(
  %4 = stablehlo.and %2, %3 : )",
             u, R"(
  %5 = stablehlo.bitcast_convert %4 : ()",
             u, ") -> ", f, R"(
  return %5 : )",
             f, "\n}\n");
}

TEST(GroupForms, operands_are_rounded_to_tf32_where_the_program_allows_it) {
  for (const DotCase& c : {DotCase{0, 128, 128, 64, false, false, "f32", "add", true},
                           DotCase{0, 66, 132, 513, false, true, "f32", "", true},
                           DotCase{2, 150, 136, 72, true, false, "f32", "maximum", true}}) {
    const std::string text = text_of(c);
    EXPECT_THAT(compile_for(text, "nvidia-sm_90").source,
                ::testing::HasSubstr("multiply_matrices_tf32(r"));
    const std::vector<ir::Tensor> inputs = inputs_of(text);
    std::vector<ir::Tensor> rounded = inputs;
    for (const std::size_t k : {0U, 1U})
      rounded[k] = ir::run_text(tf32_rounding(inputs[k]->type.dims), {inputs[k]})[0];
    const auto expect = [&](const char* how, const std::vector<ir::Tensor>& by) {
      ::setenv("PARTITA_MATRIX_UNITS", how, 1);
      ir::expect_close(results_on("nvidia-sm_90", text, inputs)[0], ir::run_text(text, by)[0],
                       cat(how, "\n", text), std::sqrt(double(c.k)));
      ::unsetenv("PARTITA_MATRIX_UNITS");
    };
    expect("exchange", rounded);
    expect("none", inputs);
    EXPECT_THAT(compile_for(text, "amd-gfx90a").source,
                ::testing::Not(::testing::HasSubstr("multiply_matrices")));
  }
  // What is not rounded without being asked to.
  EXPECT_THAT(compile_for(text_of({0, 128, 128, 64, false, false}), "nvidia-sm_90").source,
              ::testing::Not(::testing::HasSubstr("multiply_matrices")));
}

TEST(GroupForms, infinities_stay_infinite_as_tf32) {
  ::setenv("PARTITA_MATRIX_UNITS", "exchange", 1);
  const std::string text = text_of({0, 128, 128, 64, false, false, "f32", "", true});
  ASSERT_THAT(compile_for(text, "nvidia-sm_90").source,
              ::testing::HasSubstr("multiply_matrices_tf32(r"));
  std::vector<ir::Tensor> inputs = inputs_of(text);
  auto lhs = std::make_shared<HostArray>(*inputs[0]);
  lhs->data<DType::f32>()[0] = std::numeric_limits<float>::infinity();
  lhs->data<DType::f32>()[64] = std::numeric_limits<float>::quiet_NaN();
  inputs[0] = lhs;
  const ir::Tensor result = results_on("nvidia-sm_90", text, inputs)[0];
  ir::expect_close(result, ir::run_text(text, inputs)[0], text, 1e4);
  ::unsetenv("PARTITA_MATRIX_UNITS");
}

TEST(GroupForms, the_text_of_a_product_on_matrix_units_is_the_whole) {
  const std::string program = text_of({0, 128, 128, 64, false, true, "bf16"});
  const std::string source = compile_for(program, "nvidia-sm_90").source;
  EXPECT_THAT(source, ::testing::HasSubstr("multiply_matrices_bf16("));
  EXPECT_THAT(source, ::testing::HasSubstr("#else"));
  const std::string text = draft_after("lower", program);
  EXPECT_THAT(text, ::testing::HasSubstr("multiply_matrices r"));
  EXPECT_EQ(kernel::print_draft(kernel::parse_draft(text, "t")), text);
}

TEST(GroupForms, operands_of_matrix_units_are_copied_ahead_where_they_lie_side_by_side) {
  using ::testing::HasSubstr, ::testing::Not;
  for (const bool lhs : {false, true})
    for (const bool rhs : {false, true}) {
      const std::string source =
          compile_for(text_of({0, 128, 128, 96, lhs, rhs, "bf16"}), "nvidia-sm_90").source;
      EXPECT_THAT(source, HasSubstr("copy_ahead(a0, "));
      EXPECT_THAT(source, HasSubstr("copy_ahead(a1, "));
      EXPECT_THAT(source, HasSubstr("wait_for_copies(1);\n"));
    }
  // Rows of an odd number of elements begin anywhere; devices without such copies have none.
  for (const auto& [k, device] : {std::pair(97, "nvidia-sm_90"), std::pair(96, "amd-gfx90a")})
    EXPECT_THAT(compile_for(text_of({0, 128, 129, k, false, false, "bf16"}), device).source,
                Not(HasSubstr("copy_ahead(")));
}

TEST(GroupForms, operands_of_f32_are_copied_where_few_sub_groups_run) {
  using ::testing::HasSubstr, ::testing::Not;
  for (const bool lhs : {false, true})
    for (const bool rhs : {false, true})
      for (const auto& [m, n, k] : {std::array{128, 192, 128}, std::array{131, 129, 137}}) {
        const std::string text = text_of({0, m, n, k, lhs, rhs});
        const std::string source = compile_for(text, "nvidia-sm_90").source;
        EXPECT_THAT(source, HasSubstr("wait_for_copies(0);\n"));
        // Neighbours of which none is a term are copied 16 bytes at a time.
        if (lhs && !rhs && m % 4 == 0) {
          EXPECT_THAT(source, HasSubstr("copy_ahead(a0, "));
          EXPECT_THAT(source, HasSubstr("copy_ahead(a1, "));
        } else {
          EXPECT_THAT(source, HasSubstr("copy_element_ahead(a"));
        }
        const std::vector<ir::Tensor> inputs = inputs_of(text);
        const ir::Tensor expected = ir::run_text(text, inputs)[0];
        for (const char* how : {"exchange", "none"}) {
          ::setenv("PARTITA_MATRIX_UNITS", how, 1);
          ir::expect_close(results_on("nvidia-sm_90", text, inputs)[0], expected, text,
                           std::sqrt(double(k)));
          ::unsetenv("PARTITA_MATRIX_UNITS");
        }
      }
  // Where many run, registers are worth more; devices without such copies have none.
  EXPECT_THAT(compile_for(text_of({0, 4096, 4096, 512, false, false}), "nvidia-sm_90").source,
              Not(HasSubstr("_ahead(")));
  EXPECT_THAT(compile_for(text_of({0, 128, 192, 128, false, false}), "amd-gfx90a").source,
              Not(HasSubstr("_ahead(")));
}

TEST(GroupForms, products_of_f32_are_of_tf32_by_option_where_programs_ask_for_no_more) {
  using ::testing::HasSubstr, ::testing::Not;
  const auto source = [](const std::string& precision, bool rounds) {
    const std::string text = cat(
        "func.func @main(%x: tensor<128x64xf32>, %y: tensor<64x128xf32>) -> tensor<128x128xf32> "
        "{\n  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]",
        precision,
        " : (tensor<128x64xf32>, tensor<64x128xf32>) -> tensor<128x128xf32>\n  return %0 : "
        "tensor<128x128xf32>\n}\n");
    driver::CompileOptions options{.target = "opencl", .device = "nvidia-sm_90"};
    options.rounds_to_tf32 = rounds;
    return partita::compile(text, options).artifact.modules[0].source;
  };
  EXPECT_THAT(source("", true), HasSubstr("multiply_matrices_tf32(r"));
  EXPECT_THAT(source(", precision = [HIGH, DEFAULT]", true), HasSubstr("multiply_matrices_tf32(r"));
  EXPECT_THAT(source(", precision = [HIGHEST, HIGHEST]", true), Not(HasSubstr("tf32")));
  EXPECT_THAT(source("", false), Not(HasSubstr("tf32")));
}

TEST(GroupForms, contractions_read_and_write_16_bytes_where_they_lie_side_by_side) {
  using ::testing::HasSubstr;
  const std::string even =
      compile_for(text_of({0, 1024, 1024, 512, false, true}), "nvidia-sm_90").source;
  EXPECT_THAT(even, HasSubstr("*(const __global float4*)"));
  EXPECT_THAT(even, HasSubstr("*(__global float4*)"));
  EXPECT_THAT(even, HasSubstr("barrier(CLK_LOCAL_MEM_FENCE)"));
  const std::string odd =
      compile_for(text_of({0, 1023, 1021, 511, false, true}), "nvidia-sm_90").source;
  EXPECT_THAT(odd, ::testing::Not(HasSubstr("float4")));
}

// --- Rows ---------------------------------------------------------------------------------------

std::string reduce_text(const Dims& dims, const std::vector<std::int64_t>& reduced,
                        const std::string& op, const std::string& init, const std::string& dtype) {
  Dims kept;
  std::string list;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (std::ranges::find(reduced, std::int64_t(d)) == reduced.end()) kept.push_back(dims[d]);
  for (const std::int64_t d : reduced) list += cat(list.empty() ? "" : ", ", d);
  const std::string in = tensor(dims, dtype), out = tensor(kept, dtype), scalar = tensor({}, dtype);
  return cat("func.func @main(%x: ", in, ") -> ", out, " {\n  %i = stablehlo.constant dense<", init,
             "> : ", scalar, "\n  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.", op,
             " across dimensions = [", list, "] : (", in, ", ", scalar, ") -> ", out,
             "\n  return %0 : ", out, "\n}\n");
}

TEST(GroupForms, reductions) {
  struct Case {
    Dims dims;
    std::vector<std::int64_t> reduced;
  };
  const Case cases[] = {
      {{1, 7}, {1}},    {{5, 1}, {1}},       {{37, 129}, {1}},    {{4, 4096}, {1}},
      {{300, 64}, {1}}, {{3, 100001}, {1}},  {{70000}, {0}},      {{129, 37}, {0}},
      {{5000, 8}, {0}}, {{2, 300, 40}, {1}}, {{7, 5, 6}, {0, 2}}, {{16, 16, 16}, {0, 1, 2}},
      {{64, 9}, {0}},   {{1000, 1000}, {0}}, {{2, 3, 4}, {}},
  };
  for (const Case& c : cases)
    for (const auto& [op, init] : {std::pair{"add", "0.5"}, {"maximum", "-1.0"}})
      expect_equal(reduce_text(c.dims, c.reduced, op, init, "f32"), "gpu");
  for (const Case& c : {cases[2], cases[5], cases[7], cases[10]})
    for (const auto& [op, init, dtype] :
         {std::tuple{"add", "0.0", "bf16"}, {"minimum", "3", "i32"}, {"multiply", "1.0", "f64"}})
      expect_equal(reduce_text(c.dims, c.reduced, op, init, dtype), "gpu");
  expect_equal(reduce_text({6, 700}, {1}, "or", "false", "i1"), "gpu");
  expect_equal(reduce_text({6, 700}, {1}, "add", "(0.0, 1.0)", "complex<f32>"), "gpu");
}

/// Position of the largest element, the first of equal ones.
const char* const argmax = R"(
func.func @main(%x: tensor<9x777xf32>) -> (tensor<9xf32>, tensor<9xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<9x777xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<9x777xf32>, tensor<9x777xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
  reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<9xf32>, tensor<9xi32>
})";

TEST(GroupForms, reductions_of_several_operands_keep_their_order) { expect_equal(argmax, "gpu"); }

std::string softmax(const std::string& rows, const std::string& terms) {
  const std::string x = cat("tensor<", rows, "x", terms, "xf32>"),
                    r = cat("tensor<", rows, "xf32>");
  return cat("func.func @main(%x: ", x, ") -> ", x, R"( {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ()",
             x, R"(, tensor<f32>) -> )", r, R"(
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : ()",
             r, ") -> ", x, R"(
  %2 = stablehlo.subtract %x, %1 : )",
             x, R"(
  %3 = stablehlo.exponential %2 : )",
             x, R"(
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : ()",
             x, ", tensor<f32>) -> ", r, R"(
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : ()",
             r, ") -> ", x, R"(
  %6 = stablehlo.divide %3, %5 : )",
             x, R"(
  return %6 : )",
             x, "\n}\n");
}

TEST(GroupForms, a_softmax_is_one_kernel) {
  for (const auto& [rows, terms] :
       {std::pair{"64", "128"}, {"3", "1000"}, {"50", "7"}, {"1", "30000"}}) {
    expect_equal(softmax(rows, terms), "gpu");
    EXPECT_EQ(compile_for(softmax(rows, terms), "gpu").artifact.kernels.size(), 1u)
        << rows << terms;
  }
}

TEST(GroupForms, rows_wait_for_what_the_host_knows_later) {
  expect_equal(R"(func.func @main(%x: tensor<4x64xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %begin = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<3> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.while(%i = %begin) : tensor<i32>
  cond {
    %t = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j : tensor<i32>
  }
  %2 = stablehlo.convert %1 : (tensor<i32>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<4x64xf32>
  %4 = stablehlo.multiply %x, %3 : tensor<4x64xf32>
  %5 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x64xf32>
  %6 = stablehlo.subtract %4, %5 : tensor<4x64xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x64xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %7 : tensor<4xf32>, tensor<4xf32>
}
)",
               "gpu", 64);
}

// --- Elements -----------------------------------------------------------------------------------

TEST(GroupForms, elements_are_read_and_written_as_16_bytes) {
  const std::string text =
      R"(func.func @main(%x: tensor<4096x512xf32>, %y: tensor<512xf32>) -> tensor<4096x512xf32> {
  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<512xf32>) -> tensor<4096x512xf32>
  %1 = stablehlo.add %x, %0 : tensor<4096x512xf32>
  %2 = stablehlo.tanh %1 : tensor<4096x512xf32>
  return %2 : tensor<4096x512xf32>
}
)";
  EXPECT_THAT(compile_for(text, "nvidia-sm_90").source,
              ::testing::HasSubstr("*(__global float4*)"));
  expect_equal(text, "nvidia-sm_90");
}

// --- Memory -------------------------------------------------------------------------------------

TEST(GroupForms, memory_moves_what_was_asked_for_and_banks_answer_at_once) {
  for (const bool lhs : {false, true})
    for (const bool rhs : {false, true}) {
      expect_smooth(text_of({0, 4096, 4096, 4096, lhs, rhs}));
      expect_smooth(text_of({0, 128, 192, 4096, lhs, rhs}));
      expect_smooth(text_of({0, 1024, 1024, 1024, lhs, rhs, "bf16"}));
    }
  for (const Dims& dims : {Dims{4096, 1024}, Dims{64, 100000}})
    for (const std::int64_t reduced : {0, 1})
      expect_smooth(reduce_text(dims, {reduced}, "add", "0.0", "f32"));
  expect_smooth(reduce_text({1000000}, {0}, "add", "0.0", "f32"));
  expect_smooth(softmax("4096", "1024"));
  expect_smooth(R"(func.func @main(%x: tensor<1024x2048xf32>) -> tensor<2048x1024xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<1024x2048xf32>) -> tensor<2048x1024xf32>
  return %0 : tensor<2048x1024xf32>
}
)");
}

}  // namespace
}  // namespace partita::testing
