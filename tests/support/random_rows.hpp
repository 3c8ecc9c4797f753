// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Random programs that make much of little and little of much: products between small operands, what
// attention and losses over many classes do with them, and small results; often a second phase that
// needs the first one's results, as gradients do.  For tests of what streams rows.
#pragma once

#include "tests/support/random_graph.hpp"

namespace partita::testing {

/// The same seed gives the same program.  All its values are of f32 (noise says how exact), large ones have
/// at least four times as many elements as small ones.
[[nodiscard]] RandomGraph random_rows(unsigned seed);

}  // namespace partita::testing
