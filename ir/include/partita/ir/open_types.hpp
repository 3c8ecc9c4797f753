// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Types of which a text leaves extents open, tensor<?x4xf32>, as readers have them until they know more.  No value has one.
#pragma once

#include <algorithm>

#include "partita/base/type.hpp"

namespace partita::ir {

/// In Type::dims: any extent.
inline constexpr std::int64_t open_extent = -1;

[[nodiscard]] inline bool is_open(const Type& type) {
  return std::ranges::find(type.dims, open_extent) != type.dims.end();
}

/// Whether a type is the one that is stated, but for extents which that leaves open.
[[nodiscard]] inline bool admits(const Type& stated, const Type& found) {
  return stated.is_token == found.is_token && stated.dtype == found.dtype &&
         std::ranges::equal(stated.dims, found.dims, [](std::int64_t s, std::int64_t f) {
           return s == f || s == open_extent;
         });
}

}  // namespace partita::ir
