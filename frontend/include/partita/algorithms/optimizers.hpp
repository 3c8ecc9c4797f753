// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Optimisers, for local steps and for servers.  Rates are arrays, so that they may be inputs of the
// program and may be differentiated.
#pragma once

#include <functional>

#include "partita/algorithms/leaves.hpp"

namespace partita::algorithms {

struct Stepped {
  Arrays params, state;
};

/// `init` makes the state for parameters; `update` maps gradients, state and parameters to the next
/// parameters and state, of the same types.
struct Optimizer {
  std::function<Arrays(const Arrays& params)> init;
  std::function<Stepped(const Arrays& gradients, const Arrays& state, const Arrays& params)> update;
};

/// x ← x − rate·g.
Optimizer sgd(const Array& rate);

struct MomentumOptions {
  Array rate = 1.0;
  double decay = 0.9;
  bool is_nesterov = false;
};
/// v ← g + decay·v; x ← x − rate·v, in Nesterov's form x ← x − rate·(g + decay·v).  State: v.
Optimizer momentum(const MomentumOptions& options);

/// The adaptive server optimisers of FedOpt (Reddi et al. 2021, arXiv 2003.00295), without bias
/// correction: m ← beta1·m + (1 − beta1)·g, x ← x − rate·m / (√v + tau), with v₀ = tau² and
///   adagrad  v ← v + g²
///   adam     v ← beta2·v + (1 − beta2)·g²
///   yogi     v ← v − (1 − beta2)·g²·sign(v − g²)
/// State: m, then v.
struct AdaptiveOptions {
  Array rate = 0.1;
  double beta1 = 0.9, beta2 = 0.99, tau = 1e-3;
};
Optimizer adagrad(const AdaptiveOptions& options);
Optimizer adam(const AdaptiveOptions& options);
Optimizer yogi(const AdaptiveOptions& options);

/// Adam with bias correction and decoupled weight decay (Loshchilov and Hutter 2019, arXiv 1711.05101):
/// x ← x − rate·(m̂ / (√v̂ + epsilon) + weight_decay·x).  State: m, v, and beta1ᵗ and beta2ᵗ as scalars.
struct AdamWOptions {
  Array rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;
};
Optimizer adamw(const AdamWOptions& options);

}  // namespace partita::algorithms
