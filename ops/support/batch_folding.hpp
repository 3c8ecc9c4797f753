// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// For ops that have a place for one batch dimension only: a further one becomes part of another
// dimension, and comes out again.
#pragma once

#include "ir/axes/batching.hpp"

namespace partita::ir::ops {

/// A dimension that is (groups, batch, rest).
struct Fold {
  std::int64_t dim = 0;  ///< without the batch
  std::int64_t groups = 1;
};

/// The leading batch dimension goes into another one.
[[nodiscard]] Value folded(const Maker& b, Value v, const Fold& fold);
/// The batch comes out again, in front.
[[nodiscard]] Value unfolded(const Maker& b, Value v, const Fold& fold, std::int64_t size);

/// All results are zeros, the same along the batch.
void set_zeros(const BatchJob& job);
/// Results without elements need no op.
[[nodiscard]] bool set_if_empty(const BatchJob& job);

}  // namespace partita::ir::ops
