// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops of small launches on target cpu: which become one function, and that they give what the same
// loops give step by step and in the interpreter.
#include <gtest/gtest.h>

#include <cmath>

#include "partita/base/error.hpp"
#include "partita/compile.hpp"
#include "partita/exec/executor.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::testing {
namespace {

Artifact compiled(const std::string& text, const std::string& tier,
                  const std::string& gemm = "auto") {
  driver::CompileOptions options;
  options.target = "cpu";
  options.gemm = gemm;
  options.target_options["tier"] = tier;
  return partita::compile(*ir::parse_module(text, "loops"), options).artifact;
}

/// Numbers of the plan's steps of one kind, at any depth.
template <class T>
int count(const Steps& steps) {
  int n = 0;
  for (const Step& s : steps) {
    n += std::holds_alternative<T>(s.what) ? 1 : 0;
    if (const auto* x = std::get_if<For>(&s.what)) n += count<T>(x->body);
    if (const auto* x = std::get_if<While>(&s.what))
      n += count<T>(x->condition) + count<T>(x->body);
    if (const auto* x = std::get_if<Case>(&s.what))
      for (const Steps& b : x->branches) n += count<T>(b);
  }
  return n;
}

std::vector<HostArray> inputs_of(const Artifact& artifact) {
  std::vector<HostArray> inputs;
  for (const PortInfo& p : artifact.plan.inputs) {
    HostArray x(p.type);
    for (std::size_t i = 0; i < x.bytes.size() / sizeof(float); ++i)
      x.data<DType::f32>()[i] = 0.01F * float(i * 37 % 101) - 0.4F;
    inputs.push_back(std::move(x));
  }
  return inputs;
}

std::vector<HostArray> run(const Artifact& artifact) {
  Session session(parse_artifact(serialize_artifact(artifact), "artifact"), SessionOptions{});
  const std::vector<HostArray> inputs = inputs_of(artifact);
  for (std::size_t i = 0; i < inputs.size(); ++i) session.set_input(int(i), inputs[i]);
  std::vector<HostArray> outputs;
  for (const int turn : {0, 1}) {
    session.run();
    outputs.clear();
    for (std::size_t i = 0; i < artifact.plan.outputs.size(); ++i)
      outputs.push_back(*session.output(int(i)));
    EXPECT_EQ(session.stats().launches > 0, true) << turn;
  }
  return outputs;
}

/// Same bits as the interpreter's; the programs below hold nothing that rounds differently.
void expect_exact(const std::string& text) {
  const Artifact artifact = compiled(text, "1");
  const auto module = ir::parse_module(text, "loops");
  ir::Interpreter interpreter(*module);
  std::vector<ir::Tensor> arguments;
  for (const HostArray& x : inputs_of(artifact))
    arguments.push_back(std::make_shared<const HostArray>(x));
  const std::vector<ir::Tensor> expected = interpreter.run(module->entry("main"), arguments);
  const std::vector<HostArray> found = run(artifact);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].bytes, expected[i]->bytes) << i;
}

