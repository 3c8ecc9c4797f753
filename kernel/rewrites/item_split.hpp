// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Items that read one array up to some item and another one, or another place, from there on, as those of a concatenation or of a
// rotation by a number that the device has: each part alone reads neighbours, without a condition.
#pragma once

#include <optional>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

struct ItemSplit {
  scalar::ExprId at;   ///< the first item after the change: any number, the same for all items
  Block before, from;  ///< the body for items less than `at`, and for the others
};

/// Of a body of independent items, without vectors, whose item is variable 0; nothing where it has loops or no condition on the
/// item selects between two reads, or where compilers know the place, which is a number then.
[[nodiscard]] std::optional<ItemSplit> split_of_items(scalar::ExprPool& pool, const Block& body);

}  // namespace partita::kernel
