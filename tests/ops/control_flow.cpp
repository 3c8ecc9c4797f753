// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// while, case, if, call, composite and the check ops, by hand; and the interpreter itself.
#include "partita/base/error.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

std::string error_of(const std::string& text, const std::vector<Tensor>& inputs = {}) {
  try {
    static_cast<void>(run_text(text, inputs));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::user) << e.what();
    return e.what();
  }
  return "no error";
}

constexpr const char* counting =
    R"(func.func @main(%n: tensor<i32>, %step: tensor<f32>) -> (tensor<i32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<f32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.add %y, %step : tensor<f32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
})";

TEST(While, runs_as_long_as_the_condition_holds_with_captures) {
  const auto r = run_text(counting, {i32({}, {5}), f32({}, {0.5})});
  EXPECT_EQ(values_of(r[0]), V({5}));
  EXPECT_EQ(values_of(r[1]), V({3.5}));
}

TEST(While, may_run_not_at_all) {
  const auto r = run_text(counting, {i32({}, {-1}), f32({}, {0.5})});
  EXPECT_EQ(values_of(r[0]), V({0}));
  EXPECT_EQ(values_of(r[1]), V({1}));
}

TEST(While, types_of_the_regions_are_checked) {
  EXPECT_EQ(error_of(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }, {
  ^bb0(%x: tensor<f32>):
    "stablehlo.return"(%x) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})"),
            "stablehlo.while: expected a condition that returns tensor<i1>, found tensor<f32>");
  EXPECT_EQ(error_of(R"(func.func @main(%a: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i1>):
    "stablehlo.return"(%x) : (tensor<i1>) -> ()
  }, {
  ^bb0(%x: tensor<i1>):
    %1 = stablehlo.convert %x : (tensor<i1>) -> tensor<i32>
    "stablehlo.return"(%1) : (tensor<i32>) -> ()
  }) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
})"),
            "stablehlo.while: expected value 0 that the body returns of type tensor<i1>, found "
            "tensor<i32>");
}

TEST(Case, takes_the_last_branch_for_any_other_index) {
  constexpr const char* text = R"(func.func @main(%i: tensor<i32>, %a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<i32>
  }, {
    %1 = stablehlo.negate %a : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }, {
    %1 = stablehlo.add %a, %a : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
})";
  const V expected{14, 7, -7, 14, 14};
  for (int i = -1; i <= 3; ++i)
    EXPECT_EQ(values_of(run_text(text, {i32({}, {double(i)}), i32({}, {7})})[0])[0],
              expected[std::size_t(i + 1)])
        << i;
}

TEST(If, takes_the_first_branch_where_the_predicate_holds) {
  constexpr const char* text = R"(func.func @main(%p: tensor<i1>) -> (tensor<i32>, tensor<f32>) {
  %0:2 = "stablehlo.if"(%p) ({
    %c = stablehlo.constant dense<1> : tensor<i32>
    %d = stablehlo.constant dense<1.5> : tensor<f32>
    stablehlo.return %c, %d : tensor<i32>, tensor<f32>
  }, {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %d = stablehlo.constant dense<2.5> : tensor<f32>
    stablehlo.return %c, %d : tensor<i32>, tensor<f32>
  }) : (tensor<i1>) -> (tensor<i32>, tensor<f32>)
  return %0#0, %0#1 : tensor<i32>, tensor<f32>
})";
  for (const int p : {0, 1}) {
    const auto r = run_text(text, {make_tensor(Type::scalar(DType::i1), {double(p)})});
    EXPECT_EQ(values_of(r[0])[0], p ? 1 : 2);
    EXPECT_EQ(values_of(r[1])[0], p ? 1.5 : 2.5);
  }
}

TEST(Case, branches_must_return_the_same_types) {
  EXPECT_EQ(error_of(R"(func.func @main(%i: tensor<i32>, %a: tensor<f32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
})"),
            "stablehlo.case: expected value 0 of branch 1 of type tensor<i32>, found tensor<f32>");
}

TEST(Call, runs_a_function_that_is_defined_later) {
  EXPECT_EQ(values_of(run_text(R"(module {
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @twice(%a) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @twice(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
func.func private @twice(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
})",
                               {f32({}, {3})})[0]),
            V({12}));
}

TEST(Call, names_of_functions_and_types_are_checked) {
  EXPECT_EQ(error_of(R"(func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @nothing(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})"),
            "func.call: expected the name of a function, found @nothing");
  EXPECT_EQ(error_of(R"(module {
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @same(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @same(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
})"),
            "func.call: expected operand 0 of @same of type tensor<2xf32>, found tensor<f32>");
}

TEST(Composite, runs_its_decomposition) {
  EXPECT_EQ(values_of(run_text(R"(module {
func.func public @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.composite "partita.twice" %a {decomposition = @twice, version = 1 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @twice(%a: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
})",
                               {f32({}, {3})})[0]),
            V({6}));
}

TEST(Composite, of_chlo_is_the_op) {
  EXPECT_EQ(values_of(run_text(R"(module {
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "chlo.square" %a {decomposition = @wrong} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @wrong(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
})",
                               {f32({2}, {3, -4})})[0]),
            V({9, 16}));
}

// --- Check ops -------------------------------------------------------------------------------------

