// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algorithms on the toy problem in plain C++, to compare with.
#pragma once

#include <cstdint>
#include <vector>

namespace partita::testing::reference {

using Pair = std::vector<double>;

/// AdamW on one worker's loss (x·y − 1)²/2.
struct Worker {
  Pair x{2, -1}, m{0, 0}, v{0, 0};
  int steps = 0;
  /// Returns the loss before the step.
  double step(const Pair& y, double rate, double weight_decay);
};

struct DiLoCo {
  std::int64_t interval = 1, delay = 0;
  std::vector<std::int64_t> offsets{0, 0};  ///< of each element of x
  double keep = 0, inner_rate = 0.05, weight_decay = 0.01, outer_rate = 0.7, outer_decay = 0.9;
  Pair x{2, -1}, velocity{0, 0}, pending{0, 0};
  std::vector<Worker> workers{3};
  std::vector<double> losses;
  void run(int steps);
};

/// Mean of models after `steps` of gradient descent with a proximal term.
Pair fed_prox(const Pair& start, double rate, double strength, int steps);
/// The same of AdamW steps.
Pair fed_avg_adamw(double rate, double weight_decay, int steps);

}  // namespace partita::testing::reference
