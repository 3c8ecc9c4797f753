// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What a kernel does, as counted when it was compiled: what estimates of time start from.  No run depends on it.
#pragma once

#include <cstdint>
#include <vector>

namespace partita {

/// Of one work-item at most, where it is not said otherwise.
struct KernelWork {
  static constexpr std::int64_t unknown =
      -1;  ///< some loop's turns depend on what is known at run time alone

  /// Simple operations, a multiply-add being one and a 64-bit integer's being two; those of f64 apart.
  std::int64_t operations = 0, f64_operations = 0;
  std::int64_t matrix_flops = 0;  ///< on matrix units; a multiply-add is two
  /// Bytes of each buffer that memory moves for 32 items next to each other, as often as they ask for them.
  std::vector<std::int64_t> buffer_bytes;
  std::int64_t answers = 0;      ///< times that it waits for memory before it can go on
  std::int64_t sum_bytes = 0;    ///< in registers, of sums of products
  std::int64_t local_bytes = 0;  ///< of the arrays that a group shares
  friend bool operator==(const KernelWork&, const KernelWork&) = default;
};

}  // namespace partita
