// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Sorts for devices of many items (DeviceClass::simt), by the comparisons of sorting.hpp.  A group sorts a tile in local
// memory, of several short slices or of one: each element counts which of its run of sixteen go before it, then items
// merge what lies in front of them, of two runs each.  Operands that the comparator does not read come along once the order
// is known.  Longer slices are sorted in tiles, which passes over memory merge; where few elements of each are read and the
// comparator is known to be an order, tiles keep as many alone.
//
// A comparator that is no strict weak order is told by counts that are no permutation, or by merges that end elsewhere
// than where the next one begins (sorter.hpp): one item goes through such a run or pair as the interpreter does.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"

namespace partita::lowering {

/// Launches what stores the operands of a sort, in order along its dimension, at `to`.
void lower_group_sort(Context& context, const ir::Node& node, const std::vector<Location>& to);

}  // namespace partita::lowering
