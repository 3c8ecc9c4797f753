// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values that users write as text: sizes, numbers, lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace partita {

/// "8GiB", "512 MB", "1000": a user error names `option` where `text` is no size.
[[nodiscard]] std::int64_t parse_bytes(const std::string& text, const std::string& option);
/// The non-empty parts between `separator`s.
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
/// A number from 0 to `max`; a user error names `option` otherwise.
[[nodiscard]] std::int64_t parse_number(const std::string& text, const std::string& option,
                                        std::int64_t max);

}  // namespace partita
