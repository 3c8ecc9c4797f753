// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.custom_call: dispatch by target, attributes kept, targets of the check dialect.
#include <gmock/gmock.h>

#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* head = R"(func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = stablehlo.constant dense<[1.0, 2.00002]> : tensor<2xf32>
  %c = stablehlo.constant dense<[1.0, 2.000001]> : tensor<2xf32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %j = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
)";

std::unique_ptr<Module> parse_body(const std::string& body) {
  return parse_module(cat(head, "  ", body, "\n  return\n}"), "test.mlir");
}

std::vector<std::string> failures_of(const std::string& body) {
  const auto module = parse_body(body);
  Interpreter interpreter(*module);
  static_cast<void>(interpreter.run(module->entry("main"), {}));
  return interpreter.check_failures;
}

std::string error_of(const std::string& body) {
  try {
    static_cast<void>(parse_body(body));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.what();
  }
  return "none";
}

std::string call(const std::string& target, const std::string& operands, const std::string& attrs,
                 const std::string& type) {
  return cat("stablehlo.custom_call @", target, "(", operands, ") {has_side_effect = true", attrs,
             "} : ", type);
}
constexpr const char* floats = "(tensor<2xf32>, tensor<2xf32>) -> ()";
constexpr const char* integers = "(tensor<2xi32>, tensor<2xi32>) -> ()";

TEST(CustomCall, checks_that_are_called_by_name_report_like_ops) {
  EXPECT_TRUE(failures_of(call("check.expect_eq", "%i, %i", "", integers)).empty());
  EXPECT_THAT(failures_of(call("check.expect_eq", "%i, %j", "", integers)),
              ElementsAre("test.mlir:7:3: stablehlo.custom_call @check.expect_eq: expected 3 at "
                          "[1], found 2"));
  EXPECT_TRUE(failures_of(call("check.expect_almost_eq", "%a, %b", "", floats)).empty());
  EXPECT_THAT(
      failures_of(call("check.expect_almost_eq", "%a, %b", ", tolerance = 1.0e-6 : f64", floats)),
      SizeIs(1));
}

TEST(CustomCall, closeness_counts_representable_values) {
  EXPECT_THAT(failures_of(call("check.expect_close", "%a, %c", "", floats)), SizeIs(1));
  EXPECT_TRUE(
      failures_of(call("check.expect_close", "%a, %c", ", max_ulp_difference = 4 : ui64", floats))
          .empty());
  EXPECT_THAT(
      failures_of(call("check.expect_close", "%a, %c",
                       ", max_ulp_difference = 9 : ui64, min_ulp_difference = 5 : ui64", floats)),
      SizeIs(1));
}

