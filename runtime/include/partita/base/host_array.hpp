// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// An array in host memory: dense, row-major, little-endian, elements as dtype.def stores them
// (i1 one byte of 0 or 1; small floats their bits).  What inputs, outputs and constants are made of.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "partita/base/type.hpp"

namespace partita {

struct HostArray {
  Type type;
  std::vector<std::byte> bytes;  ///< exactly type.bytes()

  HostArray() = default;
  /// Zero-filled.
  explicit HostArray(Type t) : type(std::move(t)), bytes(type.bytes()) {}

  template <DType d>
  [[nodiscard]] const StorageType<d>* data() const {
    return reinterpret_cast<const StorageType<d>*>(bytes.data());
  }
  template <DType d>
  [[nodiscard]] StorageType<d>* data() {
    return reinterpret_cast<StorageType<d>*>(bytes.data());
  }
  bool operator==(const HostArray&) const = default;
};

/// The low bits of what memory has of each element as elements of another type, which takes as many bytes.
[[nodiscard]] HostArray reinterpreted(HostArray array, DType to);
/// A copy with the elements converted as StableHLO's convert does.
[[nodiscard]] HostArray convert(const HostArray& array, DType to);

}  // namespace partita
