// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Programs built in C++: what they compute, the text they print, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/builder.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;

const Type scalar = Type::scalar(DType::f64);

Type f64(Dims dims) { return {.dtype = DType::f64, .dims = std::move(dims)}; }

ir::Tensor values(const Dims& dims, std::initializer_list<double> elements) {
  auto array = std::make_shared<HostArray>(f64(dims));
  EXPECT_EQ(array->type.count(), std::int64_t(elements.size()));
  std::copy(elements.begin(), elements.end(), array->data<DType::f64>());
  return array;
}

std::vector<double> elements(const HostArray& array) {
  const HostArray wide = convert(array, DType::f64);
  return {wide.data<DType::f64>(), wide.data<DType::f64>() + wide.type.count()};
}

/// What the text of the program computes, by result.
std::vector<std::vector<double>> run(const Program& program, std::vector<ir::Tensor> arguments) {
  const auto module = ir::parse_module(program.text());
  std::vector<std::vector<double>> results;
  for (const ir::Tensor& t :
       ir::Interpreter(*module).run(module->entry("main"), std::move(arguments)))
    results.push_back(elements(*t));
  return results;
}

std::vector<double> evaluate(const std::vector<ir::Tensor>& arguments, const Body& body) {
  Program program;
  std::vector<Type> types;
  for (const ir::Tensor& t : arguments) types.push_back(t->type);
  program.function("main", types, body);
  return run(program, arguments)[0];
}

