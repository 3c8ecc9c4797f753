// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Quantized types: their text, what programs with them become, and what wrong ones are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/stablehlo/quantization.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "tests/support/bytecode_writer.hpp"

namespace partita::ir {
namespace {

using testing::BytecodeWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_modules(text, "t.mlir"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    return error.located_message();
  }
  return "no error";
}

Quantization quantization_of(const std::string& text) {
  std::string reason;
  const auto found = parse_quantization(text, reason);
  EXPECT_TRUE(found.has_value()) << text << ": " << reason;
  return found.value_or(Quantization{});
}

std::string reason_of(const std::string& text) {
  std::string reason;
  EXPECT_FALSE(parse_quantization(text, reason).has_value()) << text;
  return reason;
}

/// A function with an argument of this type.
std::string with_argument(const std::string& type) {
  return "func.func @main(%x: " + type + ") {\nreturn\n}";
}

// --- Types --------------------------------------------------------------------------------------

TEST(QuantizedTypes, have_one_scale_one_per_index_or_one_per_block) {
  const Quantization whole = quantization_of("!quant.uniform<i8<-127:127>:f32,0.5:-30>");
  EXPECT_EQ(whole.storage, DType::i8);
  EXPECT_EQ(whole.expressed, DType::f32);
  EXPECT_EQ(whole.min, -127);
  EXPECT_EQ(whole.max, 127);
  EXPECT_EQ(whole.granularity, Quantization::Granularity::tensor);
  EXPECT_THAT(whole.scales, ElementsAre(0.5));
  EXPECT_THAT(whole.zero_points, ElementsAre(-30));

  const Quantization axis = quantization_of("!quant.uniform<u8:f16:2,{0.5,2.0:255}>");
  EXPECT_EQ(axis.storage, DType::ui8);
  EXPECT_EQ(axis.max, 255);
  EXPECT_EQ(axis.axis, 2);
  EXPECT_THAT(axis.dims, ElementsAre(2));
  EXPECT_THAT(axis.zero_points, ElementsAre(0, 255));

  const Quantization blocks =
      quantization_of("!quant.uniform<i4:f32:{0:2,1:4},{{1.0:1,2.0},{3.0,4.0:-8}}>");
  EXPECT_THAT(blocks.dims, ElementsAre(2, 2));
  EXPECT_THAT(blocks.scales, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(blocks.zero_points, ElementsAre(1, 0, 0, -8));
  EXPECT_EQ(quantization_of("!quant.uniform<ui8:f16:2,{0.5,2.0:255}>"), axis);
}

TEST(QuantizedTypes, have_scales_of_the_expressed_type) {
  EXPECT_THAT(quantization_of("!quant.uniform<i8:f32,0.1>").scales, ElementsAre(double(0.1f)));
  EXPECT_THAT(quantization_of("!quant.uniform<i8:f64,0.1>").scales, ElementsAre(0.1));
}

TEST(QuantizedTypes, have_a_text_that_says_the_same) {
  for (const char* text :
       {"!quant.uniform<i8:f32,0.1:-30>", "!quant.uniform<u4<1:14>:bf16:0,{0.5:2,0.25:3}>",
        "!quant.uniform<i16:f32:{0:1,1:2},{{1.0e-05,2.0},{3.0,4.0:-8}}>",
        "!quant.uniform<i32:f64:{},{{0.1}}>"}) {
    const Quantization read = quantization_of(text);
    std::string printed = to_string(read);
    std::erase(printed, ' ');
    EXPECT_EQ(quantization_of(printed), read) << text;
  }
  EXPECT_EQ(to_string(quantization_of("!quant.uniform<i8<-128:127>:f32:1,{0.5:3,2.0:0}>")),
            "!quant.uniform<i8:f32:1, {0.5:3,2}>");
}

TEST(QuantizedTypes, are_refused_with_the_reason) {
  EXPECT_EQ(reason_of("!quant.uniform<i8:f32,0.0>"),
            "expected scales that are positive numbers of f32");
  for (const char* scale : {"-1.0", "inf", "nan", "1.0e39", "1.0e-46"})
    EXPECT_THAT(reason_of(std::string("!quant.uniform<i8:f32,") + scale + ">"),
                HasSubstr("positive numbers of f32"));
  EXPECT_THAT(reason_of("!quant.uniform<i4:f16,105504.0>"), HasSubstr("positive numbers of f16"));
  EXPECT_THAT(reason_of("!quant.uniform<i4:f16,4.960464e-08>"),
              HasSubstr("positive numbers of f16"));
  EXPECT_EQ(reason_of("!quant.uniform<i8:f32,1.0:128>"), "expected zero points within [-128, 127]");
  EXPECT_EQ(reason_of("!quant.uniform<i8<-7:7>:f32,1.0:-8>"),
            "expected zero points within [-7, 7]");
  for (const char* range : {"<-129:0>", "<0:128>", "<3:3>", "<4:3>"})
    EXPECT_EQ(reason_of(std::string("!quant.uniform<i8") + range + ":f32,1.0>"),
              "expected a storage range within [-128, 127]");
  for (const char* storage : {"f32", "i1", "i64", "si8", "u3", "index", ""})
    EXPECT_THAT(reason_of(std::string("!quant.uniform<") + storage + ":f32,1.0>"),
                HasSubstr("a storage type of at most 32 bits"));
  EXPECT_EQ(reason_of("!quant.uniform<i8:i32,1.0>"), "expected an expressed type of floats");
  EXPECT_EQ(reason_of("!quant.uniform<i8:f32:-1,{1.0}>"), "expected an axis of at least 0");
  EXPECT_THAT(reason_of("!quant.uniform<i8:f32:{0:0},{1.0}>"), HasSubstr("positive sizes"));
  EXPECT_THAT(reason_of("!quant.uniform<i8:f32:{0:1,0:1},{1.0}>"), HasSubstr("once"));
  EXPECT_THAT(reason_of("!quant.uniform<i8:f32:{0:1},{{1.0},{1.0,2.0}}>"),
              HasSubstr("equal lengths"));
  for (const char* text :
       {"!quant.any<i8:f32>", "!quant.uniform<i8:f32>", "!quant.uniform<i8:f32,>",
        "!quant.uniform<i8:f32,1.0", "!quant.uniform<i8:f32,1.0>>", "!quant.uniform<i8:f32,{1.0}>",
        "!quant.uniform<i8:f32:0,1.0>", "!quant.uniform<i8:f32:0,{}>",
        "!quant.uniform<i8:f32:0,{{1.0}}>", "!quant.uniform<i8:f32,1.0:>",
        "!quant.uniform<i8<1>:f32,1.0>"})
    EXPECT_THAT(reason_of(text), HasSubstr("such as !quant.uniform<i8:f32, 0.1:-30>"));
  std::string deep = "!quant.uniform<i8:f32:{0:1},";
  deep.append(100, '{').append("1.0").append(100, '}');
  EXPECT_THAT(reason_of(deep + ">"), HasSubstr("such as"));
}

TEST(QuantizedTypes, fit_the_array_of_which_they_are_the_elements) {
  EXPECT_EQ(error_of(with_argument("tensor<1x5x!quant.uniform<i8:f32:2, {0.1}>>")),
            "t.mlir:1:21: func.func: expected an axis below the rank, 2, found "
            "'tensor<1x5x!quant.uniform<i8:f32:2, {0.1}>>'");
  EXPECT_THAT(error_of(with_argument("tensor<1x5x!quant.uniform<i8:f32:1, {0.1, 0.2}>>")),
              HasSubstr("expected 5 scales, found"));
  EXPECT_THAT(error_of(with_argument("tensor<4x5x!quant.uniform<i8:f32:{0:2,1:2}, {{0.1}}>>")),
              HasSubstr("whose size divides dimension 1"));
  EXPECT_THAT(error_of(with_argument("tensor<4x6x!quant.uniform<i8:f32:{1:2}, {{0.1, 0.2}}>>")),
              HasSubstr("expected 1x3 scales"));
  EXPECT_THAT(error_of(with_argument("tensor<4x!quant.uniform<i8:f32:{1:2}, {0.1}>>")),
              HasSubstr("below the rank, 1"));
  EXPECT_EQ(error_of(with_argument("tensor<!quant.uniform<i8:f32, 0.1>>")), "no error");
}

// --- Programs -----------------------------------------------------------------------------------

constexpr const char* a = "tensor<2x!quant.uniform<i8:f32, 0.5:1>>";
constexpr const char* b = "tensor<2x!quant.uniform<i8:f32, 0.25>>";

TEST(QuantizedPrograms, hold_integers) {
  const auto module = parse_module(std::string("func.func @main(%x: ") + a + ") -> " + a +
                                   " {\nreturn %x : " + a + "\n}");
  EXPECT_EQ(module->functions[0]->argument_types()[0], (Type{.dtype = DType::i8, .dims = {2}}));
  EXPECT_EQ(module->functions[0]->result_types[0], (Type{.dtype = DType::i8, .dims = {2}}));
}

TEST(QuantizedPrograms, are_the_same_in_both_forms_of_text) {
  const std::string pretty =
      print_module(*parse_module(std::string("func.func @main(%x: ") + a + ") -> " + b +
                                 " {\n%0 = stablehlo.uniform_quantize %x : (" + a + ") -> " + b +
                                 "\n%1 = stablehlo.abs %0 : " + b + "\nreturn %1 : " + b + "\n}"));
  const std::string generic = print_module(
      *parse_module(std::string("\"builtin.module\"() ({\n\"func.func\"() <{function_type = (") +
                    a + ") -> " + b + ", sym_name = \"main\"}> ({\n^bb0(%x: " + a +
                    "):\n%0 = \"stablehlo.uniform_quantize\"(%x) : (" + a + ") -> " + b +
                    "\n%1 = \"stablehlo.abs\"(%0) : (" + b + ") -> " + b +
                    "\n\"func.return\"(%1) : (" + b + ") -> ()\n}) : () -> ()\n}) : () -> ()"));
  EXPECT_EQ(pretty, generic);
  EXPECT_THAT(pretty, HasSubstr("stablehlo.round_nearest_even"));
  EXPECT_THAT(pretty, Not(HasSubstr("quant")));
}

/// What is said of a body between %x of type `a`, %y of type `b`, and a return of nothing.
std::string error_in(const std::string& body) {
  return error_of(std::string("func.func private @f(%x: ") + a + ") -> " + a +
                  " {\nreturn %x : " + a + "\n}\nfunc.func @main(%x: " + a + ", %y: " + b +
                  ", %p: tensor<2xi1>, %n: tensor<2xf32>) {\n" + body + "\nreturn\n}");
}
std::string op(const std::string& head, const std::string& types) { return head + " : " + types; }

TEST(QuantizedPrograms, keep_parameters_where_elements_are_moved) {
  const std::string a_to_b = std::string("(") + a + ") -> " + b;
  EXPECT_THAT(
      error_in(op("%0 = stablehlo.reverse %x, dims = [0]", a_to_b)),
      HasSubstr("stablehlo.reverse: expected result 0 of type tensor<2x!quant.uniform<i8:f32, "
                "0.5:1>>, found tensor<2x!quant.uniform<i8:f32, 0.25>>"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.reshape %x", std::string("(") + a + ") -> tensor<2xi8>")),
              HasSubstr("stablehlo.reshape: expected result 0 of type"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.concatenate %x, %y, dim = 0",
                          std::string("(") + a + ", " + b +
                              ") -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>")),
              HasSubstr("stablehlo.concatenate: expected operand 1 of type"));
}

TEST(QuantizedPrograms, keep_scales_with_their_dimension) {
  const auto transposed = [](int axis) {
    return "func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) {\n%0 = "
           "stablehlo.transpose %x, dims = [1, 0] : "
           "(tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 1.0}>>) -> "
           "tensor<3x2x!quant.uniform<i8:f32:" +
           (axis == 1 ? std::string("1, {0.5, 1.0}") : std::string("0, {0.5, 1.0, 1.0}")) +
           ">>\nreturn\n}";
  };
  EXPECT_EQ(error_of(transposed(1)), "no error");
  EXPECT_THAT(error_of(transposed(0)),
              HasSubstr("found tensor<3x2x!quant.uniform<i8:f32:0, {0.5,1,1}>>"));
  const auto reshaped = [](const std::string& to) {
    return "func.func @main(%x: tensor<2x3x4x!quant.uniform<i8:f32:1, {0.5, 1.0, 2.0}>>) {\n%0 = "
           "stablehlo.reshape %x : "
           "(tensor<2x3x4x!quant.uniform<i8:f32:1, {0.5, 1.0, 2.0}>>) -> tensor<" +
           to + ">\nreturn\n}";
  };
  EXPECT_EQ(error_of(reshaped("2x3x2x2x!quant.uniform<i8:f32:1, {0.5, 1.0, 2.0}>")), "no error");
  EXPECT_THAT(error_of(reshaped("4x3x2x!quant.uniform<i8:f32:1, {0.5, 1.0, 2.0}>")),
              HasSubstr("result 0 with the dimension along which operand 0 has its scales"));
  EXPECT_THAT(error_of(reshaped("24xi8")), HasSubstr("with the dimension along which"));
}

TEST(QuantizedPrograms, are_refused_where_types_do_not_agree) {
  EXPECT_THAT(
      error_in(op("%0 = stablehlo.add %x, %y", std::string("(") + b + ", " + b + ") -> " + b)),
      HasSubstr("expected operand 0 of type tensor<2x!quant.uniform<i8:f32, 0.25>> as declared"));
  EXPECT_THAT(
      error_in(op("%0 = stablehlo.add %x, %n", std::string("(") + a + ", tensor<2xf32>) -> " + a)),
      HasSubstr("stablehlo.add: expected operand 1 that is quantized"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.abs %x",
                          std::string("(") + a + ") -> tensor<2x!quant.uniform<i16:f32, 0.5>>")),
              HasSubstr("expected result 0 quantized as i8:f32"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.uniform_quantize %n",
                          "(tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f64, 0.5>>")),
              HasSubstr("stablehlo.uniform_quantize: expected a result that stands for f32"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.uniform_quantize %n", "(tensor<2xf32>) -> tensor<2xi8>")),
              HasSubstr("expected a result that is quantized"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.uniform_quantize %n",
                          "(tensor<2xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.5>>")),
              HasSubstr("expected a result of the operand's extents"));
  EXPECT_THAT(
      error_in(op("%0 = stablehlo.uniform_dequantize %n", "(tensor<2xf32>) -> tensor<2xf32>")),
      HasSubstr("expected an operand that is quantized"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.uniform_dequantize %x",
                          std::string("(") + a + ") -> tensor<2xf64>")),
              HasSubstr("expected a result of f32"));
  EXPECT_THAT(error_in(op("%0 = stablehlo.not %x", a)),
              HasSubstr("stablehlo.not: expected operands and results that are not quantized"));
  EXPECT_THAT(error_in(op("%0 = func.call @f(%y)", std::string("(") + b + ") -> " + b)),
              HasSubstr("func.call: expected types that are quantized as those of @f"));
  EXPECT_THAT(
      error_of(std::string("func.func @main(%x: ") + a + ") -> " + b + " {\nreturn %x : " + a +
               "\n}"),
      HasSubstr("expected result 0 of @main of type tensor<2x!quant.uniform<i8:f32, 0.25>>"));
  EXPECT_THAT(
      error_of("func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.1, 0.2}>>) {\n"
               "%0 = stablehlo.abs %x : tensor<2x!quant.uniform<i8:f32:0, {0.1, 0.2}>>\nreturn\n}"),
      HasSubstr("expected one scale and zero point per tensor"));
}

