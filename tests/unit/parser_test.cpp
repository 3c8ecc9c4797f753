// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reading MLIR text: forms, constants, and what bad text is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// "FILE:LINE:COL: MESSAGE" of the user error that the text gets.
std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_modules(text, "t.mlir"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    return error.located_message();
  }
  return "no error";
}

/// A function of one argument %x of a type, with a body.
std::string in_function(const std::string& type, const std::string& body) {
  return "func.func @main(%x: " + type + ") {\n" + body + "\nreturn\n}";
}

DenseRef constant_of(const std::string& text) {
  const auto module =
      parse_module("func.func @main() {\n%0 = stablehlo.constant " + text + "\nreturn\n}");
  return *module->functions.at(0)->body->nodes().at(0)->attrs.find("value")->get_if<DenseRef>();
}

template <DType d>
std::vector<ValueType<d>> values_of(const std::string& text) {
  const HostArray array = constant_of(text)->to_array();
  std::vector<ValueType<d>> values;
  for (std::int64_t i = 0; i < array.type.count(); ++i)
    values.push_back(load<d>(array.data<d>(), std::size_t(i)));
  return values;
}

// --- Constants ----------------------------------------------------------------------------------

TEST(ParserConstants, ReadsScalarsListsAndSplats) {
  EXPECT_THAT(values_of<DType::i32>("dense<7> : tensor<3xi32>"), ElementsAre(7, 7, 7));
  EXPECT_THAT(values_of<DType::i32>("dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>"),
              ElementsAre(1, -2, 3, 4));
  EXPECT_THAT(values_of<DType::f32>("dense<[1.5, -2.000000e+00]> : tensor<2xf32>"),
              ElementsAre(1.5F, -2.0F));
  EXPECT_THAT(values_of<DType::i1>("dense<[true, false]> : tensor<2xi1>"),
              ElementsAre(true, false));
  EXPECT_THAT(values_of<DType::f32>("dense<> : tensor<0x4xf32>"), SizeIs(0));
  EXPECT_THAT(values_of<DType::f32>("dense<3.0> : tensor<0x4xf32>"), SizeIs(0));
}

