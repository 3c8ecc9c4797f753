// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Graphs, attributes, the op registry and verification.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "partita/base/error.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Type f32x4{.dtype = DType::f32, .dims = {4}};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::user) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(IrDict, KeepsEntriesInOrderOfNames) {
  Dict dict{{"b", 2}, {"a", "x"}};
  dict.set("c", true);
  dict.set("b", 3);
  EXPECT_EQ(dict.size(), 3U);
  EXPECT_EQ(dict.items()[0].name, "a");
  EXPECT_EQ(dict.i64("b"), 3);
  EXPECT_TRUE(dict.flag("c"));
  EXPECT_FALSE(dict.flag("d"));
  dict.erase("a");
  EXPECT_FALSE(dict.contains("a"));
  EXPECT_EQ(dict.text("a", "none"), "none");
  EXPECT_TRUE(dict.i64s_or_empty("z").empty());
}

TEST(IrDense, SplatsAreOneFormOfEqualContents) {
  HostArray array(f32x4);
  for (int i = 0; i < 4; ++i) array.data<DType::f32>()[i] = 2.5F;
  const DenseRef dense = make_dense(array);
  EXPECT_TRUE(dense->is_splat());
  EXPECT_EQ(*dense, *make_splat(f32x4, 2.5));
  EXPECT_EQ(dense->hash(), make_splat(f32x4, 2.5)->hash());
  EXPECT_EQ(dense->to_array(), array);
  array.data<DType::f32>()[3] = 1;
  EXPECT_FALSE(make_dense(array)->is_splat());
  EXPECT_NE(*make_dense(array), *dense);
}

TEST(IrDense, HoldsNothingWithoutElements) {
  const DenseRef empty = make_splat(Type{.dtype = DType::f32, .dims = {0, 3}}, 1.0);
  EXPECT_FALSE(empty->is_splat());
  EXPECT_TRUE(empty->bytes().empty());
}

TEST(IrGraph, RemovesNodesThatNothingUses) {
  Graph graph;
  const Value x = graph.add_argument(f32x4);
  const Value y = create_value(graph, "stablehlo.add", {x, x});
  create_value(graph, "stablehlo.multiply", {y, y});
  graph.results = {y};
  EXPECT_TRUE(remove_dead_nodes(graph));
  EXPECT_THAT(graph.nodes(), ElementsAre(y.node));
  EXPECT_FALSE(remove_dead_nodes(graph));
}

TEST(IrGraph, ErasesArgumentsAndRenumbersUses) {
  Graph graph;
  graph.add_argument(f32x4, "a");
  const Value b = graph.add_argument(f32x4, "b");
  graph.results = {create_value(graph, "stablehlo.negate", {b})};
  graph.erase_argument(0);
  EXPECT_EQ(graph.argument_count(), 1);
  EXPECT_EQ(graph.argument_hint(0), "b");
  EXPECT_EQ(graph.results[0].node->operand(0), graph.argument(0));
}

TEST(IrGraph, InsertsAndMovesBeforeANode) {
  Graph graph;
  const Value x = graph.add_argument(f32x4);
  const Value last = create_value(graph, "stablehlo.negate", {x});
  const Value first = create_value(graph, "stablehlo.abs", {x}, {}, {}, last.node);
  EXPECT_THAT(graph.nodes(), ElementsAre(first.node, last.node));
  graph.move_before(first.node, nullptr);
  EXPECT_THAT(graph.nodes(), ElementsAre(last.node, first.node));
  graph.replace_uses(x, first);
  EXPECT_EQ(last.node->operand(0), first);
}

constexpr const char* loop_text = R"(
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %c, %v = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %w = stablehlo.add %v, %x : tensor<4xf32>
    stablehlo.return %next, %w : tensor<i32>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
})";

TEST(IrGraph, FindsWhatRegionsCapture) {
  const auto module = parse_module(loop_text);
  const Graph& body = *module->functions[0]->body;
  const Node& loop = *body.nodes()[2];
  EXPECT_THAT(captures(loop), ElementsAre(body.nodes()[0]->result(), body.argument(1),
                                          body.argument(0), body.nodes()[1]->result()));
  EXPECT_EQ(count_uses(body).at(body.argument(1)), 2);
}

