// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/base/parse.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita {

std::int64_t parse_bytes(const std::string& text, const std::string& option) {
  struct Unit {
    std::string_view name;
    std::int64_t bytes;
  };
  constexpr std::int64_t k = 1000, ki = 1024;
  constexpr Unit units[] = {{"", 1},
                            {"B", 1},
                            {"kB", k},
                            {"KB", k},
                            {"MB", k * k},
                            {"GB", k * k * k},
                            {"TB", k * k * k * k},
                            {"K", ki},
                            {"M", ki * ki},
                            {"G", ki * ki * ki},
                            {"KiB", ki},
                            {"MiB", ki * ki},
                            {"GiB", ki * ki * ki},
                            {"TiB", ki * ki * ki * ki}};
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  std::string_view rest(end, std::size_t(text.data() + text.size() - end));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (error == std::errc() && amount >= 0)
    for (const Unit& unit : units)
      if (rest == unit.name && amount * double(unit.bytes) < 0x1p62)
        return std::int64_t(amount * double(unit.bytes));
  throw_user_error(cat(option, ": expected a size such as 8GiB, found ", text));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::int64_t parse_number(const std::string& text, const std::string& option, std::int64_t max) {
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last || number < 0 || number > max)
    throw_user_error(cat(option, ": expected a number from 0 to ", max, ", found ", text));
  return number;
}

}  // namespace partita
