// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#pragma once

#include <array>
#include <string_view>

namespace partita::pjrt {

/// Where arrays of a device lie: with it, or with the host.
enum class MemoryKind { device, host };
/// By the names that JAX has for them; results of which nothing is said lie with the device.
constexpr std::array<std::string_view, 2> memory_kinds{"device", "pinned_host"};

[[nodiscard]] constexpr std::string_view to_string(MemoryKind kind) {
  return memory_kinds[std::size_t(kind)];
}

}  // namespace partita::pjrt
