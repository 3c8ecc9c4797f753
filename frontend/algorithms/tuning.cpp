// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/tuning.hpp"

#include "partita/builder/derivatives.hpp"
#include "partita/builder/placements.hpp"

namespace partita::algorithms {

Hypergradients hypergradients(const Round& round, const Objective& objective, const Arrays& params,
                              const Arrays& hyper) {
  const std::size_t n = params.size();
  const auto after = [&](const Arrays& all) {
    return objective(round(part(all, 0, n), part(all, n, all.size() - n)));
  };
  const build::ValueAndGradients at = build::value_and_grad(after, joined(params, hyper));
  return {.objective = at.value,
          .params = part(at.gradients, 0, n),
          .hyper = part(at.gradients, n, hyper.size())};
}

Tuned tuned_round(const Round& round, const Objective& objective, const Arrays& params,
                  const Arrays& hyper, const Array& meta_rate) {
  const auto after = [&](const Arrays& h) { return objective(round(params, h)); };
  const build::ValueAndGradients at = build::value_and_grad(after, hyper);
  const Arrays next = each(hyper, at.gradients, [&](const Array& h, const Array& g) {
    return h - as_type(meta_rate, h.dtype()) * g;
  });
  return {.params = round(params, hyper),
          .hyper = next,
          .gradient = at.gradients,
          .objective = at.value};
}

Tuned tune_server_rate(const Objective& objective, const Arrays& params, const Arrays& change,
                       const Array& rate, const Array& meta_rate) {
  const Round round = [&](const Arrays& x, const Arrays& hyper) {
    return add_scaled(x, hyper[0], change);
  };
  return tuned_round(round, objective, params, {rate}, meta_rate);
}

Swept sweep(const std::string& placement, const Array& rates,
            const std::function<Arrays(const Array& rate)>& train, const Objective& objective) {
  const auto own = [&](const Arrays& rate) {
    const Arrays model = train(rate[0]);
    return joined({objective(model)}, model);
  };
  const Arrays all = build::map(placement, own, {rates});
  return {.models = part(all, 1, all.size() - 1),
          .objectives = all[0],
          .best = build::reduce_min(placement, all[0])};
}

}  // namespace partita::algorithms
