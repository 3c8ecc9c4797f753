// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// How checks of an artifact say what is wrong, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita {

/// Where a check stands; a list on the stack, made text only for a message.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;

  [[nodiscard]] std::string text() const {
    const std::string own = name.empty() ? cat("[", index, "]") : std::string(name);
    if (parent == nullptr) return own;
    return cat(parent->text(), name.empty() ? "" : ".", own);
  }
};

/// What a check throws; find_problem() turns it into a result.
struct Problem {
  std::string text;
};

/// What `check` throws, if it does.
template <class Check>
[[nodiscard]] std::optional<std::string> problem_of(const Check& check) {
  try {
    check();
  } catch (const Problem& problem) {
    return problem.text;
  }
  return std::nullopt;
}

[[noreturn]] inline void fail(const Place& place, std::string_view expected,
                              std::string_view found) {
  throw Problem{cat(place.text(), ": expected ", expected, ", found ", found)};
}

inline void expect_index(const Place& place, std::string_view what, std::int64_t index,
                         std::size_t size) {
  if (index < 0 || index >= std::int64_t(size)) fail(place, cat(what, " below ", size), cat(index));
}

}  // namespace partita
