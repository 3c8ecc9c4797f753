// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The comparisons that a sort makes, which are part of its meaning: a comparator that is no strict
// weak order gives the permutation that they give, on every target.  Runs of `insertion_run`
// elements are sorted by insertion from the back: an element goes before those behind which it does
// not belong, up to the first that stays.  Then neighbouring runs are merged, from short to long:
// the right one's next element goes first where the comparator holds for it and the left one's.
#pragma once

#include <cstdint>

namespace partita::ir {

inline constexpr std::int64_t insertion_run = 16;

}  // namespace partita::ir
