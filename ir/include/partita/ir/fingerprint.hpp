// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Hashes of what programs say: the same of equal ones, and of others the same by chance alone.  Not for files: they may
// differ from process to process.
#pragma once

#include <cstdint>

#include "partita/ir/graph.hpp"

namespace partita::ir {

/// One hash of two, in their order.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t h = (seed ^ (value + 0x9e3779b97f4a7c15ull)) * 0xbf58476d1ce4e5b9ull;
  h ^= h >> 31;
  return h * 0x94d049bb133111ebull + (seed >> 29);
}

[[nodiscard]] std::uint64_t fingerprint(const Type& type);
[[nodiscard]] std::uint64_t fingerprint(const Attribute& attribute);
[[nodiscard]] std::uint64_t fingerprint(const Dict& attributes);
/// Of functions, their nodes in order and all attributes; not of locations and names of values.
[[nodiscard]] std::uint64_t fingerprint(const Module& module);

}  // namespace partita::ir
