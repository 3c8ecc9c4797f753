// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/hash.hpp"

#include <cstring>

namespace partita {

namespace {

// Finaliser of MurmurHash3: every input bit reaches every output bit.
std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ (x >> 33);
}

}  // namespace

void Hasher::mix(std::uint64_t word) {
  state_ ^= word * 0x9fb21c651e98df25;
  state_ = (state_ << 27 | state_ >> 37) * 0x3c79ac492ba7b653 + 0x1c69b3f74ac4ae35;
}

void Hasher::add(std::span<const std::byte> bytes) {
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  std::uint64_t rest = 0;
  if (i < bytes.size()) std::memcpy(&rest, bytes.data() + i, bytes.size() - i);
  mix(rest);
  mix(bytes.size());
}

void Hasher::add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }

void Hasher::add(std::int64_t number) { mix(scramble(std::uint64_t(number))); }

std::uint64_t Hasher::value() const { return scramble(state_); }

std::string Hasher::hex() const {
  std::string text(16, '0');
  std::uint64_t rest = value();
  for (std::size_t i = 16; i-- > 0; rest >>= 4) text[i] = "0123456789abcdef"[rest & 15];
  return text;
}

}  // namespace partita