/// A loop with an unknown number of turns, a branch and a row of an array per turn.
constexpr const char* branching = R"(
func.func @main(%x: tensor<6x5xf32>) -> (tensor<5xf32>, tensor<i32>, tensor<6x5xf32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %zeros = stablehlo.constant dense<0.0> : tensor<5xf32>
  %r:4 = stablehlo.while(%n = %start, %s = %zeros, %out = %x, %in = %x)
      : tensor<i32>, tensor<5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  cond {
    %limit = stablehlo.constant dense<9.0e-1> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %six = stablehlo.constant dense<6> : tensor<i32>
    %most = stablehlo.reduce(%s init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %low = stablehlo.compare LT, %most, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %more = stablehlo.compare LT, %n, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %go = stablehlo.and %low, %more : tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %row = stablehlo.dynamic_slice %in, %n, %none, sizes = [1, 5] : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %flat = stablehlo.reshape %row : (tensor<1x5xf32>) -> tensor<5xf32>
    %odd = stablehlo.remainder %n, %two : tensor<i32>
    %next = "stablehlo.case"(%odd) ({
      %a = stablehlo.add %s, %flat : tensor<5xf32>
      stablehlo.return %a : tensor<5xf32>
    }, {
      %b = stablehlo.maximum %s, %flat : tensor<5xf32>
      %c = stablehlo.reverse %b, dims = [0] : tensor<5xf32>
      stablehlo.return %c : tensor<5xf32>
    }) : (tensor<i32>) -> tensor<5xf32>
    %place = stablehlo.reshape %next : (tensor<5xf32>) -> tensor<1x5xf32>
    %new = stablehlo.dynamic_update_slice %out, %place, %n, %none : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %m, %next, %new, %in : tensor<i32>, tensor<5xf32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  return %r#1, %r#0, %r#2 : tensor<5xf32>, tensor<i32>, tensor<6x5xf32>
})";

/// `turns` times: a product of `rows` rows, then two steps that read each other's whole results.
std::string loop_of(int rows, int turns) {
  const std::string t = "tensor<" + std::to_string(rows) + "x32xf32>";
  const std::string sums = "tensor<32xf32>";
  return R"(
func.func @main(%x: )" +
         t + R"(, %w: tensor<32x32xf32>) -> )" + t + R"( {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%n = %start, %y = %x) : tensor<i32>, )" +
         t + R"(
  cond {
    %limit = stablehlo.constant dense<)" +
         std::to_string(turns) + R"(> : tensor<i32>
    %go = stablehlo.compare LT, %n, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : ()" +
         t + R"(, tensor<32x32xf32>) -> )" + t + R"(
    %s = stablehlo.reduce(%p init: %zero) applies stablehlo.maximum across dimensions = [0] : ()" +
         t + R"(, tensor<f32>) -> )" + sums + R"(
    %b = stablehlo.broadcast_in_dim %s, dims = [1] : ()" +
         sums + R"() -> )" + t + R"(
    %d = stablehlo.subtract %p, %b : )" +
         t + R"(
    %m = stablehlo.add %n, %one : tensor<i32>
    stablehlo.return %m, %d : tensor<i32>, )" +
         t + R"(
  }
  return %r#1 : )" +
         t + R"(
})";
}

TEST(StepFunctions, take_a_whole_loop_of_small_launches) {
  const Artifact artifact = compiled(branching, "1");
  EXPECT_EQ(count<While>(artifact.plan.steps), 0);
  EXPECT_EQ(count<Launch>(artifact.plan.steps), 1);
  ASSERT_EQ(artifact.kernels.size(), 1u);
  EXPECT_EQ(artifact.kernels[0].name, "steps_0");
  expect_exact(branching);
}

TEST(StepFunctions, are_not_made_without_machine_code) {
  const Artifact artifact = compiled(branching, "0");
  EXPECT_EQ(count<While>(artifact.plan.steps), 1);
  EXPECT_GT(count<Launch>(artifact.plan.steps), 1);
}

TEST(StepFunctions, leave_loops_with_large_launches_to_the_threads) {
  const Artifact artifact = compiled(loop_of(4096, 3), "1");
  EXPECT_EQ(count<For>(artifact.plan.steps), 1);
  EXPECT_GE(count<Launch>(artifact.plan.steps), 2);
}

TEST(StepFunctions, give_what_single_steps_give) {
  for (const int rows : {1, 3, 64}) {
    const std::vector<HostArray> one = run(compiled(loop_of(rows, 4), "1"));
    const std::vector<HostArray> other = run(compiled(loop_of(rows, 4), "0"));
    const float* a = one.at(0).data<DType::f32>();
    const float* b = other.at(0).data<DType::f32>();
    for (std::size_t i = 0; i < one[0].bytes.size() / sizeof(float); ++i)
      EXPECT_NEAR(a[i], b[i], 1e-4F * (1 + std::abs(b[i]))) << rows << " " << i;
  }
}

