// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// A program's binary as it is kept, in the cache and in artifacts: a text header (magic line, what it belongs to, its
// kernels, hash and size of the payload), a zero byte, and the payload, which is the driver's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partita/device/device.hpp"

namespace partita::opencl {

/// What a binary belongs to.
struct ProgramIdentity {
  std::string device;  ///< name, driver and platform version
  std::string options;
  std::string source;
};

[[nodiscard]] ProgramIdentity identity_of(const DeviceProfile& profile, std::string options,
                                          std::string source);
/// 16 hexadecimal digits.
[[nodiscard]] std::string key_of(const ProgramIdentity& id);

/// `kernels`: names with blanks between, of a program that holds some of a module; empty: all of it.
[[nodiscard]] std::vector<std::byte> pack_binary(const ProgramIdentity& id,
                                                 std::string_view kernels,
                                                 std::span<const std::byte> payload);
/// Nothing where the bytes belong to something else or are damaged.
[[nodiscard]] std::optional<std::vector<std::byte>> unpack_binary(
    const ProgramIdentity& id, std::span<const std::byte> packed);
/// What it was packed with; nothing where that cannot be told.
[[nodiscard]] std::vector<std::string> kernels_in(std::span<const std::byte> packed);

/// Whether the driver is PoCL, which compiles each kernel for each work-group size.
[[nodiscard]] bool is_pocl(const DeviceProfile& profile);

}  // namespace partita::opencl
