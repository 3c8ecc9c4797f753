// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// DiLoCo (Douillard et al. 2023, arXiv 2311.08105) and its streaming form (Douillard et al. 2025, arXiv
// 2501.18512): workers take steps of their own, and the outer model moves along their mean difference
// every `interval` steps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partita/algorithms/training.hpp"

namespace partita::algorithms {

/// Leaves (by position) whose outer steps are taken together, `offset` steps after the interval begins.
struct Fragment {
  std::vector<std::size_t> leaves;
  std::int64_t offset = 0;
};

struct DiLoCo {
  std::string placement;
  Loss loss;
  Optimizer inner;                  ///< adamw in the papers
  Optimizer outer;                  ///< momentum with is_nesterov in the papers
  std::int64_t interval = 1;        ///< H: inner steps between outer steps
  std::vector<Fragment> fragments;  ///< none: all leaves in one, offset 0
  /// Steps from the reduction of a fragment's differences to the outer step that uses them; below the
  /// interval.
  std::int64_t delay = 0;
  /// What a worker keeps of its own parameters when it takes the outer ones: 0 in DiLoCo.
  double keep = 0;
};

/// What is carried from step to step.
struct DiLoCoState {
  Arrays params;   ///< outer model, [s…]
  Arrays workers;  ///< inner models, [n, s…]
  Arrays inner;    ///< state of the inner optimisers, [n, …]; kept over outer steps
  Arrays outer;    ///< state of the outer optimiser, fragment by fragment
  Arrays pending;  ///< reduced differences [s…] that wait for their outer step; only with a delay
  Array step;      ///< inner steps taken, i32

  /// All of it in this order, as results of a function.
  [[nodiscard]] Arrays leaves() const;
};

DiLoCoState diloco_init(const DiLoCo& algorithm, const Arrays& params);
/// The state from its leaves, for a model of as many leaves as `model_leaves`.
DiLoCoState diloco_state(const DiLoCo& algorithm, const Arrays& leaves, std::size_t model_leaves);

struct DiLoCoStep {
  DiLoCoState state;
  Array loss;  ///< of each worker before the step, [n]
};
/// One inner step on every worker's batch (leaves [n, s…]); then, under `cond`, the outer steps that are due.
/// Where the state is an input and an output of the program, a step communicates only when differences are
/// reduced.
DiLoCoStep diloco_step(const DiLoCo& algorithm, const DiLoCoState& state, const Arrays& batch);

/// As many inner steps as an interval has on every worker's batches (leaves [n, interval, s…]), and the outer steps
/// that are due: what as many diloco_steps give, from a state at the beginning of an interval; losses [n, interval].
/// What is reduced travels while the workers take the `delay` steps up to the outer step that uses it.  With a delay
/// the state's `pending` is for diloco_interval alone: a fragment that is due at the end of an interval is reduced when
/// the next one begins.
DiLoCoStep diloco_interval(const DiLoCo& algorithm, const DiLoCoState& state,
                           const Arrays& batches);

/// `leaves` shared out in order to `count` fragments, their offsets spread over the interval.
std::vector<Fragment> spread_fragments(std::size_t leaves, std::size_t count,
                                       std::int64_t interval);

}  // namespace partita::algorithms
