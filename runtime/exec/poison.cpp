// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/exec/poison.hpp"

#include <algorithm>
#include <vector>

#include "partita/base/error.hpp"

namespace partita {

DeviceBufferPtr Poison::allocate(Device& device, std::size_t bytes) const {
  DeviceBufferPtr buffer = device.allocate(bytes + 2 * margin());
  if (is_on()) fill(device, *buffer, 0, buffer->bytes());
  return buffer;
}

void Poison::fill(Device& device, DeviceBuffer& buffer) const {
  if (is_on()) fill(device, buffer, margin(), buffer.bytes() - margin());
}

void Poison::fill(Device& device, DeviceBuffer& buffer, std::size_t begin, std::size_t end) const {
  constexpr std::size_t piece = std::size_t(1) << 20;
  const std::vector<std::byte> pattern(std::min(piece, end - begin), std::byte(*byte_));
  for (; begin < end; begin += pattern.size())
    device.write(buffer, begin, std::span(pattern).first(std::min(pattern.size(), end - begin)));
}

void Poison::check_margins(Device& device, DeviceBuffer& buffer, const std::string& what) const {
  if (!is_on()) return;
  std::vector<std::byte> margin_bytes(margin());
  for (const bool is_before : {true, false}) {
    device.read(buffer, is_before ? 0 : buffer.bytes() - margin(), margin_bytes);
    const auto changed =
        std::ranges::find_if(margin_bytes, [&](std::byte b) { return b != std::byte(*byte_); });
    if (changed == margin_bytes.end()) continue;
    const auto at = changed - margin_bytes.begin();
    throw_internal_error(cat("poisoned memory: something wrote ",
                             is_before ? std::ptrdiff_t(margin()) - at : at + 1,
                             is_before ? " bytes before " : " bytes behind ", what));
  }
}

}  // namespace partita
