// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// JSON archives: `fields(archive, object)` names an object's members once, and an archive writes or
// reads them.  Enumerations and recursive types have their own conversions in plan_fields.hpp.
#pragma once

#include <array>
#include <boost/json/value.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "partita/base/error.hpp"

namespace partita::json {

namespace bj = boost::json;

/// Text over several lines: what fits on one line of `width` columns stays on one.
[[nodiscard]] std::string pretty(const bj::value& value, std::size_t width = 110);
/// Strict JSON of bounded depth; a user error at `name_for_errors` otherwise.
[[nodiscard]] bj::value parse(std::string_view text, const std::string& name_for_errors);
/// `text` with bytes that are not UTF-8 replaced by '?'.
[[nodiscard]] std::string to_utf8(std::string_view text);
/// Exact in both directions: an integer, or a string holding a hexadecimal float.
[[nodiscard]] bj::value from_double(double x);
[[nodiscard]] std::string_view kind_name(const bj::value& value);

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;

/// The way to a value inside a document, for messages; made text only when an error needs it.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;
  std::size_t index = 0;  ///< of an array's item; then `name` is empty
  [[nodiscard]] std::string text() const;
};

/// `found` is an object, and so are its members that are objects in `known`; each member is one of
/// `known`.  Else a user error that says which may have been meant.
void expect_known_members(const bj::value& found, const bj::object& known, const Path& path);

/// Fills a JSON object.
class Writer {
 public:
  template <class T>
  using Ref = const T&;

  template <class T>
  void operator()(std::string_view name, const T& x) {
    object_.emplace(name, value_of(x));
  }
  /// Left out where it equals `absent`.
  template <class T, class U>
  void optional(std::string_view name, const T& x, const U& absent) {
    if (!(x == T(absent))) (*this)(name, x);
  }

  template <class T>
  static bj::value value_of(const T& x) {
    if constexpr (std::is_same_v<T, bool>)
      return x;
    else if constexpr (std::is_integral_v<T>)
      return std::int64_t(x);
    else if constexpr (std::is_same_v<T, double>)
      return from_double(x);
    else if constexpr (std::is_same_v<T, std::string>)
      return bj::string(to_utf8(x));
    else if constexpr (is_vector<T> || is_array<T>) {
      bj::array items;
      items.reserve(x.size());
      for (const auto& item : x) items.push_back(value_of(item));
      return items;
    } else if constexpr (requires(Writer w) { fields(w, x); }) {
      Writer inner;
      fields(inner, x);
      return std::move(inner.object_);
    } else {
      return to_json(x);
    }
  }

 private:
  bj::object object_;
};

/// Takes members out of a JSON object; errors name the path to the member.  Borrows both arguments.
class Reader {
 public:
  template <class T>
  using Ref = T&;

  Reader(const bj::value& value, const Path& path) : path_(path) {
    if (!value.is_object()) fail_at(path, "an object", value);
    object_ = &value.get_object();
  }

  template <class T>
  void operator()(std::string_view name, T& x) {
    const bj::value* member = object_->if_contains(name);
    if (member == nullptr)
      throw_user_error(cat("expected a field '", name, "', found none"), {.file = path_.text()});
    read(*member, x, Path{&path_, name});
  }
  template <class T, class U>
  void optional(std::string_view name, T& x, const U& absent) {
    if (object_->if_contains(name) == nullptr)
      x = T(absent);
    else
      (*this)(name, x);
  }
  [[nodiscard]] const bj::object& object() const { return *object_; }
  [[nodiscard]] const Path& path() const { return path_; }

  template <class T>
  static void read(const bj::value& value, T& x, const Path& path) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!value.is_bool()) fail_at(path, "true or false", value);
      x = value.get_bool();
    } else if constexpr (std::is_integral_v<T>) {
      x = T(integer(value, path, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::is_same_v<T, double>) {
      x = to_double(value, path);
    } else if constexpr (std::is_same_v<T, std::string>) {
      x = string(value, path);
    } else if constexpr (is_vector<T>) {
      const bj::array& items = array(value, path);
      x.clear();
      x.resize(items.size());
      for (std::size_t i = 0; i < items.size(); ++i) read(items[i], x[i], Path{&path, {}, i});
    } else if constexpr (is_array<T>) {
      const bj::array& items = array(value, path);
      if (items.size() != x.size()) fail_at(path, cat(x.size(), " items"), value);
      for (std::size_t i = 0; i < x.size(); ++i) read(items[i], x[i], Path{&path, {}, i});
    } else if constexpr (requires(Reader r) { fields(r, x); }) {
      Reader inner(value, path);
      fields(inner, x);
    } else {
      from_json(value, x, path);
    }
  }

  [[noreturn]] static void fail_at(const Path& path, std::string_view expected,
                                   const bj::value& found);
  [[nodiscard]] static std::int64_t integer(const bj::value& value, const Path& path,
                                            std::int64_t low, std::int64_t high);
  [[nodiscard]] static double to_double(const bj::value& value, const Path& path);
  [[nodiscard]] static std::string string(const bj::value& value, const Path& path);
  [[nodiscard]] static const bj::array& array(const bj::value& value, const Path& path);

 private:
  const bj::object* object_ = nullptr;
  const Path& path_;
};

}  // namespace partita::json

namespace partita {

/// What `fields` takes with archive A: a T to be written, or one to be filled.
template <class A, class T>
using Ref = typename A::template Ref<T>;

}  // namespace partita
