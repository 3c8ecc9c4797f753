// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What 32 items next to each other touch at once, read off a kernel's indices: whether memory moves much that nobody
// asked for, and whether local memory has to answer several times.  As NVIDIA's GPUs do it: memory in sectors of 32
// bytes, local memory in 32 banks of 4 bytes, 16 bytes of an item for 8 items at a time.
#pragma once

#include <string>
#include <vector>

#include "kernel/ast/kernel.hpp"

namespace partita::kernel {

struct ItemAccess {
  std::string what;  ///< "load b0", "store a1": as drafts name it
  bool is_local = false;
  /// Of buffers: bytes of the sectors touched, as a multiple of the bytes asked for.
  double moved = 1;
  /// Of arrays: times that the busiest bank is asked for different words.
  int ways = 1;
};

/// Of the first 32 items of the first group, in the first turn of every loop.  Accesses at places that are read from memory
/// are left out; neighbours in local memory that begin at multiples of four words count as one.
[[nodiscard]] std::vector<ItemAccess> item_accesses(const Kernel& kernel);

/// Bytes that memory moves for an item where these items each read or write `bytes` at an index, which counts
/// elements of `element` bytes: sectors that they have in common are moved once.  A sector for each item at least
/// where places are read from memory.
[[nodiscard]] double moved_bytes_per_item(const Kernel& kernel, scalar::ExprId index,
                                          std::size_t element, std::size_t bytes);

}  // namespace partita::kernel
