// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/training.hpp"

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/control.hpp"
#include "partita/builder/derivatives.hpp"
#include "partita/builder/ops.hpp"

namespace partita::algorithms {
namespace {

Array slice_at(const Array& x, std::int64_t index) {
  Dims starts(x.dims().size(), 0), limits = x.dims();
  starts[0] = index;
  limits[0] = index + 1;
  return build::reshape(build::slice(x, starts, limits), Dims(limits.begin() + 1, limits.end()));
}

void check(const LocalTraining& training, const Arrays& batches) {
  if (training.steps < 0) build::refuse("train", "0 steps or more", cat(training.steps));
  if (!training.is_stepwise) return;
  if (batches.empty()) build::refuse("train", "a batch for each step", "no batches");
  for (const Array& x : batches)
    if (x.rank() == 0 || x.dim(0) != training.steps)
      build::refuse("train", cat("batches with ", training.steps, " steps first"),
                    to_string(x.type()));
}

}  // namespace

Loss with_proximal_term(const Loss& loss, const Arrays& anchor, const Array& strength) {
  return [=](const Arrays& params, const Arrays& batch) {
    const Arrays terms = each(params, anchor, [&](const Array& x, const Array& a) {
      const Array distance = x - a;
      return build::sum(distance * distance) * (0.5 * as_type(strength, x.dtype()));
    });
    Array total = loss(params, batch);
    for (const Array& term : terms) total = total + as_type(term, total.dtype());
    return total;
  };
}

LocalStep local_step(const Loss& loss, const Optimizer& optimizer, const Arrays& params,
                     const Arrays& state, const Arrays& batch) {
  const auto of_params = [&](const Arrays& x) { return loss(x, batch); };
  const build::ValueAndGradients at = build::value_and_grad(of_params, params);
  Stepped next = optimizer.update(at.gradients, state, params);
  return {.params = std::move(next.params), .state = std::move(next.state), .loss = at.value};
}

Stepped train(const LocalTraining& training, const Arrays& params, const Arrays& state,
              const Arrays& batches) {
  check(training, batches);
  const std::size_t n = params.size();
  const auto step = [&](const Arrays& carried, const Arrays& batch) {
    const LocalStep next = local_step(training.loss, training.optimizer, part(carried, 0, n),
                                      part(carried, n, carried.size() - n), batch);
    return joined(next.params, next.state);
  };
  Arrays carried = joined(params, state);
  if (training.is_unrolled) {
    for (std::int64_t k = 0; k < training.steps; ++k) {
      const auto own = [k](const Array& x) { return slice_at(x, k); };
      carried = step(carried, training.is_stepwise ? each(batches, own) : batches);
    }
  } else if (training.is_stepwise) {
    carried = build::scan(carried, batches, [&](const Arrays& now, const Arrays& batch) {
                return build::Scanned{.carried = step(now, batch), .stacked = {}};
              }).carried;
  } else {
    carried = build::repeat(training.steps, carried,
                            [&](const Array&, const Arrays& now) { return step(now, batches); });
  }
  return {.params = part(carried, 0, n), .state = part(carried, n, carried.size() - n)};
}

Arrays train(const LocalTraining& training, const Arrays& params, const Arrays& batches) {
  return train(training, params, training.optimizer.init(params), batches).params;
}

}  // namespace partita::algorithms
