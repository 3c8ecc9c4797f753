// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tensors of DLPack 1.1 as its dlpack.h lays them out in memory (dmlc/dlpack), under names of our own: hosts include
// whichever version of that header they have.
#pragma once

#include <cstdint>

namespace partita::c_api::dlpack {

inline constexpr std::uint32_t major_version = 1, minor_version = 1;
inline constexpr std::int32_t host_device = 1;  ///< kDLCPU

enum Flags : std::uint64_t { read_only = 1, is_copied = 2, is_padded = 4 };

/// DLDataTypeCode
enum class Code : std::uint8_t {
  integer = 0,
  unsigned_integer = 1,
  floating = 2,
  bfloat = 4,
  complex = 5,
  boolean = 6,
  f8e3m4 = 7,
  f8e4m3 = 8,
  f8e4m3b11fnuz = 9,
  f8e4m3fn = 10,
  f8e4m3fnuz = 11,
  f8e5m2 = 12,
  f8e5m2fnuz = 13,
  f8e8m0fnu = 14,
  f4e2m1fn = 17,
};

struct ElementType {
  Code code = Code::floating;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;
  friend bool operator==(const ElementType&, const ElementType&) = default;
};

struct Tensor {
  void* data = nullptr;
  std::int32_t device_type = host_device, device_id = 0;
  std::int32_t rank = 0;
  ElementType type;
  std::int64_t* dims = nullptr;
  std::int64_t* strides = nullptr;  ///< in elements; null: row-major
  std::uint64_t byte_offset = 0;
};

struct ManagedTensor {
  std::uint32_t major = major_version, minor = minor_version;
  void* context = nullptr;
  void (*deleter)(ManagedTensor* self) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};

}  // namespace partita::c_api::dlpack
