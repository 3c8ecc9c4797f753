// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs that leave extents open, read for given ones: what comes out is what a program written for these is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read_for(const std::string& text, const OpenArguments& open) {
  const auto module = parse_module(text, "t.mlir", open);
  std::string printed = print_module(*module);
  EXPECT_EQ(print_module(*parse_module(printed)), printed);
  EXPECT_THAT(printed, Not(HasSubstr("?")));
  return printed;
}

std::string error_of(const std::string& text, const OpenArguments& open = {}) {
  try {
    static_cast<void>(parse_module(text, "t.mlir", open));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user);
    return error.located_message();
  }
  return "none";
}

std::string in_main(const std::string& arguments, const std::string& body,
                    const std::string& result) {
  return cat("func.func @main(", arguments, ") -> ", result, " {\n", body, "\n}\n");
}

// Extents of arguments go through every op that states types, shapes through those that compute them.
constexpr const char* rows = R"(
  %c = stablehlo.constant dense<4> : tensor<1xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %t = stablehlo.add %m, %m : tensor<1xi32>
  %s = stablehlo.concatenate %t, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %z, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %d = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = stablehlo.add %b, %d : tensor<?x4xf32>
  %i = stablehlo.convert %e : (tensor<?x4xf32>) -> tensor<?x4xi32>
  return %i : tensor<?x4xi32>)";

TEST(OpenShapes, FollowFromThoseOfArguments) {
  const std::string text = in_main("%x: tensor<?x4xf32>", rows, "tensor<?x4xi32>");
  for (const char* name : {"x", "0"})
    EXPECT_THAT(read_for(text, {.shapes = {{name, {3, 4}}}}),
                HasSubstr("(%arg0: tensor<3x4xf32>) -> tensor<6x4xi32>"));
  EXPECT_THAT(read_for(text, {.extent = 5}), HasSubstr("-> tensor<10x4xi32>"));
  EXPECT_THAT(read_for(text, {.extent = 0}), HasSubstr("-> tensor<0x4xi32>"));
}

TEST(OpenShapes, FollowFromValuesOfArguments) {
  const std::string text = in_main("%n: tensor<i64>, %x: tensor<f32>", R"(
  %m = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  return %b : tensor<?xf32>)",
                                   "tensor<?xf32>");
  EXPECT_THAT(read_for(text, {.values = {{"n", {7}}}}), HasSubstr("-> tensor<7xf32>"));
  EXPECT_THAT(error_of(text),
              HasSubstr("stablehlo.dynamic_broadcast_in_dim: expected a shape that follows from "
                        "extents of arguments and constants"));
}

// A function is read once for each way in which it is called.
TEST(OpenShapes, OfPrivateFunctionsAreThoseOfTheirCalls) {
  const std::string text = R"(module @m {
  func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
    %0 = call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
    %1 = call @double(%0) : (tensor<?xf32>) -> tensor<?xf32>
    %2 = call @double(%y) : (tensor<?xf32>) -> tensor<?xf32>
    return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  }
  func.func private @double(%a: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.add %a, %a : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
})";
  const auto module = parse_module(text, "t.mlir", {.shapes = {{"x", {2}}, {"y", {3}}}});
  std::vector<std::string> names;
  for (const auto& f : module->functions) names.push_back(f->name);
  EXPECT_THAT(names, ElementsAre("main", "double", "double_open_1"));
  EXPECT_EQ(module->entry("main").result_types[2], (Type{.dtype = DType::f32, .dims = {3}}));
}

TEST(OpenShapes, OfLoopsAreThoseOfWhatTheyBeginWith) {
  const std::string text = in_main("%x: tensor<?xf32>", R"(
  %n = stablehlo.constant dense<3> : tensor<i32>
  %l:2 = stablehlo.while(%a = %x, %i = %n) : tensor<?xf32>, tensor<i32>
    cond {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare GT, %i, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %b = stablehlo.add %a, %x : tensor<?xf32>
      %j = stablehlo.subtract %i, %one : tensor<i32>
      stablehlo.return %b, %j : tensor<?xf32>, tensor<i32>
    }
  return %l#0 : tensor<?xf32>)",
                                   "tensor<?xf32>");
  EXPECT_THAT(read_for(text, {.extent = 4}),
              HasSubstr("(%arg1 = %arg0, %arg2 = %0) : tensor<4xf32>"));
}

// Starts that are computed, limits behind them.
TEST(OpenShapes, OfSlicesAreWhatLimitsAreBehindStarts) {
  const std::string text = in_main("%x: tensor<?xf32>, %i: tensor<i32>", R"(
  %k = stablehlo.constant dense<2> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %s = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
  %l = stablehlo.add %s, %k : tensor<1xi32>
  %y = stablehlo.real_dynamic_slice %x, %s, %l, %one : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %y : tensor<?xf32>)",
                                   "tensor<?xf32>");
  EXPECT_THAT(read_for(text, {.extent = 9}), HasSubstr("-> tensor<2xf32>"));
}

