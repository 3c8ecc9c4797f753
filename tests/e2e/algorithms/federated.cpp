// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rounds of federated learning on the toy problem.
#include "tests/e2e/algorithms/reference.hpp"
#include "tests/e2e/algorithms/toy.hpp"

namespace partita::testing {
namespace {

using algorithms::LocalTraining;
using algorithms::Optimizer;
using algorithms::Stepped;
using build::Array;
using build::Arrays;

LocalTraining descent(std::int64_t steps) {
  return {.loss = toy_loss, .optimizer = algorithms::sgd(0.01), .steps = steps};
}

Array objective(const Arrays& params, const Array& data) {
  return algorithms::mean_loss(clients, toy_loss, params, {data});
}

/// The model after each of `rounds`, one after the other, and its mean loss.
Arrays losses_of_rounds(int rounds, const Arrays& a,
                        const std::function<Arrays(const Arrays&)>& round) {
  Arrays params{a[0]}, results;
  for (int r = 0; r < rounds; ++r) {
    params = round(params);
    if (r == 0) results.push_back(params[0]);
    results.push_back(objective(params, a[1]));
  }
  return results;
}

ToyProgram fed_sgd() {
  const auto body = [](const Arrays& a) {
    return losses_of_rounds(3, a, [&](const Arrays& params) {
      return algorithms::fed_sgd(clients, toy_loss, algorithms::sgd(0.01), params, {}, {a[1]})
          .params;
    });
  };
  return on_toy("fed_sgd", body,
                {{1.42333333, -0.453333333}, {35.55125}, {14.7380596}, {6.34246802}});
}

ToyProgram fed_avg() {
  const auto body = [](const Arrays& a) {
    const Arrays models = algorithms::local_models(clients, descent(3), {a[0]}, {a[1]});
    return algorithms::joined(models, losses_of_rounds(3, a, [&](const Arrays& params) {
                                return algorithms::fed_avg(clients, descent(3), params, {a[1]});
                              }));
  };
  return on_toy("fed_avg", body,
                {{2.028525, -0.94295, 1.375625, -0.1675, 0.276425, 0.47735},
                 {1.22685833, -0.211033333},
                 {21.7125856},
                 {6.18057722},
                 {2.31732757}});
}

/// Two batches of each client, one for each step, the second of which is the first negated: the loss
/// sees other data in each step.
ToyProgram fed_avg_batches() {
  const auto body = [](const Arrays& a) {
    const Array batches =
        build::concatenate({build::expand_dims(a[1], {1}), build::expand_dims(-a[1], {1})}, 1);
    LocalTraining training = descent(2);
    training.is_stepwise = true;
    const Arrays looped = algorithms::fed_avg(clients, training, {a[0]}, {batches});
    training.is_unrolled = true;
    const Arrays unrolled = algorithms::fed_avg(clients, training, {a[0]}, {batches});
    return Arrays{looped[0], looped[0] - unrolled[0]};
  };
  Values mean{0, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    Values x = toy_start;
    for (const double sign : {1.0, -1.0}) {
      const double y0 = sign * toy_data[2 * i], y1 = sign * toy_data[2 * i + 1];
      const double error = x[0] * y0 + x[1] * y1 - 1;
      x[0] -= 0.01 * error * y0;
      x[1] -= 0.01 * error * y1;
    }
    mean[0] += x[0] / 3;
    mean[1] += x[1] / 3;
  }
  return on_toy("fed_avg_batches", body, {mean, {0, 0}});
}

ToyProgram fed_prox() {
  const auto body = [](const Arrays& a) {
    return Arrays{algorithms::fed_prox(clients, descent(3), 0.5, {a[0]}, {a[1]})[0],
                  algorithms::fed_prox(clients, descent(3), 0.0, {a[0]}, {a[1]})[0]};
  };
  return on_toy("fed_prox", body,
                {reference::fed_prox(toy_start, 0.01, 0.5, 3), {1.22685833, -0.211033333}});
}

ToyProgram fed_avg_adamw() {
  const auto body = [](const Arrays& a) {
    const Optimizer adamw = algorithms::adamw({.rate = 0.05, .weight_decay = 0.1});
    return algorithms::fed_avg(clients, {.loss = toy_loss, .optimizer = adamw, .steps = 4}, {a[0]},
                               {a[1]});
  };
  return on_toy("fed_avg_adamw", body, {reference::fed_avg_adamw(0.05, 0.1, 4)});
}

ToyProgram fed_opt() {
  const auto body = [](const Arrays& a) {
    Arrays results;
    for (const Optimizer& server :
         {algorithms::adagrad({}), algorithms::adam({}), algorithms::yogi({})}) {
      const Stepped next =
          algorithms::fed_opt(clients, descent(3), server, {a[0]}, server.init({a[0]}), {a[1]});
      results.push_back(next.params[0]);
      results.push_back(objective(next.params, a[1]));
    }
    const Optimizer server = algorithms::momentum({});
    Stepped now{.params = {a[0]}, .state = server.init({a[0]})};
    for (int round = 0; round < 2; ++round)
      now = algorithms::fed_opt(clients, descent(3), server, now.params, now.state, {a[1]});
    results.push_back(now.params[0]);
    return results;
  };
  return on_toy("fed_opt", body,
                {{1.99001293, -0.990012667},
                 {86.0484118},
                 {1.90128498, -0.90125937},
                 {76.4320502},
                 {1.90128506, -0.901259448},
                 {76.4320586},
                 {0.154425009, 0.865958571}});
}

ToyProgram papa() {
  const auto body = [](const Arrays& a) {
    const Arrays models = build::broadcast(clients, Arrays{a[0]});
    return Arrays{algorithms::papa(clients, descent(3), 0.9, models, {a[1]})[0],
                  algorithms::papa(clients, descent(3), 0.0, models, {a[1]})[0]};
  };
  const double x = 1.22685833, y = -0.211033333;
  return on_toy("papa", body,
                {{1.94835833, -0.869758333, 1.36074833, -0.171853333, 0.371468333, 0.408511667},
                 {x, y, x, y, x, y}});
}

ToyProgram branch_train_merge() {
  const auto body = [](const Arrays& a) {
    const Arrays merged = algorithms::branch_train_merge(clients, descent(3), {a[0]}, {a[1]}, a[2]);
    return Arrays{merged[0], objective(merged, a[1])};
  };
  ToyProgram program = on_toy("branch_train_merge", body, {{0.7702375, 0.1386}, {5.24809232}});
  program.inputs.push_back({"weights", {3}, {1, 2, 5}});
  return program;
}

}  // namespace

std::vector<ToyProgram> federated_programs() {
  return {fed_sgd(), fed_avg(), fed_avg_batches(),   fed_prox(), fed_avg_adamw(),
          fed_opt(), papa(),    branch_train_merge()};
}

}  // namespace partita::testing
