// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The element-wise combination of two vectors in host memory: the arithmetic of every all-reduce.
// All combiners are commutative bit by bit (one NaN, +0 above -0), so that a result depends on the
// shape of the summation tree alone.
#pragma once

#include <cstddef>

#include "partita/artifact/plan.hpp"

namespace partita::collective {

/// Throws a user error where vectors of `dtype` cannot be combined so.
void check_combinable(DType dtype, Combiner combiner);

/// out[i] = combine(a[i], b[i]) for `count` elements; out may be a or b, and may not overlap them
/// otherwise.
void combine(DType dtype, Combiner combiner, std::byte* out, const std::byte* a, const std::byte* b,
             std::size_t count);

}  // namespace partita::collective