TEST(CustomCall, closeness_of_complex_numbers_is_that_of_their_parts) {
  const auto failures = [](const char* expected) {
    return failures_of(cat(R"(%x = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  %y = stablehlo.constant dense<)",
                           expected, R"(> : tensor<complex<f32>>
  "check.expect_close"(%x, %y) : (tensor<complex<f32>>, tensor<complex<f32>>) -> ())"));
  };
  EXPECT_TRUE(failures("(0x3F800002, 0x40000003)").empty());
  EXPECT_THAT(failures("(0x3F800002, 0x40000004)"), SizeIs(1));
}

TEST(CustomCall, constants_may_be_attributes) {
  EXPECT_TRUE(failures_of(call("check.expect_eq_const", "%i",
                               ", value = dense<[1, 2]> : tensor<2xi32>", "(tensor<2xi32>) -> ()"))
                  .empty());
  EXPECT_THAT(failures_of(call("check.expect_almost_eq_const", "%a",
                               ", value = dense<3.0> : tensor<2xf32>", "(tensor<2xf32>) -> ()")),
              SizeIs(1));
}

TEST(CustomCall, check_eq_says_in_its_result_whether_values_agree) {
  const auto result = [](const char* second) {
    return run_text(cat("func.func @main() -> tensor<i1> {\n"
                        "  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
                        "  %j = stablehlo.constant dense<[1, 3]> : tensor<2xi32>\n"
                        "  %r = stablehlo.custom_call @check.eq(%i, ",
                        second,
                        ") : (tensor<2xi32>, tensor<2xi32>) -> tensor<i1>\n"
                        "  return %r : tensor<i1>\n}"),
                    {});
  };
  EXPECT_EQ(values_of(result("%i")[0]), std::vector<double>{1});
  EXPECT_EQ(values_of(result("%j")[0]), std::vector<double>{0});
}

TEST(CustomCall, attributes_are_kept_and_printed) {
  const std::string text = call(
      "check.expect_eq", "%i, %i",
      ", api_version = 4 : i32, backend_config = {mode = 86 : ui8}, called_computations = [@main], "
      "mhlo.frontend_attributes = {n = \"0\"}, operand_layouts = [dense<0> : tensor<1xindex>, "
      "dense<0> : tensor<1xindex>], output_operand_aliases = "
      "[#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, "
      "operand_tuple_indices = []>], result_layouts = []",
      integers);
  const std::string printed = print_module(*parse_body(text));
  EXPECT_THAT(printed, HasSubstr("stablehlo.custom_call @check.expect_eq("));
  for (const char* part :
       {"api_version = 4 : i32", "backend_config = {mode = 86 : ui8}",
        "called_computations = [@main]", "mhlo.frontend_attributes = {n = \"0\"}",
        "operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>]",
        "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0",
        "has_side_effect = true", "result_layouts = []"})
    EXPECT_THAT(printed, HasSubstr(part));
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
}

TEST(CustomCall, generic_form_names_the_target_as_an_attribute) {
  EXPECT_THAT(
      failures_of(
          R"("stablehlo.custom_call"(%i, %j) <{call_target_name = "check.expect_eq"}> : (tensor<2xi32>, tensor<2xi32>) -> ())"),
      SizeIs(1));
  EXPECT_THAT(error_of(R"("stablehlo.custom_call"(%i, %j) : (tensor<2xi32>, tensor<2xi32>) -> ())"),
              HasSubstr("expected attribute 'call_target_name'"));
}

TEST(CustomCall, refuses_targets_that_are_not_known) {
  const std::string error = error_of(call("lapack_sgeqrf", "%a, %a", "", floats));
  EXPECT_THAT(error, HasSubstr("stablehlo.custom_call: unsupported call: expected one of "));
  EXPECT_THAT(error, HasSubstr("@check.expect_close"));
  EXPECT_THAT(error, HasSubstr("found @lapack_sgeqrf"));
  EXPECT_THAT(error_of("\"stablehlo.custom_call @check.eq\"(%i, %i) : (tensor<2xi32>, "
                       "tensor<2xi32>) -> ()"),
              HasSubstr("unknown or unsupported op"));
}

TEST(CustomCall, verifies_operands_of_its_target) {
  EXPECT_THAT(error_of(call("check.expect_eq", "%i", "", "(tensor<2xi32>) -> ()")),
              HasSubstr("stablehlo.custom_call @check.expect_eq: expected 2 operands, found 1"));
  EXPECT_THAT(error_of(call("check.expect_almost_eq", "%a, %b", ", tolerance = \"x\"", floats)),
              HasSubstr("expected attribute 'tolerance' to be a number"));
}

TEST(Check, pretty_forms_have_items_and_dictionaries) {
  EXPECT_TRUE(
      failures_of("check.expect_almost_eq %a, %b, tolerance = 0.1 : tensor<2xf32>").empty());
  EXPECT_TRUE(
      failures_of("check.expect_almost_eq %a, %b, tolerance = 0.1 : f64 : tensor<2xf32>").empty());
  EXPECT_THAT(failures_of("check.expect_almost_eq_const %a, dense<2.5> : tensor<2xf32> "
                          "{tolerance = 1.6 : f64}"),
              SizeIs(0));
  EXPECT_THAT(failures_of("check.expect_almost_eq_const %a, dense<2.5> : tensor<2xf32>, tolerance "
                          "= 1.4"),
              SizeIs(1));
  EXPECT_THAT(failures_of("check.expect_close %a, %c, max_ulp_difference = 4, min_ulp_difference = "
                          "0 : tensor<2xf32>, tensor<2xf32>"),
              SizeIs(0));
}

TEST(Check, nearly_equal_is_within_one_ten_thousandth_by_default) {
  EXPECT_TRUE(failures_of("check.expect_almost_eq_const %a, dense<[1.00009, 2.0]> : tensor<2xf32>")
                  .empty());
  EXPECT_THAT(failures_of(R"(%x = stablehlo.constant dense<5.0> : tensor<f64>
  check.expect_almost_eq_const %x, dense<5.0001> : tensor<f64>
  check.expect_almost_eq_const %x, dense<5.0002> : tensor<f64>)"),
              SizeIs(1));
}

TEST(Check, probes_record_what_checks_compare) {
  const std::string probes = R"(%p = interpreter.probe %i, probe_id = "a/b" : tensor<2xi32>
  %q = interpreter.probe %j, probe_id = "a/b" : tensor<2xi32>
  )";
  const auto check = [&](const std::string& operand, const std::string& items) {
    return failures_of(cat(probes, "check.expect_serialized_eq ", operand, ", probe_id = ", items,
                           " : tensor<2xi32>"));
  };
  EXPECT_TRUE(check("%p", "\"a/b\"").empty());
  EXPECT_TRUE(check("%j", "\"a/b\", iter = 1").empty());
  EXPECT_THAT(check("%j", "\"a/b\"")[0], HasSubstr("expected the value that probe \"a/b\""));
  EXPECT_THAT(check("%j", "\"a/b\", iter = 2")[0], HasSubstr("record 2 of probe"));
  EXPECT_THAT(check("%j", "\"c\"")[0], HasSubstr("record 0 of probe \"c\", found 0"));
  EXPECT_TRUE(
      failures_of(cat(probes, R"(stablehlo.custom_call @check.expect_serialized_eq(%p) )",
                      R"({has_side_effect = true, probe_id = "a/b"} : (tensor<2xi32>) -> ())"))
          .empty());
}

}  // namespace
}  // namespace partita::ir
