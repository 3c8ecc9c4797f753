// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Rates and other hyperparameters: derivatives through rounds, and sweeps.
#pragma once

#include <functional>
#include <string>

#include "partita/algorithms/leaves.hpp"

namespace partita::algorithms {

/// The next model from a model and hyperparameters.
using Round = std::function<Arrays(const Arrays& params, const Arrays& hyper)>;
/// A scalar of a model, such as its mean loss.
using Objective = std::function<Array(const Arrays& params)>;

struct Hypergradients {
  Array objective;       ///< of the model after the round
  Arrays params, hyper;  ///< its derivatives with respect to what the round took
};
/// Differentiates the objective of the next model: meta-gradients and hypergradients in one.
Hypergradients hypergradients(const Round& round, const Objective& objective, const Arrays& params,
                              const Arrays& hyper);

struct Tuned {
  Arrays params;    ///< round(params, hyper), with the hyperparameters as they were
  Arrays hyper;     ///< hyper − meta_rate·derivative
  Arrays gradient;  ///< the derivative
  Array objective;  ///< of `params`
};
/// A round, and a step of gradient descent on its hyperparameters: learned rates, learned weights of
/// the partitions.
Tuned tuned_round(const Round& round, const Objective& objective, const Arrays& params,
                  const Arrays& hyper, const Array& meta_rate);

/// tuned_round of a server's rate along a change that does not depend on it: params + rate·change.
Tuned tune_server_rate(const Objective& objective, const Arrays& params, const Arrays& change,
                       const Array& rate, const Array& meta_rate);

struct Swept {
  Arrays models;     ///< [n, s…]
  Array objectives;  ///< [n]
  Array best;        ///< the least objective; NaN where one is NaN
};
/// `train` by each rate of `rates` [n], which the partitions of a placement share out.  Maps over other
/// placements may be inside.
Swept sweep(const std::string& placement, const Array& rates,
            const std::function<Arrays(const Array& rate)>& train, const Objective& objective);

}  // namespace partita::algorithms
