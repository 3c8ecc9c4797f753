// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "tools/partita/program_options.hpp"

#include <limits>

#include "partita/base/error.hpp"
#include "tools/partita/commands.hpp"

namespace partita::tool {

std::map<std::string, std::int64_t> parse_placements(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> placements;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw_user_error(cat("--placement: expected NAME=N, found ", text));
    const std::string name = text.substr(0, equals);
    const std::int64_t size = parse_number(text.substr(equals + 1), "--placement",
                                           std::numeric_limits<std::int64_t>::max());
    if (size == 0) throw_user_error(cat("--placement: expected a size above 0, found ", text));
    if (!placements.emplace(name, size).second)
      throw_user_error(cat("--placement: expected each name once, found ", name, " twice"));
  }
  return placements;
}

}  // namespace partita::tool