std::vector<std::string> failures_of(const std::string& body) {
  const auto module =
      parse_module(cat("func.func @main() {\n", body, "\n  return\n}"), "test.mlir");
  Interpreter interpreter(*module);
  static_cast<void>(interpreter.run(module->entry("main"), {}));
  return interpreter.check_failures;
}

TEST(Check, records_each_failure_with_its_place) {
  const auto failures = failures_of(R"(  %a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %b = stablehlo.constant dense<[1, 5, 4]> : tensor<3xi32>
  "check.expect_eq"(%a, %a) : (tensor<3xi32>, tensor<3xi32>) -> ()
  "check.expect_eq"(%a, %b) : (tensor<3xi32>, tensor<3xi32>) -> ()
  "check.expect_eq_const"(%a) {value = dense<[1, 2, 3]> : tensor<3xi32>} : (tensor<3xi32>) -> ())");
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0],
            "test.mlir:5:3: check.expect_eq: expected 5 at [1], found 2 (2 of 3 elements differ)");
}

TEST(Check, equality_takes_nan_for_nan_and_zero_for_negative_zero) {
  EXPECT_TRUE(
      failures_of(R"(  %a = stablehlo.constant dense<[0x7FC00000, 0.0, 0x7F800000]> : tensor<3xf32>
  %b = stablehlo.constant dense<[0xFFC00000, -0.0, 0x7F800000]> : tensor<3xf32>
  "check.expect_eq"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> ()
  "check.expect_almost_eq"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> ()
  "check.expect_close"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> ())")
          .empty());
}

TEST(Check, almost_and_close_have_limits) {
  EXPECT_EQ(failures_of(R"(  %a = stablehlo.constant dense<[1.0, 100.0]> : tensor<2xf32>
  "check.expect_almost_eq_const"(%a) {value = dense<[1.00009, 100.009]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%a) {value = dense<[1.001, 100.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  "check.expect_almost_eq_const"(%a) {value = dense<[1.001, 100.0]> : tensor<2xf32>, tolerance = 0.01 : f64} : (tensor<2xf32>) -> ())")
                .size(),
            1u);
  EXPECT_EQ(failures_of(R"(  %a = stablehlo.constant dense<0x3F800000> : tensor<f32>
  %b = stablehlo.constant dense<0x3F800003> : tensor<f32>
  %c = stablehlo.constant dense<0x3F800004> : tensor<f32>
  "check.expect_close"(%a, %b) : (tensor<f32>, tensor<f32>) -> ()
  "check.expect_close"(%a, %c) : (tensor<f32>, tensor<f32>) -> ()
  "check.expect_close"(%a, %c) {max_ulp_difference = 4 : i64} : (tensor<f32>, tensor<f32>) -> ())")
                .size(),
            1u);
}

// --- The interpreter -------------------------------------------------------------------------------

TEST(Interpreter, verifies_arguments) {
  constexpr const char* text =
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}";
  EXPECT_EQ(error_of(text, {}), "func.func: @main: expected 1 arguments, found 0");
  EXPECT_EQ(error_of(text, {f32({3}, {1, 2, 3})}),
            "func.func: @main: expected argument 0 of type tensor<2xf32>, found tensor<3xf32>");
}

TEST(Interpreter, tells_each_node_as_it_is_evaluated) {
  const auto module = parse_module(counting);
  Interpreter interpreter(*module);
  int additions = 0;
  interpreter.on_node = [&](const Node& node, std::span<const Tensor> results) {
    EXPECT_EQ(int(results.size()), node.result_count());
    additions += node.is("stablehlo.add");
  };
  const std::vector<Tensor> inputs{i32({}, {3}), f32({}, {1})};
  static_cast<void>(interpreter.run(module->entry("main"), inputs));
  EXPECT_EQ(additions, 6);
}

TEST(Interpreter, a_value_may_be_used_by_several_nodes_and_results) {
  const auto r =
      run_text(R"(func.func @main(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.add %a, %a : tensor<f32>
  %1 = stablehlo.multiply %0, %a : tensor<f32>
  %2 = stablehlo.negate %0 : tensor<f32>
  return %1, %0, %0 : tensor<f32>, tensor<f32>, tensor<f32>
})",
               {f32({}, {3})});
  EXPECT_EQ(values_of(r[0]), V({18}));
  EXPECT_EQ(values_of(r[1]), V({6}));
  EXPECT_EQ(values_of(r[2]), V({6}));
}

// MLIR's reducers may use constants from around the op; here the region gets its own.
TEST(Regions, take_copies_of_constants_from_outside) {
  const char* const text = R"(func.func @main(%a: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.multiply %y, %half : tensor<f32>
    %2 = stablehlo.add %x, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }
  %3 = stablehlo.reduce(%a init: %zero) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    stablehlo.return %half : tensor<f32>
  }
  return %0, %3 : tensor<f32>, tensor<f32>
})";
  const auto results = run_text(text, {f32({4}, {2, 4, 6, 8})});
  EXPECT_EQ(values_of(results[0]), std::vector<double>({10}));
  EXPECT_EQ(values_of(results[1]), std::vector<double>({0.5}));
  const auto module = parse_module(text);
  EXPECT_EQ(print_module(*parse_module(print_module(*module))), print_module(*module));
}

}  // namespace
}  // namespace partita::ir
