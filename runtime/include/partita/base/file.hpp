// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Whole files in and out.  Writing is atomic: a reader sees the old file or the new one, and a
// failure leaves no partial file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace partita {

/// A file that cannot be read is a user error that names it.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& path);
/// Writes a temporary file beside `path` and renames it; what is no regular file (a device, a pipe)
/// is written in place.  A path that cannot be written is a user error that names it.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);
/// Has `write` make a temporary file beside `path`, of the name it is given, and renames that; what `write` throws leaves
/// neither.  False, and nothing is done, where `path` is no regular file but is there.
[[nodiscard]] bool replace_file(
    const std::filesystem::path& path,
    const std::function<void(const std::filesystem::path& temporary)>& write);
/// Throws the user error that write_file would give where `path` certainly cannot be written, so
/// that long work is not done in vain.
void check_writable(const std::filesystem::path& path);

}  // namespace partita
