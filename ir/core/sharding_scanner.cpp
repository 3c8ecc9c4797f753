// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ir/core/sharding_scanner.hpp"

#include <algorithm>
#include <charconv>

#include "partita/base/error.hpp"

namespace partita::ir {

namespace {

constexpr std::int64_t max_devices = 1 << 20;

}  // namespace

std::int64_t device_count(const Dims& extents) {
  std::int64_t all = 1;
  for (const std::int64_t d : extents) {
    if (d < 1 || d > max_devices || all > max_devices / d)
      throw_user_error(cat("sharding: expected extents of 1 to ", max_devices,
                           " devices in all, found one of ", d));
    all *= d;
  }
  return all;
}

bool ShardingScanner::eat(std::string_view token) {
  if (!at(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

void ShardingScanner::expect(std::string_view token) {
  if (!eat(token)) fail(cat("'", token, "'"));
}

bool ShardingScanner::at(std::string_view token) {
  skip_blanks();
  return rest_.starts_with(token);
}

void ShardingScanner::expect_end() {
  skip_blanks();
  if (!rest_.empty()) fail("the end");
}

std::int64_t ShardingScanner::number() {
  skip_blanks();
  std::int64_t value = 0;
  const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (read.ec != std::errc{}) fail("a number");
  rest_.remove_prefix(std::size_t(read.ptr - rest_.data()));
  return value;
}

std::string ShardingScanner::quoted() {
  expect("\"");
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
  if (end >= rest_.size()) fail("a name in quotes");
  std::string name(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return name;
}

std::string ShardingScanner::symbol() {
  expect("@");
  if (at("\"")) return quoted();
  const std::size_t end = std::min(
      rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-"),
      rest_.size());
  if (end == 0) fail("a name");
  std::string name(rest_.substr(0, end));
  rest_.remove_prefix(end);
  return name;
}

std::string ShardingScanner::word() {
  skip_blanks();
  const std::size_t end =
      std::min(rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest_.size());
  std::string text(rest_.substr(0, end));
  rest_.remove_prefix(end);
  return text;
}

std::pair<std::int64_t, std::int64_t> ShardingScanner::part() {
  expect("(");
  const std::int64_t pre = number();
  expect(")");
  const std::int64_t size = number();
  if (pre < 1 || size < 1) fail("a part (PRE)SIZE of numbers above 0");
  return {pre, size};
}

I64s ShardingScanner::numbers(std::string_view open, std::string_view close) {
  I64s values;
  expect(open);
  if (eat(close)) return values;
  do values.push_back(number());
  while (eat(","));
  expect(close);
  return values;
}

void ShardingScanner::fail(const std::string& expected) const {
  throw_user_error(cat("sharding: expected ", expected, " at '", rest_.substr(0, 20), "' of '",
                       whole_.substr(0, 200), "'"));
}

void ShardingScanner::skip_blanks() {
  while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
    rest_.remove_prefix(1);
}

}  // namespace partita::ir
