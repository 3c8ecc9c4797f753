// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Takes texts of shardings and meshes apart.  For the readers of this folder alone.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "partita/ir/sharding.hpp"

namespace partita::ir {

/// Of extents of a mesh or of tiles; a user error where one is below 1 or all of them are too many devices.
[[nodiscard]] std::int64_t device_count(const Dims& extents);

/// Takes a text apart from its front.  What does not fit is a user error that says where.
class ShardingScanner {
 public:
  explicit ShardingScanner(std::string_view text) : whole_(text), rest_(text) {}

  /// Passes over the token if it comes next.
  bool eat(std::string_view token);
  void expect(std::string_view token);
  [[nodiscard]] bool at(std::string_view token);
  void expect_end();
  std::int64_t number();
  /// "(PRE)SIZE", a part of an axis; both above 0.
  std::pair<std::int64_t, std::int64_t> part();
  /// A name in quotes, as it is written between them.
  std::string quoted();
  /// "@name", "@\"name\"".
  std::string symbol();
  /// Letters and underscores, as many as come.
  std::string word();
  /// "[1, 2]", with the brackets given.
  I64s numbers(std::string_view open, std::string_view close);
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  void skip_blanks();
  std::string_view whole_, rest_;
};

}  // namespace partita::ir
