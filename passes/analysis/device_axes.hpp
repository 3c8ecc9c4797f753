// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Axes behind numbered devices: what is said by device (which piece each one holds) in terms of a grid of axes.
#pragma once

#include <optional>
#include <vector>

#include "partita/base/type.hpp"

namespace partita::passes {

/// Which of `count` pieces each device holds, by the device's number.
struct DevicePieces {
  std::vector<std::int64_t> piece;
  std::int64_t count = 1;
};

/// Of devices in the order of a grid of these extents, the last varying fastest: the axes along which the piece
/// changes, the major first, by index, if its number is made of their indices as of digits.
[[nodiscard]] std::optional<std::vector<std::size_t>> axes_of(const DevicePieces& pieces,
                                                              const Dims& extents);
/// Extents of the fewest axes such that each of these is made of whole axes; nothing where there are none.
[[nodiscard]] std::optional<Dims> fewest_axes(const std::vector<DevicePieces>& all,
                                              std::int64_t devices);

}  // namespace partita::passes