TEST(QuantizedPrograms, have_regions_that_are_quantized_as_their_op) {
  const auto reduce = [](const std::string& inner) {
    return error_of(
        "func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5:1>>, %z: "
        "tensor<!quant.uniform<i8:f32, 0.5:1>>) {\n"
        "%0 = stablehlo.reduce(%x init: %z) across dimensions = [0] : "
        "(tensor<2x!quant.uniform<i8:f32, 0.5:1>>, "
        "tensor<!quant.uniform<i8:f32, 0.5:1>>) -> tensor<!quant.uniform<i8:f32, 0.5:1>>\n "
        "reducer(%a: tensor<" +
        inner + ">, %b: tensor<" + inner + ">) {\n%1 = stablehlo.add %a, %b : tensor<" + inner +
        ">\nstablehlo.return %1 : tensor<" + inner + ">\n}\nreturn\n}");
  };
  EXPECT_EQ(reduce("!quant.uniform<i8:f32, 0.5:1>"), "no error");
  // Elements become those that the region combines; the result is of its type.
  EXPECT_THAT(reduce("!quant.uniform<i8:f32, 0.25:1>"),
              HasSubstr("stablehlo.reduce: expected result 0 of type "
                        "tensor<!quant.uniform<i8:f32, 0.25:1>>, found"));
  EXPECT_THAT(reduce("!quant.uniform<i4:f32, 0.5:1>"),
              HasSubstr("stablehlo.reduce: expected argument 0 of the region of type"));
  EXPECT_THAT(reduce("i8"), HasSubstr("expected argument 0 of the region of type"));
}

