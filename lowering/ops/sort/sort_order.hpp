// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a sort's results are read for.
#pragma once

#include <cstdint>

#include "partita/ir/graph.hpp"

namespace partita::lowering {

/// How many elements of each slice of `n` along a dimension, from the first on, anything reads; `n` where that is not known.
[[nodiscard]] std::int64_t used_prefix(const ir::Node& sort, std::size_t dimension, std::int64_t n);

}  // namespace partita::lowering
