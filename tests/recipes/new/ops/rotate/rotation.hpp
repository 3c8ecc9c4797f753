// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <cstdint>

namespace partita::ir::ops {

/// Where element `index` of the result comes from.
[[nodiscard]] inline std::int64_t rotated(std::int64_t index, std::int64_t shift,
                                          std::int64_t extent) {
  return (index + shift) % extent;
}

}  // namespace partita::ir::ops