// A softmax of columns at each step: the maxima and the sums of a block of columns are two loops over
// its items around a loop over rows.
TEST(StepFunctions, call_kernels_of_several_item_loops) {
  constexpr const char* columns = R"(
func.func @main(%x: tensor<16xf32>, %m: tensor<16x16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %turns = stablehlo.constant dense<5> : tensor<i32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<16xf32>
  cond {
    %c = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %rows = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<16xf32>) -> tensor<16x16xf32>
    %t = stablehlo.add %rows, %m : tensor<16x16xf32>
    %top = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %tops = stablehlo.broadcast_in_dim %top, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
    %d = stablehlo.subtract %t, %tops : tensor<16x16xf32>
    %e = stablehlo.exponential %d : tensor<16x16xf32>
    %s = stablehlo.reduce(%e init: %none) applies stablehlo.add across dimensions = [0] : (tensor<16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %l = stablehlo.log %s : tensor<16xf32>
    stablehlo.return %n, %l : tensor<i32>, tensor<16xf32>
  }
  return %r#1 : tensor<16xf32>
})";
  const Artifact artifact = compiled(columns, "1");
  ASSERT_EQ(count<Launch>(artifact.plan.steps), 1);
  EXPECT_NE(artifact.modules.at(0).source.find("__attribute__((noinline)) void local_"),
            std::string::npos);
  EXPECT_EQ(compiled(branching, "1").modules.at(0).source.find("noinline"), std::string::npos);
  const std::vector<HostArray> one = run(artifact), other = run(compiled(columns, "0"));
  for (int i = 0; i < 16; ++i)
    EXPECT_NEAR(one.at(0).data<DType::f32>()[i], other.at(0).data<DType::f32>()[i], 1e-5F) << i;
}

// Items of a transform along outer dimensions write several elements each, where divisions say; vectors of such items are
// much for compilers.
TEST(StepFunctions, small_transforms_of_scattered_lines_are_no_vectors) {
  const auto source = [](int n) {
    const std::string cube = cat(n, "x", n, "x"),
                      result = cat("tensor<", cube, n / 2 + 1, "xcomplex<f32>>");
    const std::string argument = cat("tensor<", cube, n, "xf32>");
    return compiled(cat("func.func @main(%x: ", argument, ") -> ", result,
                        " {\n  %y = stablehlo.fft %x, type = RFFT, length = [", n, ", ", n, ", ", n,
                        "] : (", argument, ") -> ", result, "\n  return %y : ", result, "\n}"),
                    "1", "generated")
        .modules.at(0)
        .source;
  };
  const std::string statement = "__asm__ volatile(\"\");";
  EXPECT_NE(source(12).find(statement), std::string::npos);
  EXPECT_EQ(source(60).find(statement), std::string::npos);
}

/// Lines of `n` numbers, transformed there and back and multiplied in between, `turns` times.
std::string filtered(int lines, int n, int turns) {
  const std::string real = cat("tensor<", lines, "x", n, "xf32>"),
                    half = cat("tensor<", lines, "x", n / 2 + 1, "xcomplex<f32>>");
  return cat("func.func @main(%x: ", real, ") -> ", real, R"( {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<)",
             turns, R"(> : tensor<i32>
  %f = stablehlo.constant dense<(0.75, 0.25)> : )",
             half, R"(
  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, )",
             real, R"(
  cond {
    %go = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %s = stablehlo.fft %y, type = RFFT, length = [)",
             n, "] : (", real, ") -> ", half, R"(
    %t = stablehlo.multiply %s, %f : )",
             half, R"(
    %z = stablehlo.fft %t, type = IRFFT, length = [)",
             n, "] : (", half, ") -> ", real, R"(
    %n = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %n, %z : tensor<i32>, )",
             real, R"(
  }
  return %r#1 : )",
             real, "\n}\n");
}

TEST(StepFunctions, call_transforms_of_the_host) {
  for (const int n : {24, 45}) {
    const std::string text = filtered(3, n, 9);
    const Artifact artifact = compiled(text, "1");
    EXPECT_EQ(count<HostCall>(artifact.plan.steps), 0);
    ASSERT_EQ(count<Launch>(artifact.plan.steps), 1);
    EXPECT_EQ(std::get<Launch>(artifact.plan.steps.at(0).what).calls.size(), 2U);
    const std::vector<HostArray> found = run(artifact), steps = run(compiled(text, "0")),
                                 kernels = run(compiled(text, "1", "generated"));
    for (int i = 0; i < 3 * n; ++i) {
      EXPECT_EQ(found.at(0).data<DType::f32>()[i], steps.at(0).data<DType::f32>()[i]) << i;
      EXPECT_NEAR(found.at(0).data<DType::f32>()[i], kernels.at(0).data<DType::f32>()[i], 1e-6F)
          << i;
    }
  }
}

