// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory of buffers that are gone, for buffers to come: drivers of GPUs take tens of microseconds to make one.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <mutex>

#include "backend-opencl/device/handles.hpp"

namespace partita::opencl {

/// For one in-order queue: who takes memory uses it by commands that are behind those of who gave it.  Any thread may call.
class MemoryPool {
 public:
  /// Holds at most so many bytes.
  explicit MemoryPool(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// What is allocated for so many bytes: an eighth more at most, so that sizes meet.
  [[nodiscard]] static std::size_t rounded(std::size_t bytes);

  /// Memory of exactly so many bytes, the last that was given; none where there is none.
  [[nodiscard]] Memory take(std::size_t bytes);
  /// What was given first goes where more is held than may be.
  void give(Memory memory, std::size_t bytes);
  /// Lets go of all.
  void clear();
  /// Lets go of all, and holds nothing any more.
  void close();
  [[nodiscard]] std::int64_t held_bytes() const;

 private:
  struct Entry {
    Memory memory;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;
  void release_oldest();

  mutable std::mutex mutex_;
  std::int64_t most_bytes_, held_bytes_ = 0;
  Entries entries_;  ///< the oldest first
  std::multimap<std::size_t, Entries::iterator> by_size_;
};

}  // namespace partita::opencl
