// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "runtime/artifact/json_archive.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "partita/base/nearest_name.hpp"

namespace partita::json {

namespace {

// Nesting that plans of real programs stay far below; keeps readers' recursion bounded.
constexpr std::size_t max_depth = 512;

void print(const bj::value& value, std::size_t indent, std::size_t width, std::string& out);

template <class Items, class PrintItem>
void print_items(const Items& items, std::string_view brackets, std::size_t indent,
                 std::string& out, PrintItem print_item) {
  out += brackets[0];
  bool first = true;
  for (const auto& item : items) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 1, ' ');
    print_item(item);
  }
  out += '\n';
  out.append(indent, ' ');
  out += brackets[1];
}

// Length of the compact text, counting no further than `limit`.
std::size_t compact_length(const bj::value& value, std::size_t limit) {
  std::size_t length = 2;
  if (const auto* items = value.if_array()) {
    for (const auto& item : *items) {
      length += 1 + compact_length(item, limit);
      if (length > limit) return length;
    }
    return length;
  }
  if (const auto* members = value.if_object()) {
    for (const auto& member : *members) {
      length += member.key().size() + 4 + compact_length(member.value(), limit);
      if (length > limit) return length;
    }
    return length;
  }
  if (const auto* text = value.if_string()) return length + text->size();
  return bj::serialize(value).size();
}

void print(const bj::value& value, std::size_t indent, std::size_t width, std::string& out) {
  const bool is_leaf = !value.is_array() && !value.is_object();
  if (is_leaf || compact_length(value, width) + indent <= width) {
    out += bj::serialize(value);
  } else if (const auto* items = value.if_array()) {
    print_items(*items, "[]", indent, out,
                [&](const bj::value& item) { print(item, indent + 1, width, out); });
  } else {
    print_items(value.get_object(), "{}", indent, out, [&](const bj::key_value_pair& member) {
      out += bj::serialize(bj::value(member.key()));
      out += ": ";
      print(member.value(), indent + 1, width, out);
    });
  }
}

// Length of the UTF-8 sequence that starts `text`, or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? unsigned(std::uint8_t(text[i])) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

std::string pretty(const bj::value& value, std::size_t width) {
  std::string out;
  print(value, 0, width, out);
  out += '\n';
  return out;
}

bj::value parse(std::string_view text, const std::string& name_for_errors) {
  bj::error_code error;
  bj::parse_options options;
  options.max_depth = max_depth;
  bj::value value = bj::parse({text.data(), text.size()}, error, {}, options);
  if (error)
    throw_user_error(cat("expected JSON text, found: ", error.message()),
                     {.file = name_for_errors});
  return value;
}

std::string to_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0)
      out += '?';
    else
      out.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

bj::value from_double(double x) {
  const bool is_small_integer = std::isfinite(x) && std::trunc(x) == x && std::fabs(x) < 1e15;
  if (is_small_integer && !(x == 0 && std::signbit(x))) return std::int64_t(x);
  char text[64];
  std::snprintf(text, sizeof text, "%a", x);
  return bj::string(text);
}

std::string_view kind_name(const bj::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_number()) return "a number";
  if (value.is_bool()) return "a boolean";
  return "null";
}

std::string Path::text() const {
  if (parent == nullptr) return std::string(name);
  if (name.empty()) return cat(parent->text(), "[", index, "]");
  return cat(parent->text(), parent->parent == nullptr ? ": " : ".", name);
}

void Reader::fail_at(const Path& path, std::string_view expected, const bj::value& found) {
  std::string text(kind_name(found));
  if (!found.is_object() && !found.is_array()) text = bj::serialize(found).substr(0, 60);
  throw_user_error(cat("expected ", expected, ", found ", text), {.file = path.text()});
}

std::int64_t Reader::integer(const bj::value& value, const Path& path, std::int64_t low,
                             std::int64_t high) {
  if (!value.is_int64()) fail_at(path, "an integer", value);
  const std::int64_t x = value.get_int64();
  if (x < low || x > high) fail_at(path, cat("an integer from ", low, " to ", high), value);
  return x;
}

double Reader::to_double(const bj::value& value, const Path& path) {
  if (value.is_int64()) return double(value.get_int64());
  if (value.is_double()) return value.get_double();
  if (!value.is_string()) fail_at(path, "a number", value);
  const std::string text = string(value, path);
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') fail_at(path, "a number", value);
  return x;
}

std::string Reader::string(const bj::value& value, const Path& path) {
  if (!value.is_string()) fail_at(path, "a string", value);
  const bj::string& text = value.get_string();
  return {text.data(), text.size()};
}

const bj::array& Reader::array(const bj::value& value, const Path& path) {
  if (!value.is_array()) fail_at(path, "an array", value);
  return value.get_array();
}

void expect_known_members(const bj::value& found, const bj::object& known, const Path& path) {
  if (!found.is_object()) Reader::fail_at(path, "an object", found);
  std::vector<std::string> names;
  for (const bj::key_value_pair& member : known) names.emplace_back(member.key());
  for (const bj::key_value_pair& member : found.get_object()) {
    const bj::value* same = known.if_contains(member.key());
    if (same == nullptr) {
      const std::string name = to_utf8(member.key()).substr(0, 60);
      const std::vector<std::string> near = nearest_names(name, names);
      std::string all;
      for (const std::string& n : names) all += cat(all.empty() ? "" : ", ", n);
      throw_user_error(cat("expected ", near.empty() ? cat("one of ", all) : near.front(),
                           ", found an unknown field '", name, "'"),
                       {.file = path.text()});
    }
    if (same->is_object())
      expect_known_members(member.value(), same->get_object(), Path{&path, member.key()});
  }
}

}  // namespace partita::json
