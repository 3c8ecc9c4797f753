// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Derivatives through rounds, and sweeps, on the toy problem.
#include "tests/e2e/algorithms/toy.hpp"

namespace partita::testing {
namespace {

using algorithms::LocalTraining;
using build::Array;
using build::Arrays;

Array literal(double value) { return build::full(Type::scalar(DType::f64), value); }

LocalTraining descent(const Array& rate, std::int64_t steps) {
  return {.loss = toy_loss, .optimizer = algorithms::sgd(rate), .steps = steps};
}

algorithms::Objective objective_on(const Array& data) {
  return [=](const Arrays& params) {
    return algorithms::mean_loss(clients, toy_loss, params, {data});
  };
}

/// A round of FedAvg by its local rate.
algorithms::Round round_on(const Array& data, std::int64_t steps) {
  return [=](const Arrays& params, const Arrays& hyper) {
    return algorithms::fed_avg(clients, descent(hyper[0], steps), params, {data});
  };
}

ToyProgram meta_gradients() {
  const auto body = [](const Arrays& a) {
    Arrays results;
    for (const std::int64_t steps : {3, 1}) {
      const algorithms::Hypergradients at = algorithms::hypergradients(
          round_on(a[1], steps), objective_on(a[1]), {a[0]}, {literal(0.01)});
      for (const Arrays& list : {at.params, at.hyper}) results = algorithms::joined(results, list);
    }
    return results;
  };
  return on_toy(
      "hypergradients", body,
      {{14.6962437, -11.6813283}, {-1166.95487}, {23.6286111, -21.6455556}, {-4009.19444}});
}

ToyProgram server_rate() {
  const auto body = [](const Arrays& a) {
    const Arrays change = algorithms::mean_change(clients, descent(0.01, 3), {a[0]}, {a[1]});
    Arrays rate{literal(1)}, results{change[0]};
    for (int round = 0; round < 3; ++round) {
      const algorithms::Tuned next =
          algorithms::tune_server_rate(objective_on(a[1]), {a[0]}, change, rate[0], 1e-3);
      rate = next.hyper;
      if (round == 0) results.push_back(next.gradient[0]);
      results.push_back(rate[0]);
    }
    return results;
  };
  return on_toy(
      "self_tuning_server_rate", body,
      {{-0.773141667, 0.788966667}, {-43.1934816}, {1.04319348}, {1.08446394}, {1.12389698}});
}

ToyProgram local_rate() {
  const auto body = [](const Arrays& a) {
    Arrays params{a[0]}, rate{literal(0.01)}, results;
    for (int round = 0; round < 3; ++round) {
      const algorithms::Tuned next =
          algorithms::tuned_round(round_on(a[1], 3), objective_on(a[1]), params, rate, 1e-6);
      params = next.params;
      rate = next.hyper;
      results.push_back(next.objective);
      if (round < 2) results.push_back(rate[0]);
    }
    return results;
  };
  return on_toy("self_tuning_local_rate", body,
                {{21.7125856}, {0.0111669549}, {5.93828395}, {0.0113487439}, {2.21788936}});
}

ToyProgram learned_weights() {
  const auto body = [](const Arrays& a) {
    // The first element of a weighted mean by its weights and by what it is of.
    const build::Loss first = [](const Arrays& x) {
      const Array y = build::reduce_weighted_mean(clients, {x[1]}, x[0])[0];
      return build::sum(build::slice(y, {0}, {1}));
    };
    const Arrays own = build::grad(first, {a[2], a[3]});
    const auto round = [&](const Arrays& params, const Arrays& hyper) {
      return algorithms::weighted_fed_avg(clients, descent(0.01, 3), params, {a[1]}, hyper[0]);
    };
    const algorithms::Tuned next =
        algorithms::tuned_round(round, objective_on(a[1]), {a[0]}, {a[2]}, 0.05);
    const Arrays later = round({a[0]}, next.hyper);
    return Arrays{own[0], own[1], next.params[0], next.objective,
                  build::convert(objective_on(a[1])(later) < next.objective, DType::f64)};
  };
  ToyProgram program = on_toy("learned_weights", body,
                              {{-0.265625, -0.140625, 0.109375},
                               {0.125, 0, 0.25, 0, 0.625, 0},
                               {0.7702375, 0.1386},
                               {5.24809232},
                               {1}});
  program.inputs.push_back({"weights", {3}, {1, 2, 5}});
  program.inputs.push_back({"values", {3, 2}, {1, 10, 2, 20, 4, 40}});
  return program;
}

ToyProgram rate_sweep() {
  const auto body = [](const Arrays& a) {
    const auto train = [&](const Array& rate) {
      Arrays params{a[0]};
      for (int round = 0; round < 3; ++round)
        params = algorithms::fed_sgd(clients, toy_loss, algorithms::sgd(rate), params, {}, {a[1]})
                     .params;
      return params;
    };
    const algorithms::Swept swept = algorithms::sweep("rates", a[2], train, objective_on(a[1]));
    return Arrays{swept.objectives, swept.best};
  };
  ToyProgram program =
      on_toy("rate_sweep", body,
             {{69.8716538, 43.8052208, 6.34246802, 0.630441674, 29992.6246}, {0.630441674}});
  program.placements["rates"] = 5;
  program.inputs.push_back({"rates", {5}, {0.001, 0.003, 0.01, 0.03, 0.1}});
  return program;
}

}  // namespace

std::vector<ToyProgram> tuning_programs() {
  return {meta_gradients(), server_rate(), local_rate(), learned_weights(), rate_sweep()};
}

}  // namespace partita::testing
