// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/algorithms/diloco.hpp"

#include <algorithm>
#include <numeric>

#include "frontend/algorithms/diloco_parts.hpp"
#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/control.hpp"
#include "partita/builder/elementwise.hpp"
#include "partita/builder/ops.hpp"
#include "partita/builder/placements.hpp"

namespace partita::algorithms {

Arrays select(const Arrays& leaves, const Positions& positions) {
  Arrays chosen;
  for (const std::size_t k : positions) chosen.push_back(leaves.at(k));
  return chosen;
}

void put(Arrays& leaves, const Positions& positions, const Arrays& values) {
  for (std::size_t k = 0; k < positions.size(); ++k) leaves.at(positions[k]) = values.at(k);
}

std::vector<Fragment> fragments_of(const DiLoCo& algorithm, std::size_t leaves) {
  if (algorithm.interval < 1)
    build::refuse("diloco", "an interval of 1 step or more", cat(algorithm.interval));
  if (algorithm.delay < 0 || algorithm.delay >= algorithm.interval)
    build::refuse("diloco", cat("a delay below the interval of ", algorithm.interval),
                  cat(algorithm.delay));
  std::vector<Fragment> fragments = algorithm.fragments;
  if (fragments.empty()) fragments = spread_fragments(leaves, 1, algorithm.interval);
  std::vector<int> uses(leaves, 0);
  for (const Fragment& f : fragments)
    for (const std::size_t k : f.leaves) {
      if (k >= leaves) build::refuse("diloco", cat("leaves below ", leaves), cat(k));
      ++uses[k];
    }
  if (std::ranges::any_of(uses, [](int n) { return n != 1; }))
    build::refuse("diloco", "fragments that hold each leaf once", "other ones");
  return fragments;
}

namespace {

/// Whether a step is `offset` steps after the beginning of an interval, and after step `after`.
Array is_due(const Array& step, std::int64_t offset, std::int64_t interval, std::int64_t after) {
  const auto whole = [&](std::int64_t value) { return build::full_like(step, double(value)); };
  const std::int64_t phase = ((offset % interval) + interval) % interval;
  const Array is_phase = build::equal(build::remainder(step, whole(interval)), whole(phase));
  return after > 0 ? build::where(step > whole(after), is_phase, build::full_like(is_phase, 0))
                   : is_phase;
}

}  // namespace

Arrays own_differences(const std::string& placement, const Arrays& params, const Arrays& workers) {
  const auto own = [&](const Arrays& inner) {
    return each(params, inner, [](const Array& x, const Array& w) { return x - w; });
  };
  return build::map(placement, own, workers);
}

Arrays mean_difference(const std::string& placement, const Arrays& params, const Arrays& workers) {
  return build::reduce_mean(placement, own_differences(placement, params, workers));
}

Arrays taken(const DiLoCo& algorithm, const Array& is_taken, const Arrays& params,
             const Arrays& workers) {
  const auto own = [&](const Arrays& inner) {
    return each(inner, params, [&](const Array& w, const Array& x) {
      const Array outer = algorithm.keep == 0 ? x : algorithm.keep * w + (1 - algorithm.keep) * x;
      return build::where(is_taken, outer, w);
    });
  };
  return build::map(algorithm.placement, own, workers);
}

namespace {

/// Inner steps of all workers.
DiLoCoStep inner_steps(const DiLoCo& algorithm, const DiLoCoState& state, const Arrays& batch) {
  const std::size_t n = state.workers.size(), inner = state.inner.size();
  const auto own = [&](const Arrays& all) {
    const LocalStep next = local_step(algorithm.loss, algorithm.inner, part(all, 0, n),
                                      part(all, n, inner), part(all, n + inner, batch.size()));
    return joined(joined(next.params, next.state), {next.loss});
  };
  const Arrays results =
      build::map(algorithm.placement, own, joined(joined(state.workers, state.inner), batch));
  DiLoCoStep next{.state = state, .loss = results.back()};
  next.state.workers = part(results, 0, n);
  next.state.inner = part(results, n, inner);
  next.state.step = state.step + 1;
  return next;
}

/// With a delay: the differences of a fragment, reduced where the step is the fragment's.
void send(const DiLoCo& algorithm, const Fragment& fragment, DiLoCoState& state) {
  const Arrays params = select(state.params, fragment.leaves);
  const Arrays workers = select(state.workers, fragment.leaves);
  const Arrays pending = select(state.pending, fragment.leaves);
  put(state.pending, fragment.leaves,
      build::cond(
          is_due(state.step, fragment.offset, algorithm.interval, 0),
          [&] { return mean_difference(algorithm.placement, params, workers); },
          [&] { return pending; }));
}

/// The outer step of a fragment where it is due; its part of the outer state begins at `first`.
void merge(const DiLoCo& algorithm, const Fragment& fragment, std::size_t first, std::size_t count,
           DiLoCoState& state) {
  const std::size_t n = fragment.leaves.size();
  const Arrays params = select(state.params, fragment.leaves);
  const Arrays workers = select(state.workers, fragment.leaves);
  const Arrays outer = part(state.outer, first, count);
  const auto step = [&] {
    const Arrays gradients = algorithm.delay > 0
                                 ? select(state.pending, fragment.leaves)
                                 : mean_difference(algorithm.placement, params, workers);
    const Stepped next = algorithm.outer.update(gradients, outer, params);
    return joined(next.params, next.state);
  };
  const Array is_taken =
      is_due(state.step, fragment.offset + algorithm.delay, algorithm.interval, algorithm.delay);
  const Arrays next = build::cond(is_taken, step, [&] { return joined(params, outer); });
  put(state.params, fragment.leaves, next);
  put(state.workers, fragment.leaves, taken(algorithm, is_taken, part(next, 0, n), workers));
  std::copy_n(next.begin() + std::ptrdiff_t(n), count, state.outer.begin() + std::ptrdiff_t(first));
}

}  // namespace

DiLoCoLayout layout_of(const DiLoCo& algorithm, const Arrays& params) {
  DiLoCoLayout layout{.inner = algorithm.inner.init(params).size(), .outer = 0, .by_fragment = {}};
  for (const Fragment& f : fragments_of(algorithm, params.size())) {
    layout.by_fragment.push_back(algorithm.outer.init(select(params, f.leaves)).size());
    layout.outer += layout.by_fragment.back();
  }
  return layout;
}

Arrays DiLoCoState::leaves() const {
  Arrays all = params;
  for (const Arrays* list : {&workers, &inner, &outer, &pending}) all = joined(all, *list);
  return joined(all, {step});
}

DiLoCoState diloco_init(const DiLoCo& algorithm, const Arrays& params) {
  DiLoCoState state{.params = params,
                    .workers = build::broadcast(algorithm.placement, params),
                    .inner = build::broadcast(algorithm.placement, algorithm.inner.init(params)),
                    .outer = {},
                    .pending = {},
                    .step = build::zeros(Type::scalar(DType::i32))};
  for (const Fragment& f : fragments_of(algorithm, params.size()))
    state.outer = joined(state.outer, algorithm.outer.init(select(params, f.leaves)));
  if (algorithm.delay > 0) state.pending = each(params, build::zeros_like);
  return state;
}

DiLoCoState diloco_state(const DiLoCo& algorithm, const Arrays& leaves, std::size_t model_leaves) {
  const std::size_t n = model_leaves;
  const Arrays params = part(leaves, 0, n);
  const DiLoCoLayout layout = layout_of(algorithm, params);
  const std::size_t pending = algorithm.delay > 0 ? n : 0;
  const std::size_t expected = 2 * n + layout.inner + layout.outer + pending + 1;
  if (leaves.size() != expected)
    build::refuse("diloco_state", cat(expected, " leaves"), cat(leaves.size()));
  return {.params = params,
          .workers = part(leaves, n, n),
          .inner = part(leaves, 2 * n, layout.inner),
          .outer = part(leaves, 2 * n + layout.inner, layout.outer),
          .pending = part(leaves, 2 * n + layout.inner + layout.outer, pending),
          .step = leaves.back()};
}

DiLoCoStep diloco_step(const DiLoCo& algorithm, const DiLoCoState& state, const Arrays& batch) {
  const std::vector<Fragment> fragments = fragments_of(algorithm, state.params.size());
  const DiLoCoLayout layout = layout_of(algorithm, state.params);
  DiLoCoStep next = inner_steps(algorithm, state, batch);
  std::size_t first = 0;
  for (std::size_t k = 0; k < fragments.size(); ++k) {
    merge(algorithm, fragments[k], first, layout.by_fragment[k], next.state);
    if (algorithm.delay > 0) send(algorithm, fragments[k], next.state);
    first += layout.by_fragment[k];
  }
  return next;
}

std::vector<Fragment> spread_fragments(std::size_t leaves, std::size_t count,
                                       std::int64_t interval) {
  if (count == 0 || count > leaves)
    build::refuse("spread_fragments", cat("from 1 to ", leaves, " fragments"), cat(count));
  std::vector<Fragment> fragments(count);
  for (std::size_t f = 0; f < count; ++f) {
    const std::size_t begin = f * leaves / count, end = (f + 1) * leaves / count;
    fragments[f].leaves.resize(end - begin);
    std::iota(fragments[f].leaves.begin(), fragments[f].leaves.end(), begin);
    fragments[f].offset = std::int64_t(f) * interval / std::int64_t(count);
  }
  return fragments;
}

}  // namespace partita::algorithms
