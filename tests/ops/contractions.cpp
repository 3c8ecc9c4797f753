// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values by hand of reduce and dot_general, and recognition of combiners.
#include "partita/ir/reduction.hpp"
#include "tests/ops/op_test.hpp"

namespace partita::ir {
namespace {

using V = std::vector<double>;

std::string reduce_text(const std::string& op, const std::string& in, const std::string& out,
                        const std::string& element, const std::string& dims) {
  return cat("func.func @main(%a: ", in, ", %i: ", element, ") -> ", out,
             " {\n  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.", op,
             " across dimensions = ", dims, " : (", in, ", ", element, ") -> ", out,
             "\n  return %0 : ", out, "\n}");
}

TEST(Reduce, SumsRowsAndColumns) {
  const Tensor a = i32({1, 6}, {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(values_of(run_text(
                reduce_text("add", "tensor<1x6xi32>", "tensor<1xi32>", "tensor<i32>", "[1]"),
                {a, i32({}, {0})})[0]),
            V({15}));
  EXPECT_EQ(values_of(run_text(
                reduce_text("add", "tensor<1x6xi32>", "tensor<6xi32>", "tensor<i32>", "[0]"),
                {a, i32({}, {10})})[0]),
            V({10, 11, 12, 13, 14, 15}));
}

TEST(Reduce, OfNothingIsTheInitialValue) {
  EXPECT_EQ(values_of(run_text(
                reduce_text("maximum", "tensor<2x0xf32>", "tensor<2xf32>", "tensor<f32>", "[1]"),
                {f32({2, 0}, {}), f32({}, {7})})[0]),
            V({7, 7}));
  EXPECT_TRUE(values_of(run_text(reduce_text("add", "tensor<2x0xf32>", "tensor<0xf32>",
                                             "tensor<f32>", "[0]"),
                                 {f32({2, 0}, {}), f32({}, {7})})[0])
                  .empty());
}

TEST(Reduce, SumsOfFloatsDoNotLoseSmallTerms) {
  V values(4096, 1e-4);
  values[0] = 4096;
  const double sum = values_of(
      run_text(reduce_text("add", "tensor<4096xf32>", "tensor<f32>", "tensor<f32>", "[0]"),
               {f32({4096}, values), f32({}, {0})})[0])[0];
  EXPECT_FLOAT_EQ(float(sum), float(4096 + 4095e-4));
}

TEST(Reduce, NaNWinsMaximum) {
  const double nan = std::nan("");
  const auto r =
      run_text(reduce_text("maximum", "tensor<3xf32>", "tensor<f32>", "tensor<f32>", "[0]"),
               {f32({3}, {1, nan, 2}), f32({}, {0})});
  EXPECT_TRUE(std::isnan(values_of(r[0])[0]));
}

TEST(Reduce, ArgmaxByRegion) {
  const OpDef& op = *OpRegistry::instance().find("stablehlo.reduce");
  const auto r = run_text(op.samples[2], {f32({3, 4}, {1, 9, 3, 9, 5, 2, 5, 1, -1, -2, -3, -4})});
  EXPECT_EQ(values_of(r[0]), V({9, 5, -1}));
  EXPECT_EQ(values_of(r[1]), V({1, 0, 0}));
  EXPECT_EQ(values_of(r[2]), V({5, 9, 5, 9}));
}

TEST(Combiner, IsRecognisedInEitherOrder) {
  const auto combiner_of = [](const std::string& body) {
    const auto module =
        parse_module(cat("func.func @main(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {\n  "
                         "%0 = \"stablehlo.reduce\"(%a, %i) ({\n"
                         "  ^bb0(%x: tensor<f32>, %y: tensor<f32>):\n",
                         body,
                         "    stablehlo.return %r : tensor<f32>\n  }) {dimensions = array<i64: 0>} "
                         ": (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
                         "  return %0 : tensor<f32>\n}"));
    return simple_combiner(module->entry("main").body->nodes()[0]->region(0));
  };
  EXPECT_EQ(combiner_of("%r = stablehlo.add %x, %y : tensor<f32>\n"), Combiner::sum);
  EXPECT_EQ(combiner_of("%r = stablehlo.maximum %y, %x : tensor<f32>\n"), Combiner::max);
  EXPECT_EQ(combiner_of("%r = stablehlo.add %x, %x : tensor<f32>\n"), std::nullopt);
  EXPECT_EQ(combiner_of("%r = stablehlo.subtract %x, %y : tensor<f32>\n"), std::nullopt);
  EXPECT_EQ(
      combiner_of(
          "%q = stablehlo.add %x, %y : tensor<f32>\n%r = stablehlo.add %q, %y : tensor<f32>\n"),
      std::nullopt);
}

TEST(Combiner, IdentitiesChangeNothing) {
  for (std::size_t k = 0; k < combiner_infos.size(); ++k)
    for (const DType d :
         {DType::i1, DType::i2, DType::i4, DType::i8, DType::ui2, DType::ui4, DType::ui16,
          DType::i32, DType::i64, DType::f4e2m1fn, DType::f8e4m3fn, DType::f8e4m3fnuz,
          DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const auto combiner = Combiner(k);
      if (!combines(combiner, d)) continue;
      std::mt19937 random(3);
      const Tensor x = random_tensor({.dtype = d, .dims = {5}}, random);
      const Tensor identity =
          std::make_shared<const HostArray>(combiner_identity(combiner, x->type)->to_array());
      Graph graph;
      graph.add_argument(x->type);
      graph.add_argument(x->type);
      graph.results = {
          create_value(graph, cat("stablehlo.", info(combiner).op), graph.arguments())};
      EXPECT_EQ(values_of(run_graph(graph, {x, identity})[0]), values_of(x))
          << to_string(combiner) << " of " << to_string(d);
    }
}

TEST(Combiner, PowersOfTwoHaveNoZeroToAddTo) {
  constexpr DType d = DType::f8e8m0fnu;
  EXPECT_FALSE(combines(Combiner::sum, d));
  EXPECT_EQ(values_of(std::make_shared<const HostArray>(identity_of(Combiner::max, d))),
            V{0x1p-127});
  EXPECT_EQ(values_of(std::make_shared<const HostArray>(identity_of(Combiner::min, d))),
            V{0x1p127});
}

std::string dot_text(const std::string& lhs, const std::string& rhs, const std::string& numbers,
                     const std::string& out) {
  return cat("func.func @main(%a: ", lhs, ", %b: ", rhs, ") -> ", out,
             " {\n  %0 = stablehlo.dot_general %a, %b, ", numbers, " : (", lhs, ", ", rhs, ") -> ",
             out, "\n  return %0 : ", out, "\n}");
}

TEST(DotGeneral, BatchingAndContracting) {
  const auto r = run_text(
      dot_text("tensor<2x2x2xi32>", "tensor<2x2x2xi32>",
               "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "tensor<2x2x2xi32>"),
      {i32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), i32({2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1})});
  EXPECT_EQ(values_of(r[0]), V({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(DotGeneral, ResultOrderIsBatchThenLeftThenRight) {
  const auto r = run_text(dot_text("tensor<2x3xi32>", "tensor<2x2xi32>",
                                   "contracting_dims = [0] x [1]", "tensor<3x2xi32>"),
                          {i32({2, 3}, {1, 2, 3, 4, 5, 6}), i32({2, 2}, {1, 10, 100, 1000})});
  EXPECT_EQ(values_of(r[0]), V({41, 4100, 52, 5200, 63, 6300}));
}

TEST(DotGeneral, OnePrecisionMayStandForBothOperands) {
  const auto r =
      run_text(dot_text("tensor<1x2xi32>", "tensor<2x1xi32>",
                        "contracting_dims = [1] x [0], precision = [HIGHEST]", "tensor<1x1xi32>"),
               {i32({1, 2}, {2, 3}), i32({2, 1}, {5, 7})});
  EXPECT_EQ(values_of(r[0]), V({31}));
}

TEST(DotGeneral, DeclaredResultTypeIsWhatSumsRoundTo) {
  const Tensor a = make_tensor({.dtype = DType::i8, .dims = {1, 3}}, {100, 100, 100}),
               b = make_tensor({.dtype = DType::i8, .dims = {3, 1}}, {100, 100, 100});
  EXPECT_EQ(values_of(run_text(dot_text("tensor<1x3xi8>", "tensor<3x1xi8>",
                                        "contracting_dims = [1] x [0]", "tensor<1x1xi32>"),
                               {a, b})[0]),
            V({30000}));
  // In i8 it wraps: 30000 = 117 * 256 + 48.
  EXPECT_EQ(values_of(run_text(dot_text("tensor<1x3xi8>", "tensor<3x1xi8>",
                                        "contracting_dims = [1] x [0]", "tensor<1x1xi8>"),
                               {a, b})[0]),
            V({48}));
}

TEST(DotGeneral, BooleansAreOrOfAnds) {
  const Type type{.dtype = DType::i1, .dims = {2, 2}};
  const auto r = run_text(dot_text("tensor<2x2xi1>", "tensor<2x2xi1>",
                                   "contracting_dims = [1] x [0]", "tensor<2x2xi1>"),
                          {make_tensor(type, {1, 1, 0, 0}), make_tensor(type, {1, 0, 1, 0})});
  EXPECT_EQ(values_of(r[0]), V({1, 0, 0, 0}));
}

TEST(DotGeneral, ContractionOfNothingIsZero) {
  const auto r = run_text(dot_text("tensor<2x0xf32>", "tensor<0x2xf32>",
                                   "contracting_dims = [1] x [0]", "tensor<2x2xf32>"),
                          {f32({2, 0}, {}), f32({0, 2}, {})});
  EXPECT_EQ(values_of(r[0]), V({0, 0, 0, 0}));
}

TEST(DotGeneral, AgreesWithTheDefinitionAcrossBlocks) {
  // 130 crosses the blocks in which the interpreter sums.
  std::mt19937 random(5);
  const Tensor a = random_tensor({.dtype = DType::f64, .dims = {3, 130}}, random),
               b = random_tensor({.dtype = DType::f64, .dims = {130, 5}}, random);
  const V x = values_of(a), y = values_of(b);
  const V r = values_of(run_text(dot_text("tensor<3x130xf64>", "tensor<130x5xf64>",
                                          "contracting_dims = [1] x [0]", "tensor<3x5xf64>"),
                                 {a, b})[0]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 130; ++k) sum += x[i * 130 + k] * y[k * 5 + j];
      EXPECT_NEAR(r[i * 5 + j], sum, 1e-12);
    }
}

}  // namespace
}  // namespace partita::ir
