// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/rounds.hpp"

#include "partita/builder/derivatives.hpp"
#include "partita/builder/placements.hpp"

namespace partita::algorithms {
namespace {

Arrays difference(const Arrays& a, const Arrays& b) {
  return each(a, b, [](const Array& x, const Array& y) { return x - y; });
}

}  // namespace

Array mean_loss(const std::string& placement, const Loss& loss, const Arrays& params,
                const Arrays& data) {
  const auto own = [&](const Arrays& batch) { return Arrays{loss(params, batch)}; };
  return build::reduce_mean(placement, build::map(placement, own, data)[0]);
}

Arrays local_models(const std::string& placement, const LocalTraining& training,
                    const Arrays& params, const Arrays& data) {
  return build::map(
      placement, [&](const Arrays& batches) { return train(training, params, batches); }, data);
}

Arrays train_each(const std::string& placement, const LocalTraining& training, const Arrays& models,
                  const Arrays& data) {
  const std::size_t n = models.size();
  const auto own = [&](const Arrays& all) {
    return train(training, part(all, 0, n), part(all, n, all.size() - n));
  };
  return build::map(placement, own, joined(models, data));
}

Stepped fed_sgd(const std::string& placement, const Loss& loss, const Optimizer& optimizer,
                const Arrays& params, const Arrays& state, const Arrays& data) {
  const auto of_params = [&](const Arrays& x) { return mean_loss(placement, loss, x, data); };
  return optimizer.update(build::grad(of_params, params), state, params);
}

Arrays fed_avg(const std::string& placement, const LocalTraining& training, const Arrays& params,
               const Arrays& data) {
  return build::reduce_mean(placement, local_models(placement, training, params, data));
}

Arrays weighted_fed_avg(const std::string& placement, const LocalTraining& training,
                        const Arrays& params, const Arrays& data, const Array& weights) {
  return build::reduce_weighted_mean(placement, local_models(placement, training, params, data),
                                     weights);
}

Arrays fed_prox(const std::string& placement, const LocalTraining& training, const Array& strength,
                const Arrays& params, const Arrays& data) {
  LocalTraining near = training;
  near.loss = with_proximal_term(training.loss, params, strength);
  return fed_avg(placement, near, params, data);
}

Arrays mean_change(const std::string& placement, const LocalTraining& training,
                   const Arrays& params, const Arrays& data) {
  const auto own = [&](const Arrays& batches) {
    return difference(train(training, params, batches), params);
  };
  return build::reduce_mean(placement, build::map(placement, own, data));
}

Stepped fed_opt(const std::string& placement, const LocalTraining& training,
                const Optimizer& server, const Arrays& params, const Arrays& state,
                const Arrays& data) {
  const Arrays change = mean_change(placement, training, params, data);
  return server.update(each(change, [](const Array& x) { return -x; }), state, params);
}

Arrays pull_to_mean(const std::string& placement, const Arrays& models, const Array& keep) {
  const Arrays means = build::reduce_mean(placement, models);
  const auto pull = [&](const Arrays& own) {
    return each(own, means, [&](const Array& x, const Array& m) {
      const Array kept = as_type(keep, x.dtype());
      return kept * x + (1 - kept) * m;
    });
  };
  return build::map(placement, pull, models);
}

Arrays papa(const std::string& placement, const LocalTraining& training, const Array& keep,
            const Arrays& models, const Arrays& data) {
  return pull_to_mean(placement, train_each(placement, training, models, data), keep);
}

Arrays branch_train_merge(const std::string& placement, const LocalTraining& training,
                          const Arrays& params, const Arrays& data, const Array& weights) {
  return weighted_fed_avg(placement, training, params, data, weights);
}

}  // namespace partita::algorithms
