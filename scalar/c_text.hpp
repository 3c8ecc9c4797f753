// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Splits the C text of the elementwise tables into tokens; usable at compile time.  Not a C lexer:
// it knows what the tables hold (names, numbers, one-character punctuation, spaces).
#pragma once

#include <cstdint>
#include <string_view>

namespace partita::scalar {

struct CToken {
  enum Kind : std::uint8_t { end, identifier, number, punctuation, space } kind;
  std::string_view text;
};

/// Removes the first token from `rest`.
constexpr CToken next_token(std::string_view& rest) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (rest.empty()) return {CToken::end, {}};

  std::size_t n = 1;
  CToken::Kind kind = CToken::punctuation;
  const auto extend_while = [&](auto belongs) {
    while (n < rest.size() && belongs(rest[n])) ++n;
  };
  if (is_letter(rest[0])) {
    kind = CToken::identifier;
    extend_while([&](char c) { return is_letter(c) || is_digit(c); });
  } else if (is_digit(rest[0])) {
    kind = CToken::number;
    extend_while([&](char c) {
      const char last = rest[n - 1];
      const bool exponent_sign =
          (c == '+' || c == '-') && (last == 'e' || last == 'E' || last == 'p');
      return is_letter(c) || is_digit(c) || c == '.' || exponent_sign;
    });
  } else if (rest[0] == ' ') {
    kind = CToken::space;
    extend_while([](char c) { return c == ' '; });
  }
  const CToken token{kind, rest.substr(0, n)};
  rest.remove_prefix(n);
  return token;
}

}  // namespace partita::scalar