std::string product(const std::string& lhs, const std::string& rhs, const std::string& result) {
  return error_of(
      "func.func @main(%x: tensor<2x2x" + lhs + ">, %y: tensor<2x2x" + rhs +
      ">) {\n%0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x" + lhs +
      ">, tensor<2x2x" + rhs + ">) -> tensor<2x2x" + result + ">\nreturn\n}");
}

TEST(QuantizedPrograms, have_products_as_stablehlo_says) {
  const std::string q = "!quant.uniform<i8:f32, 0.5:1>", r = "!quant.uniform<i8:f32, 0.5>";
  const std::string columns = "!quant.uniform<i8:f32:1, {0.5, 1.0}>",
                    rows = "!quant.uniform<i8:f32:0, {0.5, 1.0}>";
  EXPECT_EQ(product(q, r, q), "no error");
  EXPECT_EQ(product(q, columns, columns), "no error");
  EXPECT_EQ(product("f32", columns, "f32"), "no error");
  EXPECT_THAT(product("f32", r, q), HasSubstr("expected a result that is not quantized"));
  EXPECT_THAT(product(q, "f32", q), HasSubstr("expected a right operand that is quantized"));
  EXPECT_THAT(product(q, q, q), HasSubstr("expected a right operand whose zero points are 0"));
  EXPECT_THAT(product(q, rows, q), HasSubstr("one scale along each contracted dimension"));
  EXPECT_THAT(product("!quant.uniform<i16:f32, 0.5>", r, q),
              HasSubstr("operands with integers of i8"));
  EXPECT_THAT(product(q, "!quant.uniform<i8:f16, 0.5>", q), HasSubstr("that stand for f16"));
  EXPECT_THAT(product("f32", "!quant.uniform<i8:f16, 0.5>", "f32"),
              HasSubstr("that stand for f16"));
  EXPECT_THAT(product(q, r, columns), HasSubstr("a result with one scale and zero point"));
  EXPECT_THAT(product(columns, r, q), HasSubstr("a left operand with one scale and zero point"));
}

