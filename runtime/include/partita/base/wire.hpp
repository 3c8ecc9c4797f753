// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How sums travel between ranks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace partita {

/// How sums of f32 travel between ranks: as they are, or each rank's term and the result rounded to fewer bits
/// (int8: blocks of 256 elements, each with a scale).
enum class WireFormat : std::uint8_t { exact, bf16, f16, int8 };

inline constexpr std::array<std::string_view, 4> wire_format_names{"f32", "bf16", "f16", "int8"};
[[nodiscard]] constexpr std::string_view to_string(WireFormat format) {
  return wire_format_names[std::size_t(format)];
}

/// By name; nothing for another text.
[[nodiscard]] constexpr std::optional<WireFormat> find_wire_format(std::string_view name) {
  const auto* const it = std::ranges::find(wire_format_names, name);
  if (it == wire_format_names.end()) return std::nullopt;
  return WireFormat(it - wire_format_names.begin());
}

struct Wire {
  WireFormat format = WireFormat::exact;
  /// What rounding takes away is kept on each rank, by step, and added at the step's next call.
  bool feeds_back = false;
  bool operator==(const Wire&) const = default;
};

}  // namespace partita
