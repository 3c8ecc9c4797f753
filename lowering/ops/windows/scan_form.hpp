// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How groups share the lines of a scan.
#pragma once

#include <cstdint>

#include "partita/base/target_info.hpp"

namespace partita::lowering {

/// What is scanned: `lines` of `extent` elements, of so many bytes for all operands.
struct ScanSpace {
  std::int64_t lines, extent;
  bool has_columns;    ///< neighbouring lines lie side by side
  std::int64_t bytes;  ///< of an element of the widest operand
  std::int64_t operands;
};

struct ScanForm {
  std::int64_t elements = 1;  ///< neighbours along the line that an item combines by itself
  std::int64_t width = 1;     ///< of these, that an item reads as one
  std::int64_t items = 1;     ///< along a line, at a time
  std::int64_t lines = 1;     ///< of a group
  std::int64_t parts = 1;     ///< that a line is cut into
  std::int64_t turns = 1;     ///< tiles that a group takes one after the other, of a part

  /// Elements of a line that a group scans at a time, and of a part.
  [[nodiscard]] std::int64_t tile() const { return elements * items; }
  [[nodiscard]] std::int64_t length() const { return tile() * turns; }
};

[[nodiscard]] ScanForm choose_scan_form(const ScanSpace& space, bool may_split,
                                        const TargetInfo& target);

}  // namespace partita::lowering