TEST(QuantizedPrograms, are_read_from_artifacts) {
  BytecodeWriter w;
  const auto i8 = w.element(11), f32 = w.element(4);
  const auto scale = [](std::uint64_t bits) {
    return BytecodeWriter::signed_varint(std::int64_t(bits));
  };
  const auto v = [](std::uint64_t x) { return BytecodeWriter::varint(x); };
  const auto s = [](std::int64_t x) { return BytecodeWriter::signed_varint(x); };
  constexpr std::uint64_t half = 0x3FE0000000000000, quarter = 0x3FD0000000000000;
  const auto whole = w.type(v(24) + v(0) + v(i8) + v(f32) + scale(half) + s(30) + s(0) + s(200));
  const auto axis = w.type(v(30) + v(1) + v(i8) + v(f32) + v(0) + s(-127) + s(127) + v(2) +
                           scale(half) + scale(quarter) + v(2) + s(0) + s(-5));
  const auto from = w.tensor_type({2}, whole), numbers = w.tensor_type({2}, f32),
             to = w.tensor_type({2}, axis);
  const std::string body = BytecodeWriter::region({from}, 3,
                                                  {w.op({.name = "uniform_dequantize_v1",
                                                         .properties = {},
                                                         .result_types = {numbers},
                                                         .operands = {0},
                                                         .regions = {}}),
                                                   w.op({.name = "uniform_quantize_v1",
                                                         .properties = {},
                                                         .result_types = {to},
                                                         .operands = {1},
                                                         .regions = {}}),
                                                   w.op({.name = "return_v1",
                                                         .properties = {},
                                                         .result_types = {},
                                                         .operands = {2},
                                                         .regions = {}})});
  EXPECT_EQ(print_module(*parse_module(w.file({w.function("main", body)}))),
            print_module(*parse_module(R"(
func.func @main(%x: tensor<2x!quant.uniform<u8<0:200>:f32, 0.5:30>>) -> tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:-5}>> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<u8<0:200>:f32, 0.5:30>>) -> tensor<2xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:-5}>>
  return %1 : tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:-5}>>
})")));
}

}  // namespace
}  // namespace partita::ir
