// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The first elements of each slice by an order, without sorting the rest: for devices whose items take slices.  An item goes
// through a part of a slice and keeps candidates.  A few are kept in order, each new one inserted.  Many are let pile up
// behind those that are in order: only elements that go before the last of these join them, and when there is no room left
// all are sorted and the first kept, so that elements in the worst order cost what a sort costs and others little more than
// a look.  Long slices are taken in several parts, whose candidates a second kernel goes through.
#pragma once

#include <vector>

#include "lowering/context/context.hpp"
#include "lowering/ops/sort/sort_kernel.hpp"

namespace partita::lowering {

/// Whether selecting so many of the slices' elements is worth it and the comparator known to be a weak order.
[[nodiscard]] bool suits_selection(const ir::Node& sort, const SortShape& shape,
                                   std::int64_t count);
/// Launches what stores the first `count` elements of each slice, in order; what follows them at `to` is left undefined.
void lower_selection(Context& context, const ir::Node& sort, const SortShape& shape,
                     std::int64_t count, const std::vector<Location>& to);

}  // namespace partita::lowering
