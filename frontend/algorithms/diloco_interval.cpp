// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An interval of DiLoCo as one program.  When a fragment's differences are reduced and when its outer step is taken
// is known beforehand, so that nothing is under `cond`: the reduction stands before the inner steps up to the outer
// step that uses it, and travels while these are taken.
#include <algorithm>
#include <set>

#include "frontend/algorithms/diloco_parts.hpp"
#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"
#include "partita/builder/control.hpp"
#include "partita/builder/elementwise.hpp"
#include "partita/builder/ops.hpp"
#include "partita/builder/placements.hpp"
#include "partita/ir/op.hpp"

namespace partita::algorithms {
namespace {

/// The values, all of which are there before any is used: what comes later is computed apart from what comes before.
Arrays completed(const Arrays& values) {
  ir::Graph& graph = build::Scope::current().graph();
  return build::results_of(
      *ir::create(graph, "stablehlo.optimization_barrier", build::as_values(values)));
}

/// When things happen to a fragment, in inner steps since the interval began.
struct Schedule {
  std::int64_t send = 0;   ///< differences are reduced
  std::int64_t merge = 0;  ///< the outer step is taken
  /// Whether the outer step takes what was reduced an interval before, or at step 0 what the interval before left:
  /// not in the first.
  bool needs_earlier_interval = false;
};

/// Where there is a delay, what is due at the end of an interval is reduced at the beginning of the next, of the same
/// values.
Schedule schedule_of(const DiLoCo& algorithm, const Fragment& fragment) {
  const std::int64_t interval = algorithm.interval;
  const std::int64_t offset = ((fragment.offset % interval) + interval) % interval;
  if (algorithm.delay == 0) {
    const std::int64_t at = offset == 0 ? interval : offset;
    return {.send = at, .merge = at};
  }
  const std::int64_t merge = offset + algorithm.delay;
  return {.send = offset,
          .merge = merge > interval ? merge - interval : merge,
          .needs_earlier_interval = offset == 0 || merge > interval};
}

class Interval {
 public:
  Interval(const DiLoCo& algorithm, const DiLoCoState& state, const Arrays& batches)
      : algorithm_(algorithm),
        fragments_(fragments_of(algorithm, state.params.size())),
        layout_(layout_of(algorithm, state.params)),
        batches_(batches),
        state_(state),
        has_earlier_(state.step > build::full_like(state.step, 0)) {
    for (const Array& x : batches)
      if (x.rank() < 2 || x.dim(1) != algorithm.interval)
        build::refuse("diloco_interval",
                      cat("batches with ", algorithm.interval, " steps behind the workers"),
                      to_string(x.type()));
    if (batches.empty()) build::refuse("diloco_interval", "a batch for each step", "no batches");
  }

  DiLoCoStep run() {
    std::set<std::int64_t> times{0, algorithm_.interval};
    for (const Fragment& f : fragments_) {
      const Schedule s = schedule_of(algorithm_, f);
      times.insert({s.send, s.merge});
    }
    std::int64_t now = 0;
    for (const std::int64_t next : times) {
      if (next > now) inner_steps(now, next);
      now = next;
      outer_steps(now);
    }
    return {.state = state_, .loss = losses_};
  }

