// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Names and other text of a draft, in quotes.
#pragma once

#include <string>
#include <string_view>

namespace partita::kernel::text {

inline constexpr std::string_view hex_digits = "0123456789abcdef";

/// `"…"`, with \" and \\ for those two, and \xx (hexadecimal) for what cannot be printed.
[[nodiscard]] inline std::string quote(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      out += '\\';
      out += hex_digits[code / 16];
      out += hex_digits[code % 16];
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace partita::kernel::text
