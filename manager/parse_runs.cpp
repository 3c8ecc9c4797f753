// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <cctype>
#include <charconv>

#include "partita/base/error.hpp"
#include "partita/manager/manager.hpp"

namespace partita::manager {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// Splits "k=v other=w" into options.
std::map<std::string, std::string> parse_options(std::string_view text, std::string_view pass) {
  std::map<std::string, std::string> options;
  std::string last;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" ,", i), text.size());
    const std::string_view item = text.substr(i, end - i);
    const std::size_t equals = item.find('=');
    // A value may be a list: wrt=0,2.
    if (equals == std::string_view::npos && !last.empty() && text[i - 1] == ',') {
      options[last] += cat(",", item);
      i = end;
      continue;
    }
    if (equals == std::string_view::npos || equals == 0)
      throw_user_error(cat("passes: ", pass, ": expected key=value, found '", item, "'"));
    last = item.substr(0, equals);
    options[last] = item.substr(equals + 1);
    i = end;
  }
  return options;
}

}  // namespace

std::int64_t PassRun::integer(const std::string& option, std::int64_t otherwise) const {
  const auto it = options.find(option);
  if (it == options.end()) return otherwise;
  const char *begin = it->second.data(), *end = begin + it->second.size();
  std::int64_t value = 0;
  const auto [next, error] = std::from_chars(begin, end, value);
  if (error == std::errc{} && next == end) return value;
  throw_user_error(
      cat("passes: ", name, ": ", option, ": expected a number, found '", it->second, "'"));
}

bool PassRun::flag(const std::string& option, bool otherwise) const {
  const auto it = options.find(option);
  if (it == options.end()) return otherwise;
  if (it->second == "yes" || it->second == "no") return it->second == "yes";
  throw_user_error(
      cat("passes: ", name, ": ", option, ": expected yes or no, found '", it->second, "'"));
}

std::string to_string(const std::vector<PassRun>& runs) {
  std::string text;
  for (const PassRun& run : runs) {
    std::string options;
    for (const auto& [key, value] : run.options)
      options += cat(options.empty() ? "" : " ", key, "=", value);
    text += cat(text.empty() ? "" : " ", run.name, options.empty() ? "" : cat("{", options, "}"));
  }
  return text;
}

std::vector<PassRun> parse_runs(std::string_view text) {
  std::vector<PassRun> runs;
  std::size_t i = 0;
  while (i < text.size()) {
    if (text[i] == ' ' || text[i] == ',') {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && is_name_character(text[i])) ++i;
    PassRun run{std::string(text.substr(begin, i - begin)), {}};
    if (i < text.size() && text[i] == '{') {
      const std::size_t end = text.find('}', i);
      if (end == std::string_view::npos)
        throw_user_error(cat("passes: ", run.name, ": expected '}', found the end"));
      run.options = parse_options(text.substr(i + 1, end - i - 1), run.name);
      i = end + 1;
    } else if (i < text.size() && text[i] != ' ' && text[i] != ',') {
      throw_user_error(cat("passes: expected a name, found '", text.substr(i, 1), "'"));
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace partita::manager