// They have work for several threads, or for none.
TEST(StepFunctions, leave_large_transforms_to_the_executor) {
  const Artifact artifact = compiled(filtered(64, 256, 3), "1");
  EXPECT_EQ(count<HostCall>(artifact.plan.steps), 2);
}

TEST(StepFunctions, are_the_same_text_each_time) {
  EXPECT_EQ(compiled(branching, "1").modules.at(0).source,
            compiled(branching, "1").modules.at(0).source);
}

/// One loop after the other, each with an end that it reads.
TEST(StepFunctions, have_names_of_their_own_for_many_loops) {
  std::string body = "  %y0 = stablehlo.negate %x : tensor<5xf32>\n";
  constexpr int loops = 70;  // names of types are among i8 to i64
  for (int k = 0; k < loops; ++k)
    body += cat(
        "  %r", k, ":2 = stablehlo.while(%n = %start, %y = %y", k,
        ") : tensor<i32>, tensor<5xf32>\n  cond {\n    %go = stablehlo.compare LT, %n, %end : "
        "(tensor<i32>, "
        "tensor<i32>) -> tensor<i1>\n    stablehlo.return %go : tensor<i1>\n  } do {\n    %v = "
        "stablehlo.reverse %y, dims = [0] : tensor<5xf32>\n    %w = stablehlo.subtract %v, %x : "
        "tensor<5xf32>\n    %m = stablehlo.add %n, %one : tensor<i32>\n    stablehlo.return %m, %w "
        ": "
        "tensor<i32>, tensor<5xf32>\n  }\n  %y",
        k + 1, " = stablehlo.add %r", k, "#1, %x : tensor<5xf32>\n");
  expect_exact(
      cat("func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {\n  %start = stablehlo.constant "
          "dense<0> : "
          "tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n  %end = "
          "stablehlo.constant "
          "dense<3> : tensor<i32>\n",
          body, "  return %y", loops, " : tensor<5xf32>\n}\n"));
}

/// A function of very many kernels calls them, as compilers take long for long functions; one of a few has them inline.
TEST(StepFunctions, of_very_many_kernels_stay_short) {
  const auto program = [](int kernels) {
    std::string body = "    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n";
    for (int k = 0; k < kernels; ++k)
      body += cat("    %c", k, " = stablehlo.constant dense<", k + 1, ".0> : tensor<5xf32>\n    %s",
                  k, " = stablehlo.reduce(%y", k,
                  " init: %low) applies stablehlo.maximum across dimensions = [0] : "
                  "(tensor<5xf32>, tensor<f32>) -> "
                  "tensor<f32>\n    %b",
                  k, " = stablehlo.broadcast_in_dim %s", k,
                  ", dims = [] : (tensor<f32>) -> tensor<5xf32>\n    %d", k,
                  " = stablehlo.subtract %y", k, ", %b", k, " : tensor<5xf32>\n    %y", k + 1,
                  " = stablehlo.subtract %c", k, ", %d", k, " : tensor<5xf32>\n");
    return cat(
        "func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {\n  %start = stablehlo.constant "
        "dense<0> : "
        "tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n  %end = "
        "stablehlo.constant "
        "dense<3> : tensor<i32>\n  %r:2 = stablehlo.while(%n = %start, %y0 = %x) : tensor<i32>, "
        "tensor<5xf32>\n  cond {\n    %go = stablehlo.compare LT, %n, %end : (tensor<i32>, "
        "tensor<i32>) -> "
        "tensor<i1>\n    stablehlo.return %go : tensor<i1>\n  } do {\n",
        body, "    %m = stablehlo.add %n, %one : tensor<i32>\n    stablehlo.return %m, %y", kernels,
        " : tensor<i32>, tensor<5xf32>\n  }\n  return %r#1 : tensor<5xf32>\n}\n");
  };
  const auto source = [&](int kernels) {
    return compiled(program(kernels), "1").modules.at(0).source;
  };
  const std::string called = "static __attribute__((noinline)) void local_",
                    inlined = "static inline void local_";
  EXPECT_EQ(source(10).find(called), std::string::npos);
  EXPECT_NE(source(10).find(inlined), std::string::npos);
  EXPECT_NE(source(100).find(called), std::string::npos);
  EXPECT_EQ(source(100).find(inlined), std::string::npos);
  expect_exact(program(100));
}

}  // namespace
}  // namespace partita::testing