 private:
  /// Those of all workers from step `begin` to step `end`.
  void inner_steps(std::int64_t begin, std::int64_t end) {
    const std::size_t n = state_.workers.size(), inner = state_.inner.size();
    const std::size_t carried = n + inner;
    const auto own = [&](const Arrays& all) {
      const Arrays batches = each(part(all, carried, batches_.size()), [&](const Array& x) {
        Dims starts(x.dims().size(), 0), limits = x.dims();
        starts[0] = begin;
        limits[0] = end;
        return build::slice(x, starts, limits);
      });
      build::Scanned steps =
          build::scan(part(all, 0, carried), batches, [&](const Arrays& now, const Arrays& batch) {
            const LocalStep next = local_step(algorithm_.loss, algorithm_.inner, part(now, 0, n),
                                              part(now, n, inner), batch);
            return build::Scanned{.carried = joined(next.params, next.state),
                                  .stacked = {next.loss}};
          });
      const Array losses =
          begin == 0 ? steps.stacked[0] : build::concatenate({all.back(), steps.stacked[0]}, 0);
      return joined(steps.carried, {losses});
    };
    Arrays operands = joined(joined(state_.workers, state_.inner), batches_);
    if (begin > 0) operands.push_back(losses_);
    const Arrays results = build::map(algorithm_.placement, own, operands);
    state_.workers = part(results, 0, n);
    state_.inner = part(results, n, inner);
    losses_ = results.back();
    state_.step = state_.step + double(end - begin);
  }

  void outer_steps(std::int64_t now) {
    std::size_t first = 0;
    for (std::size_t k = 0; k < fragments_.size(); ++k) {
      const Schedule s = schedule_of(algorithm_, fragments_[k]);
      if (s.merge == now) merge(fragments_[k], s, first, layout_.by_fragment[k]);
      if (algorithm_.delay > 0 && s.send == now) send(fragments_[k]);
      first += layout_.by_fragment[k];
    }
  }

  void send(const Fragment& fragment) {
    const Arrays differences =
        own_differences(algorithm_.placement, select(state_.params, fragment.leaves),
                        select(state_.workers, fragment.leaves));
    put(state_.pending, fragment.leaves, build::reduce_mean(algorithm_.placement, differences));
    // They are there, and so under way, before the next inner steps begin.
    state_.workers = part(completed(joined(differences, state_.workers)), differences.size(),
                          state_.workers.size());
  }

  /// The outer step of a fragment, whose part of the outer state begins at `first`.
  void merge(const Fragment& fragment, const Schedule& schedule, std::size_t first,
             std::size_t count) {
    const std::size_t n = fragment.leaves.size();
    const Arrays params = select(state_.params, fragment.leaves);
    const Arrays outer = part(state_.outer, first, count);
    const Next next = outer_step(fragment, params, outer);
    const Array is_taken =
        schedule.needs_earlier_interval ? has_earlier_ : build::full_like(has_earlier_, 1);
    const Arrays chosen = each(
        joined(next.params, next.outer), joined(params, outer),
        [&](const Array& x, const Array& before) { return build::where(is_taken, x, before); });
    put(state_.params, fragment.leaves, part(chosen, 0, n));
    put(state_.workers, fragment.leaves,
        taken(algorithm_, is_taken, part(chosen, 0, n), select(state_.workers, fragment.leaves)));
    std::copy_n(chosen.begin() + std::ptrdiff_t(n), count,
                state_.outer.begin() + std::ptrdiff_t(first));
  }

  struct Next {
    Arrays params, outer;
  };
  Next outer_step(const Fragment& fragment, const Arrays& params, const Arrays& outer) {
    Arrays gradients;
    if (algorithm_.delay > 0) {
      gradients = select(state_.pending, fragment.leaves);
      // The inner steps so far do not wait for what has been reduced.
      state_.workers = completed(state_.workers);
    } else {
      gradients =
          mean_difference(algorithm_.placement, params, select(state_.workers, fragment.leaves));
    }
    Stepped next = algorithm_.outer.update(gradients, outer, params);
    return {.params = std::move(next.params), .outer = std::move(next.state)};
  }

  const DiLoCo& algorithm_;
  std::vector<Fragment> fragments_;
  DiLoCoLayout layout_;
  Arrays batches_;
  DiLoCoState state_;
  Array has_earlier_;  ///< whether an interval has been before this one
  Array losses_;       ///< of each worker's steps so far, [n, steps]
};

}  // namespace

DiLoCoStep diloco_interval(const DiLoCo& algorithm, const DiLoCoState& state,
                           const Arrays& batches) {
  return Interval(algorithm, state, batches).run();
}

}  // namespace partita::algorithms
