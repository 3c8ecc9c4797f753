// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Insertion of one element among others that are in order, in the kernels of a sort.
#pragma once

#include <vector>

#include "lowering/ops/sort/sort_kernel.hpp"

namespace partita::lowering {

/// Where an element goes.
struct Insertion {
  scalar::ExprId place;  ///< behind the last of those in order
  scalar::ExprId moves;  ///< how many of these may move
  std::int64_t most;     ///< of such
};

/// Elements of `to` behind which s.before does not belong move on by one; it takes the place left.
void insert_sorted(const SortKernel& s, const std::vector<std::int32_t>& to, const Insertion& at);

}  // namespace partita::lowering
