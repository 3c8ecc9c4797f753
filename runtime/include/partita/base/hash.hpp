// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A 64-bit content hash for cache keys and for comparing what ranks hold.  The same bytes in the
// same pieces give the same value on every machine and in every version.  Not for secrets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace partita {

class Hasher {
 public:
  /// Adds a piece; its length counts, so ("ab", "c") and ("a", "bc") differ.
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  void add(std::int64_t number);
  [[nodiscard]] std::uint64_t value() const;
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string hex() const;

 private:
  void mix(std::uint64_t word);
  std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace partita
