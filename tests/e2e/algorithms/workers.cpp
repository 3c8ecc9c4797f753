// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// DiLoCo and its streaming form on the toy problem, whose parameters are two leaves here.
#include "tests/e2e/algorithms/reference.hpp"
#include "tests/e2e/algorithms/toy.hpp"

namespace partita::testing {
namespace {

using algorithms::DiLoCo;
using algorithms::DiLoCoState;
using algorithms::DiLoCoStep;
using build::Array;
using build::Arrays;

DiLoCo diloco(std::int64_t interval) {
  return {.placement = clients,
          .loss = toy_loss,
          .inner = algorithms::adamw({.rate = 0.05}),
          .outer = algorithms::momentum({.rate = 0.7, .decay = 0.9, .is_nesterov = true}),
          .interval = interval};
}

/// [n, s…] to [n, steps, s…].
Array for_all_steps(const Array& x, std::int64_t steps) {
  Dims dims = x.dims();
  dims.insert(dims.begin() + 1, steps);
  return build::broadcast_to(build::expand_dims(x, {1}), dims);
}

ToyProgram compared(const std::string& name, const reference::DiLoCo& expected,
                    std::function<Arrays(const Arrays&)> body) {
  Values workers;
  for (const reference::Worker& w : expected.workers)
    workers.insert(workers.end(), w.x.begin(), w.x.end());
  return {.name = name,
          .placements = {{clients, 3}},
          .inputs = {{"x", {2}, toy_start}, {"data", {3, 2}, toy_data}},
          .body = std::move(body),
          .expected = {expected.x, workers, expected.losses}};
}

/// Steps in a loop; the outer model, that of the workers, and the losses of the last step.
ToyProgram steps_of(const std::string& name, const DiLoCo& algorithm, int steps,
                    reference::DiLoCo expected) {
  expected.run(steps);
  const auto body = [=](const Arrays& a) {
    const Arrays params{build::slice(a[0], {0}, {1}), build::slice(a[0], {1}, {2})};
    Arrays carried = algorithms::diloco_init(algorithm, params).leaves();
    carried.push_back(build::broadcast(clients, build::zeros(Type::scalar(DType::f64))));
    const Arrays end = build::repeat(steps, carried, [&](const Array&, const Arrays& now) {
      const DiLoCoState state =
          algorithms::diloco_state(algorithm, algorithms::part(now, 0, now.size() - 1), 2);
      const DiLoCoStep next = algorithms::diloco_step(algorithm, state, {a[1]});
      return algorithms::joined(next.state.leaves(), {next.loss});
    });
    const DiLoCoState last =
        algorithms::diloco_state(algorithm, algorithms::part(end, 0, end.size() - 1), 2);
    return Arrays{build::concatenate(last.params, 0), build::concatenate(last.workers, 1),
                  end.back()};
  };
  return compared(name, expected, body);
}

/// The same as intervals in a loop.
ToyProgram intervals_of(const std::string& name, const DiLoCo& algorithm, int intervals,
                        reference::DiLoCo expected) {
  expected.run(intervals * int(algorithm.interval));
  const auto body = [=](const Arrays& a) {
    const Arrays params{build::slice(a[0], {0}, {1}), build::slice(a[0], {1}, {2})};
    const Array batches = for_all_steps(a[1], algorithm.interval);
    Arrays carried = algorithms::diloco_init(algorithm, params).leaves();
    carried.push_back(build::broadcast(clients, build::zeros(Type::scalar(DType::f64))));
    const Arrays end = build::repeat(intervals, carried, [&](const Array&, const Arrays& now) {
      const DiLoCoState state =
          algorithms::diloco_state(algorithm, algorithms::part(now, 0, now.size() - 1), 2);
      const DiLoCoStep next = algorithms::diloco_interval(algorithm, state, {batches});
      const auto last = [](const Arrays& losses) {
        const std::int64_t steps = losses[0].dim(0);
        return Arrays{build::reshape(build::slice(losses[0], {steps - 1}, {steps}), {})};
      };
      return algorithms::joined(next.state.leaves(), build::map(clients, last, {next.loss}));
    });
    const DiLoCoState last =
        algorithms::diloco_state(algorithm, algorithms::part(end, 0, end.size() - 1), 2);
    return Arrays{build::concatenate(last.params, 0), build::concatenate(last.workers, 1),
                  end.back()};
  };
  return compared(name, expected, body);
}

}  // namespace

std::vector<ToyProgram> worker_programs() {
  DiLoCo streaming = diloco(4);
  streaming.fragments = algorithms::spread_fragments(2, 2, 4);
  streaming.delay = 1;
  streaming.keep = 0.25;
  DiLoCo late = streaming;
  late.delay = 3;
  return {steps_of("diloco", diloco(3), 7, {.interval = 3}),
          steps_of("diloco_streaming", streaming, 11,
                   {.interval = 4, .delay = 1, .offsets = {0, 2}, .keep = 0.25}),
          intervals_of("diloco_intervals", diloco(3), 2, {.interval = 3}),
          intervals_of("diloco_streaming_intervals", streaming, 3,
                       {.interval = 4, .delay = 1, .offsets = {0, 2}, .keep = 0.25}),
          intervals_of("diloco_streaming_long_delay", late, 3,
                       {.interval = 4, .delay = 3, .offsets = {0, 2}, .keep = 0.25})};
}

}  // namespace partita::testing
