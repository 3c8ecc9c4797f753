// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/optimizers.hpp"

#include "partita/builder/elementwise.hpp"

namespace partita::algorithms {
namespace {

/// x − rate·d, leaf by leaf.
Arrays descend(const Arrays& params, const Array& rate, const Arrays& directions) {
  return each(params, directions,
              [&](const Array& x, const Array& d) { return x - as_type(rate, x.dtype()) * d; });
}

Arrays zeros_of(const Arrays& params) { return each(params, build::zeros_like); }

/// decay·old + (1 − decay)·now.
Array moving_mean(double decay, const Array& old, const Array& now) {
  return decay * old + (1 - decay) * now;
}

using SecondMoment = std::function<Array(const Array& v, const Array& square)>;

Optimizer adaptive(const AdaptiveOptions& options, const SecondMoment& second_moment) {
  Optimizer result;
  result.init = [tau = options.tau](const Arrays& params) {
    return joined(zeros_of(params),
                  each(params, [&](const Array& x) { return build::full_like(x, tau * tau); }));
  };
  result.update = [options, second_moment](const Arrays& gradients, const Arrays& state,
                                           const Arrays& params) {
    const std::size_t n = params.size();
    const Arrays m = each(part(state, 0, n), gradients, [&](const Array& old, const Array& g) {
      return moving_mean(options.beta1, old, g);
    });
    const Arrays v = each(part(state, n, n), gradients, [&](const Array& old, const Array& g) {
      return second_moment(old, g * g);
    });
    const Arrays direction = each(m, v, [&](const Array& first, const Array& second) {
      return first / (build::sqrt(second) + options.tau);
    });
    return Stepped{.params = descend(params, options.rate, direction), .state = joined(m, v)};
  };
  return result;
}

/// Type of the running products of adamw: wide enough for 1 − beta2.
DType product_type(const Arrays& params) {
  return params.at(0).dtype() == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace

Optimizer sgd(const Array& rate) {
  return {.init = [](const Arrays&) { return Arrays{}; },
          .update =
              [rate](const Arrays& gradients, const Arrays&, const Arrays& params) {
                return Stepped{.params = descend(params, rate, gradients), .state = {}};
              }};
}

Optimizer momentum(const MomentumOptions& options) {
  const auto accumulate = [decay = options.decay](const Array& g, const Array& v) {
    return g + decay * v;
  };
  return {.init = zeros_of,
          .update = [options, accumulate](const Arrays& gradients, const Arrays& state,
                                          const Arrays& params) {
            const Arrays v = each(gradients, state, accumulate);
            const Arrays direction = options.is_nesterov ? each(gradients, v, accumulate) : v;
            return Stepped{.params = descend(params, options.rate, direction), .state = v};
          }};
}

Optimizer adagrad(const AdaptiveOptions& options) {
  return adaptive(options, [](const Array& v, const Array& square) { return v + square; });
}

Optimizer adam(const AdaptiveOptions& options) {
  return adaptive(options, [beta2 = options.beta2](const Array& v, const Array& square) {
    return moving_mean(beta2, v, square);
  });
}

Optimizer yogi(const AdaptiveOptions& options) {
  return adaptive(options, [beta2 = options.beta2](const Array& v, const Array& square) {
    return v - (1 - beta2) * square * build::sign(v - square);
  });
}

Optimizer adamw(const AdamWOptions& options) {
  Optimizer result;
  result.init = [](const Arrays& params) {
    const Array one = build::full(Type::scalar(product_type(params)), 1);
    return joined(joined(zeros_of(params), zeros_of(params)), {one, one});
  };
  result.update = [options](const Arrays& gradients, const Arrays& state, const Arrays& params) {
    const std::size_t n = params.size();
    const Arrays m = each(part(state, 0, n), gradients, [&](const Array& old, const Array& g) {
      return moving_mean(options.beta1, old, g);
    });
    const Arrays v = each(part(state, n, n), gradients, [&](const Array& old, const Array& g) {
      return moving_mean(options.beta2, old, g * g);
    });
    const Array power1 = state.at(2 * n) * options.beta1;
    const Array power2 = state.at(2 * n + 1) * options.beta2;
    const Arrays scaled = each(m, v, [&](const Array& first, const Array& second) {
      return first / as_type(1 - power1, first.dtype()) /
             (build::sqrt(second / as_type(1 - power2, second.dtype())) + options.epsilon);
    });
    const Arrays direction = add_scaled(scaled, options.weight_decay, params);
    return Stepped{.params = descend(params, options.rate, direction),
                   .state = joined(joined(m, v), {power1, power2})};
  };
  return result;
}

}  // namespace partita::algorithms
