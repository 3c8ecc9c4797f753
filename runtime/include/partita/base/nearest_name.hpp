// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What somebody may have meant who wrote a name that does not exist; for messages, not for choices.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita {

/// How few characters to insert, remove or replace so that one text becomes the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Those of `known` that are at most a third of the characters of `name` away from it, the nearest
/// first, then in the order given; none for a name of more than 100 characters.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view name,
                                                     std::span<const std::string> known);

/// "'a', 'b'".
[[nodiscard]] std::string quoted_names(std::span<const std::string> names);

/// "a, b": the nearest of `known`, else all of them; what was expected in place of `name`.
[[nodiscard]] std::string expected_names(std::string_view name, std::span<const std::string> known);

}  // namespace partita
