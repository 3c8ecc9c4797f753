// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "partita/exec/stream.hpp"
#include "plugin/client.hpp"

namespace partita::pjrt {

/// An array of a device until it is deleted or donated.
struct BufferHandle {
  BufferHandle(Memory* in, DeviceArrayPtr array);

  /// The array; a failed precondition where it is no longer there.
  [[nodiscard]] DeviceArrayPtr array() const;
  [[nodiscard]] bool is_deleted() const;
  void release();
  /// Somebody uses the memory where it lies until as many calls of let_go().
  void hold();
  void let_go();

  Memory* const memory;
  const Type type;
  const std::vector<std::int64_t> minor_to_major;

 private:
  mutable std::mutex mutex_;
  DeviceArrayPtr array_, held_;
  int holds_ = 0;
};

}  // namespace partita::pjrt