TEST(OpenShapes, AssertionsHoldOrSayWhy) {
  const auto text = [](int least) {
    return in_main("%x: tensor<?xf32>",
                   cat("  %c = stablehlo.constant dense<", least, "> : tensor<i32>\n",
                       "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> "
                       "tensor<i32>\n",
                       "  %p = stablehlo.compare GE, %n, %c : (tensor<i32>, tensor<i32>) -> "
                       "tensor<i1>\n",
                       "  stablehlo.custom_call @shape_assertion(%p, %n) {error_message = "
                       "\"expected more than {0}\", has_side_effect = true} : (tensor<i1>, "
                       "tensor<i32>) -> ()\n  return %x : tensor<?xf32>"),
                   "tensor<?xf32>");
  };
  EXPECT_THAT(read_for(text(2), {.extent = 2}), Not(HasSubstr("shape_assertion")));
  EXPECT_THAT(error_of(text(3), {.extent = 2}), HasSubstr("expected more than 2"));
}

TEST(OpenShapes, WhatIsSaidHasToFit) {
  const std::string text = in_main("%x: tensor<?x4xf32>", rows, "tensor<?x4xi32>");
  EXPECT_EQ(error_of(text),
            "t.mlir:1:17: func.func: @main: expected extents for argument 0, which has the type "
            "tensor<?x4xf32> (--shape x=…), found none");
  EXPECT_THAT(error_of(text, {.shapes = {{"x", {3, 5}}}}),
              HasSubstr("expected extents of argument 0 as in tensor<?x4xf32>, found "
                        "tensor<3x5xf32>"));
  EXPECT_THAT(error_of(text, {.shapes = {{"x", {3}}}}), HasSubstr("found tensor<3xf32>"));
  EXPECT_THAT(error_of(text, {.shapes = {{"z", {3, 4}}}, .extent = 1}),
              HasSubstr("--shape: expected the name or number of an argument of such extents, "
                        "found 'z'"));
  EXPECT_THAT(error_of(text, {.extent = 1, .values = {{"x", {1}}}}),
              HasSubstr("--value: expected the name or number of an argument of so many integers"));
}

TEST(OpenShapes, OfPaddingsAreAddedUp) {
  const auto padded = [](const std::string& low, const std::string& interior) {
    return in_main("%x: tensor<?xf32>, %z: tensor<f32>",
                   cat("  %l = stablehlo.constant dense<", low, "> : tensor<1xi64>\n",
                       "  %h = stablehlo.constant dense<2> : tensor<1xi64>\n",
                       "  %i = stablehlo.constant dense<", interior, "> : tensor<1xi64>\n",
                       "  %y = stablehlo.dynamic_pad %x, %z, %l, %h, %i : (tensor<?xf32>, "
                       "tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> "
                       "tensor<?xf32>\n  return %y : tensor<?xf32>"),
                   "tensor<?xf32>");
  };
  EXPECT_THAT(read_for(padded("1", "3"), {.extent = 4}), HasSubstr("-> tensor<16xf32>"));
  EXPECT_THAT(error_of(padded("-7", "0"), {.extent = 4}), HasSubstr("fits in memory"));
  EXPECT_THAT(error_of(padded("9000000000000000000", "0"), {.extent = 4}),
              HasSubstr("padding that fits in memory, found 9000000000000000000"));
  EXPECT_THAT(error_of(padded("0", "2147483648"), {.extent = 281474976710656}),
              HasSubstr("fits in memory"));
}

TEST(OpenShapes, WrongProgramsAreRefused) {
  const auto error = [](const std::string& body) {
    return error_of(in_main("%x: tensor<?xf32>, %y: tensor<?xf32>", body, "tensor<?xf32>"),
                    {.shapes = {{"x", {2}}, {"y", {3}}}});
  };
  EXPECT_THAT(error("  %0 = stablehlo.add %x, %y : tensor<?xf32>\n  return %0 : tensor<?xf32>"),
              HasSubstr("stablehlo.add: expected"));
  EXPECT_THAT(error("  %0 = stablehlo.constant dense<1.0> : tensor<?xf32>\n  return %0 : "
                    "tensor<?xf32>"),
              HasSubstr("expected a constant of known extents, found tensor<?xf32>"));
  EXPECT_THAT(error("  %0 = stablehlo.compare LT, %x, %x : () -> tensor<?xf32>\n  return %x : "
                    "tensor<?xf32>"),
              HasSubstr("stablehlo.compare: expected types of 2 operands, found 0"));
  EXPECT_THAT(error("  %0 = stablehlo.add %x, %x : tensor<?xf64>\n  return %0 : tensor<?xf64>"),
              HasSubstr("expected operand 0 of type tensor<?xf64> as declared"));
  EXPECT_THAT(error_of(R"(module @m {
  func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @f(%a: tensor<?xf32>) -> tensor<?xf32> {
    %0 = call @f(%a) : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
})",
                       {.extent = 2}),
              HasSubstr("expected calls without recursion"));
}

}  // namespace
}  // namespace partita::ir