std::string message_of(const std::function<void()>& build) {
  try {
    build();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

std::string refusal_of(const std::vector<Type>& arguments, const Body& body) {
  return message_of([&] { Program().function("main", arguments, body); });
}

TEST(Builder, BroadcastsOperandsAsNumPyDoes) {
  const auto column = values({2, 1}, {10, 20}), row = values({3}, {1, 2, 3});
  EXPECT_THAT(evaluate({column, row}, [](const Arrays& a) { return Arrays{a[0] + a[1]}; }),
              ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_THAT(evaluate({row}, [](const Arrays& a) { return Arrays{1 - a[0] / 2}; }),
              ElementsAre(0.5, 0, -0.5));
  EXPECT_THAT(evaluate({row}, [](const Arrays& a) { return Arrays{where(a[0] > 1, a[0], 0)}; }),
              ElementsAre(0, 2, 3));
}

TEST(Builder, SaysHowValuesLieOverAMesh) {
  const Type type{.dtype = DType::f32, .dims = {4, 6}};
  Program program;
  program.mesh({{"data", 2}, {"model", 3}});
  program.function("main", {type}, [](const Arrays& a) {
    return Arrays{sharded(a[0], {{}, {"model"}}) + sharded(a[0], {{"data"}})};
  });
  const std::string text = program.text();
  EXPECT_THAT(text, HasSubstr(R"(sdy.mesh @mesh = <["data"=2, "model"=3]>)"));
  EXPECT_THAT(text, HasSubstr(R"(<@mesh, [{}, {"model"}]>)"));
  EXPECT_THAT(text, HasSubstr(R"(<@mesh, [{"data"}, {?}]>)"));

  const auto refused = [&](const std::vector<std::vector<std::string>>& axes) {
    return message_of([&] {
      Program p;
      p.mesh({{"model", 2}});
      p.function("main", {type}, [&](const Arrays& a) { return Arrays{sharded(a[0], axes)}; });
    });
  };
  EXPECT_THAT(refused({{"x"}}), HasSubstr("an axis of the mesh"));
  EXPECT_THAT(refused({{}, {}, {"model"}}), HasSubstr("at most the 2 dimensions"));
  EXPECT_THAT(refusal_of({type}, [](const Arrays& a) { return Arrays{sharded(a[0], {})}; }),
              HasSubstr("a program with a mesh"));
  EXPECT_THAT(message_of([] { Program().mesh({{"x", 0}}); }), HasSubstr("at least 1 shard"));
  EXPECT_THAT(message_of([] {
                Program().mesh({{"x", 2}, {"x", 2}});
              }),
              HasSubstr("each axis once"));
  EXPECT_THAT(message_of([] { Program().mesh({}); }), HasSubstr("at least 1 axis"));
  EXPECT_THAT(message_of([&] { program.mesh({{"x", 2}}); }), HasSubstr("one mesh"));
}

TEST(Builder, HasAFunctionForEveryRow) {
  EXPECT_THAT(evaluate({values({2}, {0, 4})},
                       [](const Arrays& a) {
                         return Arrays{sqrt(a[0]) + cosine(a[0] * 0) + maximum(a[0], 3)};
                       }),
              ElementsAre(4, 7));
}

TEST(Builder, MultipliesMatricesVectorsAndBatches) {
  const auto a = values({2, 2}, {1, 2, 3, 4}), v = values({2}, {1, 10});
  const auto b = values({2, 2, 1}, {1, 2, 3, 4});
  const Body product = [](const Arrays& x) { return Arrays{matmul(x[0], x[1])}; };
  EXPECT_THAT(evaluate({a, a}, product), ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(evaluate({a, v}, product), ElementsAre(21, 43));
  EXPECT_THAT(evaluate({v, a}, product), ElementsAre(31, 42));
  EXPECT_THAT(evaluate({v, v}, product), ElementsAre(101));
  EXPECT_THAT(evaluate({a, b}, product), ElementsAre(5, 11, 11, 25));
  EXPECT_THAT(evaluate({b, v},
                       [](const Arrays& x) {
                         return Arrays{matmul(x[0], reshape(x[1], {2, 1, 1}))};
                       }),
              ElementsAre(1, 2, 30, 40));
}

TEST(Builder, ReducesTakesAndShapes) {
  const auto a = values({2, 3}, {1, 2, 3, 4, 5, 9});
  const auto of = [&](const std::function<Array(const Array&)>& f) {
    return evaluate({a}, [&](const Arrays& x) { return Arrays{f(x[0])}; });
  };
  EXPECT_THAT(of([](const Array& x) { return sum(x, {-1}); }), ElementsAre(6, 18));
  EXPECT_THAT(of([](const Array& x) { return mean(x); }), ElementsAre(4));
  EXPECT_THAT(of([](const Array& x) { return max(x, {0}); }), ElementsAre(4, 5, 9));
  EXPECT_THAT(of([](const Array& x) { return min(x, {1}); }), ElementsAre(1, 4));
  EXPECT_THAT(of([](const Array& x) { return slice(x, {0, 1}, {2, 3}); }), ElementsAre(2, 3, 5, 9));
  EXPECT_THAT(of([](const Array& x) {
                return concatenate({x, x}, -1);
              }),
              ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 9, 4, 5, 9));
  EXPECT_THAT(of([](const Array& x) {
                return take(x, reverse(iota({.dtype = DType::i32, .dims = {2}}), {0}));
              }),
              ElementsAre(4, 5, 9, 1, 2, 3));
  EXPECT_THAT(of([](const Array& x) {
                return pad(slice(x, {0, 0}, {1, 2}), 7, {0, 1}, {1, 0});
              }),
              ElementsAre(7, 1, 2, 7, 7, 7));
  EXPECT_THAT(of([](const Array&) {
                return one_hot(iota({.dtype = DType::i32, .dims = {2}}), 3, DType::f64);
              }),
              ElementsAre(1, 0, 0, 0, 1, 0));
}

TEST(Builder, CarriesThroughLoopsAndBranches) {
  const auto x = values({3}, {1, 2, 3});
  EXPECT_THAT(evaluate({x},
                       [](const Arrays& a) {
                         return repeat(3, {zeros_like(a[0])},
                                       [&](const Array& step, const Arrays& c) {
                                         return Arrays{c[0] + a[0] * convert(step, DType::f64)};
                                       });
                       }),
              ElementsAre(3, 6, 9));
  EXPECT_THAT(evaluate({x},
                       [](const Arrays& a) {
                         return while_loop(
                             {a[0]}, [](const Arrays& c) { return sum(c[0]) < 40; },
                             [](const Arrays& c) { return Arrays{c[0] * 2}; });
                       }),
              ElementsAre(8, 16, 24));
  EXPECT_THAT(
      evaluate({x},
               [](const Arrays& a) {
                 const Scanned sums =
                     scan({zeros(scalar)}, {a[0]}, [](const Arrays& c, const Arrays& slices) {
                       const Array next = c[0] + slices[0];
                       return Scanned{{next}, {next * 10}};
                     });
                 return Arrays{concatenate({sums.stacked[0], reshape(sums.carried[0], {1})}, 0)};
               }),
      ElementsAre(10, 30, 60, 6));
  EXPECT_THAT(evaluate({x},
                       [](const Arrays& a) {
                         return cond(
                             sum(a[0]) > 5, [&] { return Arrays{-a[0]}; },
                             [&] { return Arrays{a[0]}; });
                       }),
              ElementsAre(-1, -2, -3));
}

TEST(Builder, AScanBuildsItsBodyOnceAndMayStackAnything) {
  int built = 0;
  const std::vector<double> result = evaluate({values({2, 2}, {1, 2, 3, 4})}, [&](const Arrays& a) {
    const Scanned none = scan({a[0]}, {a[0]}, [&](const Arrays& c, const Arrays&) {
      ++built;
      return Scanned{.carried = {c[0] * 2}, .stacked = {}};
    });
    const Scanned rows = scan({}, {none.carried[0]}, [&](const Arrays&, const Arrays& slices) {
      ++built;
      return Scanned{.carried = {}, .stacked = {slices[0] + 1, 7.0}};
    });
    return Arrays{
        concatenate({rows.stacked[0], expand_dims(convert(rows.stacked[1], DType::f64), {0})}, 0)};
  });
  EXPECT_EQ(built, 2);
  EXPECT_THAT(result, ElementsAre(5, 9, 13, 17, 7, 7));
}

TEST(Builder, LayersAreWhatTheirNamesSay) {
  const auto x = values({2, 2}, {0, 0, 1, 3});
  const std::vector<double> soft =
      evaluate({x}, [](const Arrays& a) { return Arrays{softmax(a[0])}; });
  EXPECT_THAT(soft, Pointwise(testing::DoubleNear(1e-12),
                              {0.5, 0.5, 1 / (1 + std::exp(2.0)), 1 / (1 + std::exp(-2.0))}));
  EXPECT_THAT(
      evaluate({x}, [](const Arrays& a) { return Arrays{logsumexp(a[0])}; }),
      Pointwise(testing::DoubleNear(1e-12), {std::log(2.0), 3 + std::log(1 + std::exp(-2.0))}));
  const std::vector<double> normal =
      evaluate({x}, [](const Arrays& a) { return Arrays{layer_norm(a[0], 1.0, 0.5, 0)}; });
  EXPECT_THAT(std::vector<double>(normal.begin() + 2, normal.end()),
              Pointwise(testing::DoubleNear(1e-12), {-0.5, 1.5}));
  EXPECT_THAT(
      evaluate({x},
               [](const Arrays& a) {
                 return Arrays{cross_entropy(a[0], iota({.dtype = DType::i32, .dims = {2}}))};
               }),
      Pointwise(testing::DoubleNear(1e-12), {(std::log(2.0) + std::log(1 + std::exp(-2.0))) / 2}));
  // The first position sees itself alone.
  const std::vector<double> attended =
      evaluate({x}, [](const Arrays& a) { return Arrays{attention(a[0], a[0], a[0], true)}; });
  EXPECT_THAT(std::vector<double>(attended.begin(), attended.begin() + 2), ElementsAre(0, 0));
}

TEST(Builder, MapsOverPartitionsAndBroadcastsCaptures) {
  // The toy problem of a federated step by hand: x − 0.01·mean over partitions of (x·y − 1)·y.
  Program program({{"clients", 3}});
  program.function("main", {f64({2}), f64({3, 2})}, [](const Arrays& a) {
    const Arrays gradients =
        map("clients", [&](const Arrays& y) { return Arrays{(matmul(a[0], y[0]) - 1) * y[0]}; },
            {a[1]});
    return Arrays{a[0] - 0.01 * reduce_mean("clients", gradients[0])};
  });
  const auto results = run(program, {values({2}, {2, -1}), values({3, 2}, {1, 2, 3, -4, -7, 6})});
  EXPECT_THAT(results[0],
              Pointwise(testing::DoubleNear(1e-12), {2 - 0.01 * 173 / 3, -1 + 0.01 * 164 / 3}));
  EXPECT_THAT(program.text(), HasSubstr("mr.broadcast"));
  EXPECT_THAT(program.text(), HasSubstr("mr.reduce_mean"));
}

TEST(Builder, ReducesWithWeightsAndMasks) {
  Program program({{"clients", 3}});
  program.function("main", {f64({3, 2}), f64({3})}, [](const Arrays& a) {
    const Array is_in = a[1] > 1;
    return Arrays{reduce_weighted_mean("clients", {a[0]}, a[1])[0],
                  reduce_sum("clients", a[0], {.mask = is_in, .on_zero_weight = "nan", .kept = {}}),
                  reduce_max("clients", a[0]),
                  map("clients", [](const Arrays&) { return Arrays{partition_index("clients")}; },
                      {a[1]})[0]};
  });
  const auto results =
      run(program, {values({3, 2}, {1, 10, 2, 20, 4, 40}), values({3}, {1, 2, 5})});
  EXPECT_THAT(results[0], ElementsAre(3.125, 31.25));
  EXPECT_THAT(results[1], ElementsAre(6, 60));
  EXPECT_THAT(results[2], ElementsAre(4, 40));
  EXPECT_THAT(results[3], ElementsAre(0, 1, 2));
}

TEST(Builder, LiteralsOfIntegersKeepSixtyFourBits) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1, least = INT64_MIN;
  const Type i64 = Type::scalar(DType::i64), ui64 = Type::scalar(DType::ui64);
  Program program;
  program.function("main", {i64, ui64}, [&](const Arrays& x) {
    return Arrays{x[0] + odd, x[0] + least, x[1] + UINT64_MAX, full(Type::scalar(DType::i8), -128),
                  full(scalar, odd + 1)};
  });
  const auto module = ir::parse_module(program.text());
  const std::vector<ir::Tensor> zeros{std::make_shared<HostArray>(i64),
                                      std::make_shared<HostArray>(ui64)};
  const std::vector<ir::Tensor> results =
      ir::Interpreter(*module).run(module->entry("main"), zeros);
  EXPECT_EQ(*results[0]->data<DType::i64>(), odd);
  EXPECT_EQ(*results[1]->data<DType::i64>(), least);
  EXPECT_EQ(*results[2]->data<DType::ui64>(), UINT64_MAX);
  EXPECT_EQ(*results[3]->data<DType::i8>(), -128);
  EXPECT_EQ(*results[4]->data<DType::f64>(), double(odd + 1));
  const auto adding = [](DType d, const Array& x) {
    return refusal_of({Type::scalar(d)}, [&](const Arrays& a) { return Arrays{a[0] + x}; });
  };
  EXPECT_THAT(adding(DType::i8, 128), HasSubstr("expected an integer that i8 holds, found 128"));
  EXPECT_THAT(adding(DType::ui16, -1), HasSubstr("expected an integer that ui16 holds, found -1"));
  EXPECT_THAT(adding(DType::i64, UINT64_MAX), HasSubstr("expected an integer that i64 holds"));
}

TEST(Builder, RefusesWhatDoesNotFit) {
  EXPECT_THAT(refusal_of({f64({2}), f64({3})}, [](const Arrays& a) { return Arrays{a[0] + a[1]}; }),
              HasSubstr("add: expected a shape that broadcasts to [2], found [3]"));
  EXPECT_THAT(refusal_of({f64({2})},
                         [](const Arrays& a) {
                           return Arrays{a[0] + zeros({.dtype = DType::f32, .dims = {2}})};
                         }),
              HasSubstr("operand 1 of type tensor<2xf64>, found tensor<2xf32>"));
  EXPECT_THAT(refusal_of({f64({2})}, [](const Arrays& a) { return Arrays{sum(a[0], {1})}; }),
              HasSubstr("expected dimensions from -1 to 0, found 1"));
  EXPECT_THAT(refusal_of({f64({2})},
                         [](const Arrays& a) {
                           return map(
                               "clients", [](const Arrays& x) { return x; }, a);
                         }),
              HasSubstr("expected a placement of the program, found clients"));
  EXPECT_THAT(message_of([] {
                Program({{"clients", 0}});
              }),
              HasSubstr("expected at least 1 partition of clients, found 0"));
  EXPECT_THAT(message_of([] { static_cast<void>(zeros(scalar)); }),
              HasSubstr("expected a body that is being built"));
}

TEST(Builder, RefusesArraysOfBodiesThatHaveEnded) {
  EXPECT_THAT(refusal_of({f64({2})},
                         [](const Arrays& a) {
                           Array escaped;
                           static_cast<void>(repeat(2, a, [&](const Array&, const Arrays& c) {
                             escaped = c[0] * 2;
                             return c;
                           }));
                           return Arrays{escaped};
                         }),
              HasSubstr("one of a body that has ended"));
  // What was being built when an error was thrown does not stay the innermost body.
  EXPECT_THAT(evaluate({values({1}, {3})}, [](const Arrays& a) { return a; }), ElementsAre(3));
}

}  // namespace
}  // namespace partita::build
