// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/artifact/target_format.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita_generated/backends.hpp"

namespace partita {

namespace backends {
#define PARTITA_DECLARE_FORMAT(name) [[nodiscard]] TargetFormat name##_format();
PARTITA_BACKENDS(PARTITA_DECLARE_FORMAT)
#undef PARTITA_DECLARE_FORMAT
}  // namespace backends

const std::vector<TargetFormat>& all_formats() {
#define PARTITA_LIST_FORMAT(name) backends::name##_format(),
  static const std::vector<TargetFormat> all{PARTITA_BACKENDS(PARTITA_LIST_FORMAT)};
#undef PARTITA_LIST_FORMAT
  return all;
}

const TargetFormat* find_format(std::string_view target) {
  const auto found = std::ranges::find(all_formats(), target, &TargetFormat::target);
  return found == all_formats().end() ? nullptr : &*found;
}

std::optional<std::string> find_problem(std::string_view target,
                                        const LibraryParameters& parameters) {
  const TargetFormat* format = find_format(target);
  if (format != nullptr && format->find_problem != nullptr) return format->find_problem(parameters);
  return cat("expected no parameters of a library for target '", target, "', found some of ",
             parameters.kernel);
}

}  // namespace partita
