// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What commands that read a program have in common: placements given on the command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace partita::tool {

/// "clients=512" each; a user error where one is not NAME=N with N > 0, or where a name comes twice.
[[nodiscard]] std::map<std::string, std::int64_t> parse_placements(
    const std::vector<std::string>& texts);

}  // namespace partita::tool
