// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives in built programs, on the toy problem whose numbers are known: three partitions, the
// loss (x·y − 1)²/2 of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/builder.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/interpreter.hpp"
#include "tests/support/unused_functions.hpp"

namespace partita::build {
namespace {

using ::testing::HasSubstr;
using ::testing::Pointwise;

const std::string placement = "clients";
const Type pair{.dtype = DType::f64, .dims = {2}};
const Type pairs{.dtype = DType::f64, .dims = {3, 2}};

ir::Tensor values(const Type& type, const std::vector<double>& elements) {
  auto array = std::make_shared<HostArray>(type);
  std::copy(elements.begin(), elements.end(), array->data<DType::f64>());
  return array;
}

Array partition_loss(const Array& x, const Array& y) {
  const Array error = matmul(x, y) - 1;
  return 0.5 * error * error;
}

Array mean_loss(const Array& x, const Array& data) {
  return reduce_mean(
      placement,
      map(placement, [&](const Arrays& y) { return Arrays{partition_loss(x, y[0])}; }, {data})[0]);
}

/// `steps` of gradient descent on each partition, then the mean of their models.
Array local_descent(const Array& x, const Array& data, const Array& rate, int steps) {
  const Arrays models =
      map(placement,
          [&](const Arrays& y) {
            const Loss loss = [&](const Arrays& m) { return partition_loss(m[0], y[0]); };
            Array model = x;
            for (int step = 0; step < steps; ++step) model = model - rate * grad(loss, {model})[0];
            return Arrays{model};
          },
          {data});
  return reduce_mean(placement, models[0]);
}

/// Results of a function of the model [2,-1] and the data.
std::vector<std::vector<double>> of_toy_problem(const Body& body) {
  Program program({{placement, 3}});
  program.function("main", {pair, pairs}, body);
  const auto module = ir::parse_module(program.text());
  std::vector<std::vector<double>> results;
  const std::vector<ir::Tensor> arguments{values(pair, {2, -1}),
                                          values(pairs, {1, 2, 3, -4, -7, 6})};
  for (const ir::Tensor& t : ir::Interpreter(*module).run(module->entry("main"), arguments)) {
    const auto* data = t->data<DType::f64>();
    results.emplace_back(data, data + t->type.count());
  }
  return results;
}

auto is_near(const std::vector<double>& expected, double tolerance = 1e-6) {
  return Pointwise(::testing::DoubleNear(tolerance), expected);
}

TEST(BuilderDerivatives, GradientAndHessianOfAMeanLoss) {
  const auto results = of_toy_problem([](const Arrays& a) {
    const Loss loss = [&](const Arrays& x) { return mean_loss(x[0], a[1]); };
    const ValueAndGradients reverse = value_and_grad(loss, {a[0]});
    const Arrays forward = grad(loss, {a[0]}, {}, Mode::forward);
    const Array second = hessian([&](const Array& x) { return mean_loss(x, a[1]); }, a[0]);
    return Arrays{reverse.value, reverse.gradients[0], forward[0], second};
  });
  EXPECT_THAT(results[0], is_near({87.16667}, 1e-5));
  EXPECT_THAT(results[1], is_near({57.666668, -54.666668}, 1e-5));
  EXPECT_THAT(results[2], is_near({57.666668, -54.666668}, 1e-5));
  EXPECT_THAT(results[3], is_near({19.6666667, -17.3333333, -17.3333333, 18.6666667}));
}

TEST(BuilderDerivatives, OneStepOfLocalDescentIsAStepOnTheMeanLoss) {
  const auto results = of_toy_problem([](const Arrays& a) {
    const Array next = local_descent(a[0], a[1], full(Type::scalar(DType::f64), 0.01), 1);
    return Arrays{next, mean_loss(next, a[1])};
  });
  EXPECT_THAT(results[0], is_near({1.42333333, -0.453333333}));
  EXPECT_THAT(results[1], is_near({35.55125}, 1e-5));
}

TEST(BuilderDerivatives, GoThroughMapsAndTheirGradients) {
  // The loss after a round of three local steps, as a function of the model and of the rate.
  const auto results = of_toy_problem([](const Arrays& a) {
    const Loss loss = [&](const Arrays& x) {
      return mean_loss(local_descent(x[0], a[1], x[1], 3), a[1]);
    };
    return grad(loss, {a[0], full(Type::scalar(DType::f64), 0.01)});
  });
  EXPECT_THAT(results[0], is_near({14.6962437, -11.6813283}));
  EXPECT_THAT(results[1], is_near({-1166.95487}, 1e-4));
}

TEST(BuilderDerivatives, JacobiansAgreeInBothModes) {
  const auto results = of_toy_problem([](const Arrays& a) {
    const auto f = [&](const Array& x) { return tanh(matmul(a[1], x) * 0.1); };
    return Arrays{jacfwd(f, a[0]), jacrev(f, a[0]), f(a[0])};
  });
  EXPECT_THAT(results[0], is_near(results[1], 1e-12));
  const double t = results[2][1];
  EXPECT_NEAR(results[0][3], (1 - t * t) * -0.4, 1e-12);
}

TEST(BuilderDerivatives, JacobiansOfManyElementsGoInBlocks) {
  const auto results = of_toy_problem([](const Arrays& a) {
    const Array x = iota(Type{.dtype = DType::f64, .dims = {261}}) * 0.01;
    const auto f = [&](const Array& y) { return sine(y) * slice(a[0], {0}, {1}) + sum(y); };
    const Array forward = jacfwd(f, x), reverse = jacrev(f, x);
    return Arrays{max(forward - reverse), min(forward - reverse),
                  slice(forward, {260, 260}, {261, 261}), jacfwd(f, slice(x, {0}, {0}))};
  });
  EXPECT_THAT(results[0], is_near({0}, 1e-12));
  EXPECT_THAT(results[1], is_near({0}, 1e-12));
  EXPECT_THAT(results[2], is_near({2 * std::cos(2.6) + 1}, 1e-12));
  EXPECT_TRUE(results[3].empty());
}

TEST(BuilderDerivatives, JacobiansRefuseIntegers) {
  try {
    static_cast<void>(of_toy_problem([](const Arrays& a) {
      return Arrays{jacrev([](const Array& x) { return convert(x, DType::i32); }, a[0])};
    }));
    ADD_FAILURE() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "jacrev: expected arrays of floats or complex numbers, found tensor<2xi32>");
  }
}

TEST(BuilderDerivatives, PushAndPullAgree) {
  const auto results = of_toy_problem([](const Arrays& a) {
    const Body f = [](const Arrays& x) { return Arrays{x[0] * x[0], sum(sine(x[0]))}; };
    const Array t = full_like(a[0], 2);
    const Arrays c{full_like(a[0], 3), full(Type::scalar(DType::f64), 5)};
    const Pushed pushed = jvp(f, {a[0]}, {t});
    const Pulled pulled = vjp(f, {a[0]}, c);
    return Arrays{sum(pushed.tangents[0] * c[0]) + pushed.tangents[1] * c[1],
                  sum(pulled.cotangents[0] * t), pushed.results[0], pulled.results[0]};
  });
  EXPECT_THAT(results[0], is_near(results[1], 1e-12));
  EXPECT_THAT(results[2], is_near({4, 1}));
  EXPECT_THAT(results[3], is_near({4, 1}));
}

TEST(BuilderDerivatives, LeaveNoFunctionThatNothingCalls) {
  Program program({{placement, 3}});
  program.function("main", {pair, pairs}, [](const Arrays& a) {
    const auto loss = [&](const Array& x) { return mean_loss(x, a[1]); };
    const auto gradient = [&](const Array& x) {
      return grad([&](const Arrays& y) { return loss(y[0]); }, {x})[0];
    };
    const Body body = [&](const Arrays& x) { return Arrays{gradient(x[0])}; };
    return Arrays{hessian(loss, a[0]), jacrev(gradient, a[0]),
                  jvp(body, {a[0]}, {a[0]}).tangents[0], vjp(body, {a[0]}, {a[0]}).cotangents[0]};
  });
  EXPECT_THAT(partita::testing::unused_functions(program.module()), ::testing::IsEmpty());
}

TEST(BuilderDerivatives, RefusesLossesThatAreNoScalars) {
  try {
    static_cast<void>(of_toy_problem(
        [](const Arrays& a) { return grad([](const Arrays& x) { return x[0] * 2; }, {a[0]}); }));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("to return one scalar of floats, found tensor<2xf64>"));
  }
}

}  // namespace
}  // namespace partita::build
