// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What one partition does: losses, and steps of an optimiser on its own batches.  These functions
// know of no placement and serve inside a map and outside.
#pragma once

#include <cstdint>
#include <functional>

#include "partita/algorithms/optimizers.hpp"

namespace partita::algorithms {

/// A scalar of floats from the leaves of the model and those of one batch.
using Loss = std::function<Array(const Arrays& params, const Arrays& batch)>;

/// loss + strength/2·‖params − anchor‖², which keeps local steps near the server's model: FedProx (Li et al.
/// 2020, arXiv 1812.06127).
Loss with_proximal_term(const Loss& loss, const Arrays& anchor, const Array& strength);

struct LocalTraining {
  Loss loss;
  Optimizer optimizer;
  std::int64_t steps = 1;
  /// Batches hold `steps` slices along a first dimension, one for each step; else all steps see all.
  bool is_stepwise = false;
  /// Steps are written out one after the other instead of as a loop.
  bool is_unrolled = false;
};

struct LocalStep {
  Arrays params, state;
  Array loss;  ///< before the step
};
/// One step of the optimiser.
LocalStep local_step(const Loss& loss, const Optimizer& optimizer, const Arrays& params,
                     const Arrays& state, const Arrays& batch);
/// All steps.
Stepped train(const LocalTraining& training, const Arrays& params, const Arrays& state,
              const Arrays& batches);
/// All steps from a fresh state; the model alone.
Arrays train(const LocalTraining& training, const Arrays& params, const Arrays& batches);

}  // namespace partita::algorithms