TEST(ParserConstants, ReadsBitPatternsAndInfinities) {
  EXPECT_EQ(values_of<DType::f32>("dense<0xFF800000> : tensor<f32>")[0],
            -std::numeric_limits<float>::infinity());
  EXPECT_EQ(values_of<DType::f16>("dense<0x7C00> : tensor<f16>")[0],
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(values_of<DType::bf16>("dense<0x3F80> : tensor<bf16>")[0], 1.0F);
  EXPECT_TRUE(std::isnan(values_of<DType::f64>("dense<0x7FF8000000000000> : tensor<f64>")[0]));
  EXPECT_EQ(values_of<DType::f32>("dense<[inf, -inf]> : tensor<2xf32>")[1],
            -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(values_of<DType::f32>("dense<nan> : tensor<f32>")[0]));
  // The payload of a NaN survives.
  const DenseRef nan = constant_of("dense<0x7FC12345> : tensor<f32>");
  std::uint32_t bits = 0;
  std::memcpy(&bits, nan->bytes().data(), sizeof bits);
  EXPECT_EQ(bits, 0x7FC12345U);
}

TEST(ParserConstants, ReadsBlobs) {
  EXPECT_THAT(values_of<DType::i32>("dense<\"0x0100000002000000\"> : tensor<2xi32>"),
              ElementsAre(1, 2));
  EXPECT_THAT(values_of<DType::i32>("dense<\"0x05000000\"> : tensor<2xi32>"), ElementsAre(5, 5));
  EXPECT_THAT(values_of<DType::i1>("dense<\"0x0100\"> : tensor<2xi1>"), ElementsAre(true, false));
}

TEST(ParserConstants, ReadsComplexNumbersAndWideIntegers) {
  EXPECT_THAT(values_of<DType::c64>("dense<[(1.0, -2.0), (0.5, inf)]> : tensor<2xcomplex<f32>>"),
              ElementsAre(std::complex<float>(1, -2),
                          std::complex<float>(0.5F, std::numeric_limits<float>::infinity())));
  EXPECT_THAT(values_of<DType::ui64>("dense<18446744073709551615> : tensor<ui64>"),
              ElementsAre(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_THAT(values_of<DType::i8>("dense<[255, -128, 0x7F]> : tensor<3xi8>"),
              ElementsAre(-1, -128, 127));
}

TEST(ParserConstants, NarrowIntegersAreExtendedInMemory) {
  EXPECT_THAT(values_of<DType::i4>("dense<[15, -8, 0x7, 8]> : tensor<4xi4>"),
              ElementsAre(-1, -8, 7, -8));
  EXPECT_THAT(values_of<DType::i2>("dense<[1, -2, 3]> : tensor<3xi2>"), ElementsAre(1, -2, -1));
  EXPECT_THAT(values_of<DType::ui4>("dense<\"0x0FF1\"> : tensor<2xui4>"), ElementsAre(15, 1));
  EXPECT_THAT(values_of<DType::i4>("dense<\"0x08\"> : tensor<2xi4>"), ElementsAre(-8, -8));
  // As MLIR has bytes: without extension.
  const DenseRef bytes = constant_of("dense<[-1, 7, 0]> : tensor<3xi4>");
  std::string text;
  print_attribute(text, bytes, {.max_dense_elements = 2});
  EXPECT_EQ(text, "dense<\"0x0F0700\"> : tensor<3xi4>");
}

TEST(ParserConstants, FloatsOfAtMostEightBits) {
  EXPECT_THAT(values_of<DType::f8e4m3fn>("dense<[1.0, 0x7E, -0.001]> : tensor<3xf8E4M3FN>"),
              ElementsAre(1, 448, -0x1p-9F));
  EXPECT_TRUE(std::isnan(values_of<DType::f8e4m3fnuz>("dense<0x80> : tensor<f8E4M3FNUZ>")[0]));
  EXPECT_THAT(values_of<DType::f4e2m1fn>("dense<[0x0F, 7.0, 0.3]> : tensor<3xf4E2M1FN>"),
              ElementsAre(-6, 6, 0.5F));
  EXPECT_THAT(values_of<DType::f8e8m0fnu>("dense<[4.0, 0x00]> : tensor<2xf8E8M0FNU>"),
              ElementsAre(4, 0x1p-127F));
  // What no decimal number gives back is printed as its bits.
  const DenseRef smallest = constant_of("dense<0x00> : tensor<f8E8M0FNU>");
  std::string text;
  print_attribute(text, smallest);
  EXPECT_EQ(text, "dense<0x00> : tensor<f8E8M0FNU>");
}

TEST(ParserConstants, RefusesWhatDoesNotFit) {
  const auto error = [](const std::string& text) {
    return error_of("func.func @main() {\n%0 = stablehlo.constant " + text + "\nreturn\n}");
  };
  EXPECT_EQ(error("dense<256> : tensor<i8>"),
            "t.mlir:2:31: stablehlo.constant: expected an integer that fits in i8, found '256'");
  EXPECT_THAT(error("dense<-1> : tensor<ui8>"), HasSubstr("fits in ui8"));
  EXPECT_THAT(error("dense<16> : tensor<i4>"), HasSubstr("fits in i4, found '16'"));
  EXPECT_THAT(error("dense<-9> : tensor<i4>"), HasSubstr("fits in i4"));
  EXPECT_THAT(error("dense<4> : tensor<ui2>"), HasSubstr("fits in ui2"));
  EXPECT_THAT(error("dense<0x10> : tensor<f4E2M1FN>"), HasSubstr("the bits of a number"));
  EXPECT_THAT(error("dense<0x100> : tensor<f8E5M2>"), HasSubstr("the bits of a number"));
  EXPECT_THAT(error("dense<[1, 2]> : tensor<3xi32>"),
              HasSubstr("expected 3 entries in dimension 0 of tensor<3xi32>, found 2"));
  EXPECT_THAT(error("dense<[1, 2, 3, 4]> : tensor<3xi32>"), HasSubstr("found more"));
  EXPECT_THAT(error("dense<[[1]]> : tensor<1xi32>"), HasSubstr("expected an integer, found '['"));
  EXPECT_THAT(error("dense<1.5> : tensor<i32>"), HasSubstr("expected an integer, found '1.5'"));
  EXPECT_THAT(error("dense<> : tensor<2xi32>"), HasSubstr("expected 2 elements, found none"));
  EXPECT_THAT(error("dense<\"0x0102\"> : tensor<2xi32>"),
              HasSubstr("expected 8 bytes for tensor<2xi32>, found 2"));
  EXPECT_THAT(error("dense<\"0x01\"> : tensor<99999999999999xi32>"), HasSubstr("bytes"));
  EXPECT_THAT(error("dense_resource<x> : tensor<2xi32>"), HasSubstr("dense resource"));
  EXPECT_THAT(error("dense<0x1FF800000> : tensor<f32>"),
              HasSubstr("expected the bits of a number of type f32"));
}

// --- Types --------------------------------------------------------------------------------------

TEST(ParserTypes, RefusesWhatPartitaDoesNotHave) {
  const auto error = [](const std::string& type) { return error_of(in_function(type, "")); };
  EXPECT_EQ(error("tensor<*xf32>"),
            "t.mlir:1:21: func.func: expected a tensor type with a known rank, found "
            "'tensor<*xf32>'");
  EXPECT_THAT(error("tensor<4xf6E3M2FN>"), HasSubstr("expected an element type of i1, i2"));
  EXPECT_THAT(error("tensor<4xi3>"), HasSubstr("expected an element type of"));
  EXPECT_THAT(error("tensor<4xf32, #foo.bar>"), HasSubstr("without encoding"));
  EXPECT_THAT(error("tensor<1000000000x1000000000xf32>"),
              HasSubstr("at most 100 dimensions and 2^48 elements"));
  EXPECT_THAT(error("tensor<99999999999999999999xf32>"),
              HasSubstr("expected a tensor type such as"));
  EXPECT_THAT(error("f32"), HasSubstr("expected a tensor type, found 'f32'"));
  EXPECT_THAT(error("!stablehlo.other"),
              HasSubstr("expected a tensor type, found '!stablehlo.other'"));
  EXPECT_THAT(error("!stablehlo.future<tensor<f32>, tensor<f32>>"), HasSubstr("expected '>'"));
  EXPECT_THAT(error("tensor<4xf32"), HasSubstr("found the end of the text"));
}

// --- Ops ----------------------------------------------------------------------------------------

/// The pretty form and the generic form give the same node.
void expect_same(const std::string& argument, const std::string& pretty,
                 const std::string& generic) {
  const auto a = parse_module(in_function(argument, pretty));
  const auto b = parse_module(in_function(argument, generic));
  EXPECT_EQ(print_module(*a), print_module(*b)) << pretty;
  ASSERT_EQ(a->functions[0]->body->nodes().size(), 1U);
  EXPECT_EQ(a->functions[0]->body->nodes()[0]->attrs, b->functions[0]->body->nodes()[0]->attrs)
      << pretty;
}

TEST(ParserOps, ReadsPrettyFormsAsGenericOnes) {
  expect_same("tensor<4xf32>", "%0 = stablehlo.add %x, %x : tensor<4xf32>",
              R"(%0 = "stablehlo.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)");
  expect_same(
      "tensor<4xf32>",
      "%0 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
      R"(%0 = "stablehlo.compare"(%x, %x) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>)");
  expect_same(
      "tensor<4x8xf32>",
      "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>",
      R"(%0 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>)");
  expect_same(
      "tensor<8xf32>", "%0 = stablehlo.slice %x [1:7:2] : (tensor<8xf32>) -> tensor<3xf32>",
      R"(%0 = "stablehlo.slice"(%x) <{limit_indices = array<i64: 7>, start_indices = array<i64: 1>, strides = array<i64: 2>}> : (tensor<8xf32>) -> tensor<3xf32>)");
  expect_same(
      "tensor<f32>",
      "%0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2xf32>",
      R"(%0 = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>)");
  expect_same(
      "tensor<2x3xf32>",
      "%0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], "
      "precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
      R"(%0 = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>)");
}

TEST(ParserOps, ReadsReduceInItsThreeForms) {
  const std::string compact =
      in_function("tensor<2x3xf32>", R"(%c = stablehlo.constant dense<0.0> : tensor<f32>
%0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)");
  const std::string full =
      in_function("tensor<2x3xf32>", R"(%c = stablehlo.constant dense<0.0> : tensor<f32>
%0 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
 reducer(%a: tensor<f32>, %b: tensor<f32>) {
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
})");
  const std::string generic =
      in_function("tensor<2x3xf32>", R"(%c = stablehlo.constant dense<0.0> : tensor<f32>
%0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %b : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)");
  const std::string text = print_module(*parse_module(compact));
  EXPECT_THAT(text, HasSubstr("applies stablehlo.add across dimensions = [1]"));
  EXPECT_EQ(print_module(*parse_module(full)), text);
  EXPECT_EQ(print_module(*parse_module(generic)), text);
}

TEST(ParserOps, PairsTheArgumentsOfAReducer) {
  const auto module = parse_module(R"(
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<f32>, tensor<i32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.reduce(%x init: %c), (%i init: %z) across dimensions = [0] : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%j: tensor<i32>, %k: tensor<i32>) {
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %j, %k : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<f32>, tensor<i32>
})");
  const Node& reduce = *module->functions[0]->body->nodes()[2];
  const Graph& region = reduce.region(0);
  ASSERT_EQ(region.argument_count(), 4);
  EXPECT_EQ(region.argument(1).type().dtype, DType::i32);  // left ones first
  EXPECT_EQ(region.argument(2).type().dtype, DType::f32);
  EXPECT_EQ(region.argument_hint(2), "b");
}

TEST(ParserOps, KeepsUnknownDiscardableAttributes) {
  const auto module = parse_module(R"(
module @m attributes {mhlo.num_partitions = 1 : i32, jax.uses_shape_polymorphism = false} {
  func.func public @main(%x: tensor<4xf32> {mhlo.sharding = "{replicated}"}) -> (tensor<4xf32> {jax.result_info = "result['a']"}) {
    %0 = stablehlo.add %x, %x {foo.list = [1 : i32, "s", @f], foo.unit, foo.raw = #foo.bar<1, {x}>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})");
  const std::string text = print_module(*module);
  EXPECT_THAT(text,
              HasSubstr("{jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32}"));
  EXPECT_THAT(text, HasSubstr("{mhlo.sharding = \"{replicated}\"}"));
  EXPECT_THAT(text, HasSubstr("{jax.result_info = \"result['a']\"}"));
  EXPECT_THAT(text,
              HasSubstr("{foo.list = [1 : i32, \"s\", @f], foo.raw = #foo.bar<1, {x}>, foo.unit}"));
}

TEST(ParserOps, KeepsLocations) {
  const std::string text = R"(#loc = loc(unknown)
#loc1 = loc("x")
module @m {
  func.func public @main(%arg0: tensor<4xf32> loc("x")) -> tensor<4xf32> {
    %0 = stablehlo.abs %arg0 : tensor<4xf32> loc(#loc1)
    return %0 : tensor<4xf32>
  } loc(#loc)
} loc(#loc)
)";
  EXPECT_EQ(print_module(*parse_module(text), {.locations = true}), text);
  EXPECT_THAT(print_module(*parse_module(text)), Not(HasSubstr("loc")));
}

/// On a mesh of 8 devices.
std::string in_sharded_function(const std::string& body) {
  return "module @m {\n  sdy.mesh @mesh = <[\"a\"=2, \"b\"=4]>\n" +
         in_function("tensor<4xf32>", body) + "\n}";
}

TEST(ParserOps, ReadsShardingsAsData) {
  const Attribute wanted = to_attribute(parse_sharding("<@mesh, [{\"a\"}]>"));
  for (const char* form :
       {"%0 = sdy.sharding_constraint %x <@mesh, [{\"a\"} ] > : tensor<4xf32>",
        "%0 = \"sdy.sharding_constraint\"(%x) <{sharding = #sdy.sharding<@mesh, [ {\"a\"}]"
        ">}> : (tensor<4xf32>) -> tensor<4xf32>"}) {
    const auto module = parse_module(in_sharded_function(form));
    EXPECT_TRUE(*module->functions[0]->body->nodes()[0]->attrs.find("sharding") == wanted);
    const std::string text = print_module(*module);
    EXPECT_THAT(text,
                HasSubstr("%0 = sdy.sharding_constraint %arg0 <@mesh, [{\"a\"}]> : tensor<4xf32>"));
    EXPECT_EQ(print_module(*parse_module(text)), text);
  }
}

TEST(ParserOps, ReadsMovesOfShardyAsConstraints) {
  const std::string wanted = print_module(
      *parse_module(in_sharded_function("%0 = sdy.reshard %x <@mesh, [{\"a\"}]> : tensor<4xf32>")));
  for (const char* form :
       {"sdy.all_gather [{\"b\"}] %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.all_slice [{\"a\"}] %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.all_to_all [{\"a\", \"b\"}: 1->0] %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.collective_permute %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.all_reduce {\"b\"} %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.all_reduce max {\"b\"} %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.reduce_scatter [{\"b\":(1)2}] %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.sharded_to_unreduced [{\"b\"}] %x out_sharding=<@mesh, [{\"a\"}]>",
        "sdy.replicated_to_unreduced {\"b\"} %x out_sharding=<@mesh, [{\"a\"}]>"})
    EXPECT_EQ(
        print_module(*parse_module(in_sharded_function(cat("%0 = ", form, " : tensor<4xf32>")))),
        wanted)
        << form;
  EXPECT_EQ(
      print_module(*parse_module(in_sharded_function(
          "%0 = \"sdy.all_gather\"(%x) <{gathering_axes = #sdy<list_of_axis_ref_lists[{\"b\"}]>, "
          "out_sharding = #sdy.sharding<@mesh, [{\"a\"}]>}> : (tensor<4xf32>) -> tensor<4xf32>"))),
      wanted);
  for (const char* form : {"sdy.all_gather [{\"b\"}] %x", "\"sdy.all_gather\"(%x)"})
    EXPECT_NE(error_of(in_sharded_function(cat("%0 = ", form, " : tensor<4xf32>"))), "") << form;
}

TEST(ParserOps, PassesOverWhatShardyPutsBetween) {
  const std::string wanted =
      print_module(*parse_module(in_sharded_function("%0 = stablehlo.abs %x : tensor<4xf32>")));
  for (const char* form :
       {"sdy.propagation_barrier %x allowed_direction=NONE : tensor<4xf32>",
        "sdy.data_flow_edge %x : tensor<4xf32>", "sdy.func_data_flow_edge %x : tensor<4xf32>",
        "\"sdy.data_flow_edge\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"})
    EXPECT_EQ(print_module(*parse_module(in_sharded_function(
                  cat("%1 = ", form, "\n%0 = stablehlo.abs %1 : tensor<4xf32>")))),
              wanted)
        << form;
  EXPECT_THAT(print_module(*parse_module(in_sharded_function(
                  "%0 = sdy.data_flow_edge %x sharding=<@mesh, [{\"a\"}]> : tensor<4xf32>"))),
              HasSubstr("sdy.sharding_constraint %arg0 <@mesh, [{\"a\"}]> : tensor<4xf32>"));
  for (const char* op :
       {"\"sdy.propagation_barrier\"(%x) : (tensor<4xf32>) -> tensor<2xf32>",
        "\"sdy.data_flow_edge\"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
        "\"sdy.sharding_constraint\"(%x) : (tensor<4xf32>) -> tensor<4xf32>"})
    EXPECT_NE(error_of(in_sharded_function(cat("%0 = ", op))), "") << op;
}

TEST(ParserOps, ReadsNamedComputationsInTheirPlace) {
  const std::string begin = "%0 = sdy.named_computation<\"f\">(%x) ";
  const auto read = [&](const std::string& rest) { return in_sharded_function(cat(begin, rest)); };
  const std::string text = print_module(*parse_module(
      read("in_shardings=[<@mesh, [{\"a\"}]>] out_shardings=[<@mesh, [{}]>] (%y: tensor<4xf32>) {\n"
           "%1 = stablehlo.abs %y : tensor<4xf32>\nsdy.return %1 : tensor<4xf32>\n} : "
           "(tensor<4xf32>) -> tensor<4xf32>")));
  EXPECT_EQ(text, print_module(*parse_module(in_sharded_function(
                      "%1 = sdy.sharding_constraint %x <@mesh, [{\"a\"}]> : tensor<4xf32>\n"
                      "%2 = stablehlo.abs %1 : tensor<4xf32>\n"
                      "%0 = sdy.sharding_constraint %2 <@mesh, [{}]> : tensor<4xf32>"))));
  for (
      const char* rest :
      {"(%y: tensor<2xf32>) {\nsdy.return %y : tensor<2xf32>\n} : (tensor<4xf32>) -> tensor<2xf32>",
       "(%y: tensor<4xf32>) {\nsdy.return %x : tensor<4xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>",
       "in_shardings=[] (%y: tensor<4xf32>) {\nsdy.return %y : tensor<4xf32>\n} : (tensor<4xf32>) "
       "-> tensor<4xf32>"})
    EXPECT_NE(error_of(read(rest)), "") << rest;
}

TEST(ParserOps, ReadsShardingsOfResultsWithAndWithoutTheirPrefix) {
  std::vector<std::string> texts;
  for (const std::string prefix : {"", "#sdy.sharding"})
    texts.push_back(print_module(*parse_module(
        in_sharded_function("%0 = stablehlo.abs %x {sdy.sharding = #sdy.sharding_per_value<[" +
                            prefix + "<@mesh, [{\"a\"}]>]>} : tensor<4xf32>"))));
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(ParserOps, PassesOverShardingsOfOneDevice) {
  const std::string text = print_module(*parse_module(R"(
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) {
  %0 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@one, []>]>} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
})"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("#sdy.sharding")));
}

TEST(ParserOps, PrintsShardingsAsTheyAre) {
  for (const std::string sharding :
       {"@mesh, [{\"a\", ?}p1]", "@mesh, [{?}]", "@mesh, [{}], replicated={\"a\"}",
        "@mesh, [{\"b\":(1)2, \"a\"}], replicated={\"b\":(2)2}", "@mesh, [{}], unreduced={\"a\"}",
        "mesh<[\"x y\"=2], device_ids=[1, 0]>, [{\"x y\"}]", "mesh<[], device_ids=[3]>, [{}]"}) {
    const std::string text = print_module(*parse_module(
        in_sharded_function("%0 = sdy.sharding_constraint %x <" + sharding + "> : tensor<4xf32>")));
    EXPECT_THAT(text, HasSubstr("<" + sharding + "> : "));
    EXPECT_EQ(print_module(*parse_module(text)), text);
  }
}

TEST(ParserOps, RefusesShardingsThatDoNotFit) {
  const auto constraint = [](const std::string& sharding) {
    return error_of(
        in_sharded_function("%0 = sdy.sharding_constraint %x <" + sharding + "> : tensor<4xf32>"));
  };
  const auto port = [](const std::string& argument, const std::string& result) {
    const auto of = [](const std::string& sharding) {
      return sharding.empty() ? sharding : " {sdy.sharding = #sdy.sharding<" + sharding + ">}";
    };
    return error_of(
        "module @m {\n  sdy.mesh @mesh = <[\"a\"=2, \"b\"=4]>\n  func.func @main(%x: "
        "tensor<4xf32>" +
        of(argument) + ") -> (tensor<4xf32>" + of(result) +
        ") {\n    return %x : tensor<4xf32>\n  }\n}");
  };
  struct Case {
    const char *sharding, *found;
  };
  for (const Case& c : {Case{"@mesh, [{a}]", "expected '\"'"},
                        {"@mesh, [{\"a\"}, {}]", "expected one of 1 dimensions"},
                        {"@other, [{\"a\"}]", "expected a mesh of the module, found @other"},
                        {"@mesh, [{\"c\"}]", "expected an axis of the mesh, found \"c\""},
                        {"@mesh, [{\"a\", \"a\"}]", "expected each axis once"},
                        {"@mesh, [{\"a\"}], replicated={\"a\"}", "expected each axis once"},
                        {"@mesh, [{\"b\":(1)2, \"b\":(1)4}]", "expected each axis once"},
                        {"@mesh, [{\"b\":(1)3}]", "expected a part of axis \"b\" of 4"},
                        {"@mesh, [{\"b\":(4)2}]", "expected a part of axis \"b\" of 4"},
                        {"@mesh, [{\"b\":(0)2}]", "expected a part (PRE)SIZE"}}) {
    EXPECT_THAT(constraint(c.sharding), HasSubstr(c.found)) << c.sharding;
    EXPECT_THAT(constraint(c.sharding), HasSubstr("sdy.sharding_constraint: ")) << c.sharding;
    EXPECT_THAT(port(c.sharding, ""), HasSubstr(c.found)) << c.sharding;
    EXPECT_THAT(port("", c.sharding), HasSubstr(c.found)) << c.sharding;
  }
  const auto op = [](const std::string& sharding) {
    return error_of(
        in_sharded_function("%0 = stablehlo.abs %x {sdy.sharding = "
                            "#sdy.sharding_per_value<[<" +
                            sharding + ">]>} : tensor<4xf32>"));
  };
  EXPECT_THAT(op("@mesh, [{\"c\"}]"), HasSubstr("stablehlo.abs: sharding: expected an axis"));
  EXPECT_THAT(op("@mesh, [{\"b\":(1)3}]"), HasSubstr("expected a part of axis"));
  EXPECT_THAT(op("@other, [{}]"), HasSubstr("expected a mesh of the module"));
  EXPECT_EQ(op("@mesh, [{\"b\":(2)2}]"), "no error");
  EXPECT_THAT(port("@mesh, [{\"c\"}]", ""), HasSubstr("@main: argument 0: sharding: "));
  EXPECT_EQ(port("@mesh, [{\"a\"}]", "@mesh, [{\"b\":(1)2}]"), "no error");
}

TEST(ParserOps, ReadsMapsWithRegions) {
  const auto module = parse_module(R"(
module attributes {mr.placements = {clients = 3}} {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %b = "mr.broadcast"(%x) {placement = "clients"} : (tensor<2xf32>) -> tensor<3x2xf32>
    %m = "mr.map"(%b) ({
    ^bb0(%one: tensor<2xf32>):
      %s = stablehlo.add %one, %one : tensor<2xf32>
      "mr.return"(%s) : (tensor<2xf32>) -> ()
    }) {placement = "clients", in_axes = array<i64: 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %r = "mr.reduce_sum"(%m) {placement = "clients"} : (tensor<3x2xf32>) -> tensor<2xf32>
    return %r : tensor<2xf32>
  }
})");
  EXPECT_EQ(module->placement_size("clients"), 3);
  EXPECT_FALSE(module->placement_size("hosts").has_value());
  const std::string text = print_module(*module);
  EXPECT_EQ(print_module(*parse_module(text)), text);
}

TEST(ParserModules, ReadsSeveralModules) {
  const auto modules =
      parse_modules("func.func @a() { return }\n// -----\nfunc.func @b() { return }\n");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules[1]->functions[0]->name, "b");
  EXPECT_EQ(error_of("func.func @a() { return }\n// -----\n\nfunc.func @b() { foo }"),
            "t.mlir:4:18: foo: unknown or unsupported op: expected an op of the dialects "
            "stablehlo, chlo, func, sdy, check, mr, found foo");
}

TEST(ParserModules, PassesOverFunctionsThatAreElsewhere) {
  const std::string main =
      "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n";
  for (const std::string declaration :
       {"func.func private @f()", "func.func private @f(tensor<f32>, tensor<2xi8>) -> tensor<f32>",
        "func.func private @f(tensor<f32> {mr.a = 1 : i64}) -> (tensor<f32>, tensor<i1>)",
        "func.func private @f(%x: tensor<f32>) -> tensor<f32>"}) {
    const auto module = parse_module(cat(declaration, "\n", main));
    ASSERT_EQ(module->functions.size(), 1U) << declaration;
    EXPECT_EQ(module->functions[0]->name, "main");
  }
  EXPECT_THAT(error_of("func.func @f() -> tensor<f32>\n" + main),
              HasSubstr("expected the body of @f"));
  EXPECT_THAT(
      error_of("func.func private @f(tensor<f32>) -> tensor<f32>\n"
               "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
               "%0 = call @f(%x) : (tensor<f32>) -> tensor<f32>\nreturn %0 : tensor<f32>\n}"),
      HasSubstr("@f"));
}

// --- Errors -------------------------------------------------------------------------------------

TEST(ParserErrors, SayWhatWasExpectedAndWhere) {
  EXPECT_EQ(error_of(in_function("tensor<4xf32>", "%0 = stablehlo.add %x, %y : tensor<4xf32>")),
            "t.mlir:2:24: stablehlo.add: expected a value that is defined before, found %y");
  EXPECT_EQ(error_of(in_function("tensor<4xf32>", "%0 = stablehlo.add %x, %x : tensor<5xf32>")),
            "t.mlir:2:6: stablehlo.add: expected operand 0 of type tensor<5xf32> as declared, "
            "found tensor<4xf32>");
  EXPECT_EQ(error_of(in_function("tensor<4xf32>", "%0 = stablehlo.add %x, %x tensor<4xf32>")),
            "t.mlir:2:27: stablehlo.add: expected ':', found 'tensor'");
  EXPECT_EQ(
      error_of(in_function(
          "tensor<4x8xf32>",
          "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<4x8xf32>")),
      "t.mlir:2:6: stablehlo.transpose: expected result 0 of type tensor<8x4xf32>, found "
      "tensor<4x8xf32>");
  EXPECT_EQ(error_of(in_function("tensor<4xf32>", "%x = stablehlo.abs %x : tensor<4xf32>")),
            "t.mlir:2:1: stablehlo.abs: expected a new name, found %x, which is defined already");
  EXPECT_EQ(error_of(in_function("tensor<4xf32>", "%0:2 = stablehlo.abs %x : tensor<4xf32>")),
            "t.mlir:2:8: stablehlo.abs: expected names for 1 results, found 2");
  EXPECT_EQ(error_of("func.func @main() { return"),
            "t.mlir:1:27: func.func: expected '}', found the end of the text");
  EXPECT_EQ(error_of(""), "t.mlir: expected a module, found an empty text");
  EXPECT_THAT(error_of("ML\xefR\x0dStableHLO_v1.0.0"),
              HasSubstr("bytecode: expected a string that ends"));
  EXPECT_THAT(
      error_of(in_function("tensor<f32>", "%0 = \"stablehlo.abs\"(%x) : (tensor<f32>) -> ()")),
      HasSubstr("expected 1 result types, found 0"));
  EXPECT_THAT(error_of("func.func @f(%x: tensor<f32>, %x: tensor<f32>) { return }"),
              HasSubstr("expected a new name"));
  EXPECT_THAT(error_of("module @a {} module @b {}"),
              HasSubstr("expected one module, found another"));
  EXPECT_THAT(error_of("func.func @f(tensor<f32>)"),
              HasSubstr("expected an argument '%name: type'"));
  EXPECT_THAT(error_of(in_function("tensor<f32>", "%0 = \"stablehlo.abs")),
              HasSubstr("expected a string that ends on its line"));
}

TEST(ParserErrors, StayOnOneLine) {
  EXPECT_EQ(error_of(in_function("tensor<f32>",
                                 R"(%0 = "chlo.a\0Ab"(%x) : (tensor<f32>) -> tensor<f32>)"))
                .find('\n'),
            std::string::npos);
  EXPECT_THAT(error_of(R"(func.func @"a\0Ab"() -> tensor<f32> { return })"),
              HasSubstr("@a?b: expected 1 results"));
}

TEST(ParserErrors, IsolateRegionsThatMayNotCapture) {
  EXPECT_THAT(
      error_of(in_function("tensor<4xf32>", R"(%d = stablehlo.constant dense<0.0> : tensor<f32>
%c = stablehlo.negate %d : tensor<f32>
%0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %s = stablehlo.add %a, %c : tensor<f32>
  stablehlo.return %s : tensor<f32>
}) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>)")),
      HasSubstr("t.mlir:6:26: stablehlo.add: expected values of the region itself, found %c from "
                "outside"));
}

TEST(ParserErrors, LimitNesting) {
  std::string attribute(5000, '['), type(5000, '('), regions;
  EXPECT_THAT(error_of("module attributes {a = " + attribute),
              HasSubstr("expected nesting of at most 100 levels"));
  EXPECT_THAT(error_of("module attributes {a = " + type), HasSubstr("expected"));
  for (int i = 0; i < 5000; ++i) regions += "\"mr.map\"() ({\n";
  EXPECT_THAT(error_of(in_function("tensor<f32>", regions)),
              HasSubstr("expected nesting of at most 100 levels"));
  for (const char* open : {"{a=", "array<i64:", "dense<[", "#a<", "\"", "@\"", "loc("}) {
    std::string text = "module attributes {x = ";
    for (int i = 0; i < 3000; ++i) text += open;
    EXPECT_THAT(error_of(text), HasSubstr("t.mlir:1:")) << open;
  }
}

}  // namespace
}  // namespace partita::ir
