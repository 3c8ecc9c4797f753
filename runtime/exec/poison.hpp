// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Memory of a shard that is filled with a pattern before programs use it, with margins of the pattern on
// both sides: results that depend on the pattern come from memory that nothing has written, and margins
// that have lost it were written by an access outside of its array.  For tests; it costs time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "partita/device/device.hpp"

namespace partita {

class Poison {
 public:
  /// Nothing: allocations as they are, and all else does nothing.
  explicit Poison(std::optional<std::uint8_t> byte) : byte_(byte) {}

  [[nodiscard]] bool is_on() const { return byte_.has_value(); }
  /// Bytes of an allocation before those that were asked for: a multiple of every alignment.
  [[nodiscard]] std::size_t margin() const { return is_on() ? 256 : 0; }
  /// `bytes` between margins, all of it filled.
  [[nodiscard]] DeviceBufferPtr allocate(Device& device, std::size_t bytes) const;
  /// Fills the bytes between the margins.
  void fill(Device& device, DeviceBuffer& buffer) const;
  /// An internal error that names `what` if a margin has changed.
  void check_margins(Device& device, DeviceBuffer& buffer, const std::string& what) const;

 private:
  void fill(Device& device, DeviceBuffer& buffer, std::size_t begin, std::size_t end) const;

  std::optional<std::uint8_t> byte_;
};

}  // namespace partita
