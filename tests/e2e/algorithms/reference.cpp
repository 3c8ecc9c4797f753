// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tests/e2e/algorithms/reference.hpp"

#include <cmath>
#include <cstddef>

namespace partita::testing::reference {
namespace {

const std::vector<Pair> data{{1, 2}, {3, -4}, {-7, 6}};

double error_of(const Pair& x, const Pair& y) { return x[0] * y[0] + x[1] * y[1] - 1; }

}  // namespace

double Worker::step(const Pair& y, double rate, double weight_decay) {
  const double error = error_of(x, y);
  ++steps;
  for (std::size_t k = 0; k < 2; ++k) {
    const double g = error * y[k];
    m[k] = 0.9 * m[k] + 0.1 * g;
    v[k] = 0.999 * v[k] + 0.001 * g * g;
    const double first = m[k] / (1 - std::pow(0.9, steps));
    const double second = v[k] / (1 - std::pow(0.999, steps));
    x[k] -= rate * (first / (std::sqrt(second) + 1e-8) + weight_decay * x[k]);
  }
  return error * error / 2;
}

void DiLoCo::run(int steps) {
  for (int t = 1; t <= steps; ++t) {
    losses.clear();
    for (std::size_t i = 0; i < 3; ++i)
      losses.push_back(workers[i].step(data[i], inner_rate, weight_decay));
    for (std::size_t k = 0; k < 2; ++k) {
      const auto difference = [&] {
        return x[k] - (workers[0].x[k] + workers[1].x[k] + workers[2].x[k]) / 3;
      };
      const bool is_merge = t > delay && (t - offsets[k] - delay) % interval == 0;
      if (is_merge) {
        const double g = delay > 0 ? pending[k] : difference();
        velocity[k] = g + outer_decay * velocity[k];
        x[k] -= outer_rate * (g + outer_decay * velocity[k]);
        for (Worker& w : workers) w.x[k] = keep * w.x[k] + (1 - keep) * x[k];
      }
      if (delay > 0 && (t - offsets[k]) % interval == 0) pending[k] = difference();
    }
  }
}

Pair fed_prox(const Pair& start, double rate, double strength, int steps) {
  Pair mean{0, 0};
  for (const Pair& y : data) {
    Pair x = start;
    for (int s = 0; s < steps; ++s) {
      const double error = error_of(x, y);
      for (std::size_t k = 0; k < 2; ++k)
        x[k] -= rate * (error * y[k] + strength * (x[k] - start[k]));
    }
    for (std::size_t k = 0; k < 2; ++k) mean[k] += x[k] / 3;
  }
  return mean;
}

Pair fed_avg_adamw(double rate, double weight_decay, int steps) {
  Pair mean{0, 0};
  for (const Pair& y : data) {
    Worker worker;
    for (int s = 0; s < steps; ++s) worker.step(y, rate, weight_decay);
    for (std::size_t k = 0; k < 2; ++k) mean[k] += worker.x[k] / 3;
  }
  return mean;
}

}  // namespace partita::testing::reference