TEST(IrGraph, ClonesModulesWithRegionsAndCaptures) {
  const auto module = parse_module(loop_text);
  const auto copy = clone_module(*module);
  const std::string text = print_module(*copy);
  EXPECT_EQ(text, print_module(*module));
  module->functions.clear();
  verify(*copy);
  EXPECT_EQ(text, print_module(*copy));
}

TEST(IrRegistry, NamesTheNearestOp) {
  EXPECT_THAT(error_of([] { static_cast<void>(OpRegistry::instance().get("stablehlo.ad")); }),
              HasSubstr("stablehlo.ad: unknown or unsupported op: expected stablehlo.add"));
  EXPECT_THAT(error_of([] { static_cast<void>(OpRegistry::instance().get("tosa.add_n_things")); }),
              HasSubstr("expected an op of the dialects stablehlo"));
  EXPECT_THAT(
      error_of([] { static_cast<void>(OpRegistry::instance().get("stablehlo.uniform_quantize")); }),
      HasSubstr("stablehlo.uniform_quantize: unsupported op"));
}

TEST(IrCreate, BringsAttributesIntoOneForm) {
  Graph graph;
  const Value x = graph.add_argument(Type{.dtype = DType::f32, .dims = {2, 3}});
  const Value t =
      create_value(graph, "stablehlo.transpose", {x},
                   {{"permutation", List({Attribute(1), Attribute(0)})}, {"test.note", "kept"}});
  EXPECT_EQ(t.node->attrs.i64s("permutation"), (I64s{1, 0}));
  EXPECT_EQ(t.node->attrs.text("test.note"), "kept");
  EXPECT_EQ(t.type().dims, (Dims{3, 2}));
}

TEST(IrCreate, RefusesMissingAndWrongAttributes) {
  Graph graph;
  const Value x = graph.add_argument(Type{.dtype = DType::f32, .dims = {2, 3}});
  EXPECT_THAT(error_of([&] { create_value(graph, "stablehlo.transpose", {x}); }),
              HasSubstr("stablehlo.transpose: expected attribute 'permutation' (a list of "
                        "integers), found none"));
  EXPECT_THAT(
      error_of([&] {
        create_value(graph, "stablehlo.transpose", {x}, {{"permutation", "10"}});
      }),
      HasSubstr("expected attribute 'permutation' to be a list of integers, found a string"));
  EXPECT_THAT(error_of([&] {
                create_value(graph, "stablehlo.compare", {x, x}, {{"comparison_direction", "XX"}});
              }),
              HasSubstr("stablehlo.compare: expected comparison_direction of"));
}

TEST(IrVerify, RefusesUsesBeforeDefinitionAndAcrossIsolation) {
  const auto module = parse_module(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = stablehlo.abs %x : tensor<4xf32>
  %b = stablehlo.negate %a : tensor<4xf32>
  return %b : tensor<4xf32>
})");
  Graph& body = *module->functions[0]->body;
  body.move_before(body.nodes()[1], body.nodes()[0]);
  EXPECT_THAT(
      error_of([&] { verify(*module); }),
      HasSubstr("stablehlo.negate: expected operand 0 to be a value that is defined before"));
}

TEST(IrVerify, RefusesRecursionAndResultsOfOtherTypes) {
  EXPECT_THAT(error_of([] {
                static_cast<void>(parse_module(R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @g(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
}
func.func private @g(%x: tensor<f32>) -> tensor<f32> {
  %a = func.call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %a : tensor<f32>
})"));
              }),
              HasSubstr("expected calls without recursion"));
  EXPECT_THAT(
      error_of([] {
        static_cast<void>(parse_module(
            "func.func @main(%x: tensor<f32>) -> tensor<f64> { return %x : tensor<f32> }"));
      }),
      HasSubstr("func.func: @main: expected result 0 of type tensor<f64>, found tensor<f32>"));
}

TEST(IrFactors, DefaultToReplication) {
  const auto module = parse_module(loop_text);
  const FactorRule rule = factor_rule(*module->functions[0]->body->nodes()[2]);
  ASSERT_EQ(rule.results.size(), 2U);
  ASSERT_EQ(rule.results[1].size(), 1U);
  EXPECT_EQ(rule.factors[std::size_t(rule.results[1][0][0])].kind, FactorKind::replicated);
}

}  // namespace
}  // namespace partita::ir
