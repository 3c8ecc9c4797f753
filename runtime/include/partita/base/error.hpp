// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The one exception type that partita throws, in three kinds that the command line and the C ABI
// turn into exit codes: the user's input is wrong (2), a device or MPI failed (3), our bug (70).
#pragma once

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace partita {

enum class ErrorKind { user, device, internal };

/// Where in a source text something stands; line 0 means nowhere.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, SourceLocation where = {})
      : std::runtime_error(message), kind_(kind), where_(std::move(where)) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  /// "FILE:LINE:COL: MESSAGE", or only the message where there is no place.
  [[nodiscard]] std::string located_message() const;

 private:
  ErrorKind kind_;
  SourceLocation where_;
};

namespace detail {
/// Appends what a stream would print; text and integers without one.  Each part has a stream of
/// its own, so a manipulator (std::hex) would change nothing: it does not compile.
template <class T>
void append(std::string& out, const T& x) {
  static_assert(!std::is_function_v<T>, "cat takes values, no manipulators of streams");
  if constexpr (std::is_same_v<T, char>) {
    out += x;
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(x);
  } else if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, x);
    out.append(digits, end);
  } else {
    std::ostringstream stream;
    stream << x;
    out += stream.view();
  }
}
}  // namespace detail

/// Concatenates anything that can be streamed.
template <class... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

[[noreturn]] void throw_user_error(const std::string& message, SourceLocation where = {});
[[noreturn]] void throw_device_error(const std::string& message);
[[noreturn]] void throw_internal_error(const std::string& message);

}  // namespace partita

/// Checks an invariant of our own code; a failure is an internal error that names the condition.
#define PARTITA_ASSERT(condition)                                                            \
  do {                                                                                       \
    if (!(condition))                                                                        \
      ::partita::throw_internal_error(                                                       \
          ::partita::cat("invariant broken at ", __FILE__, ":", __LINE__, ": " #condition)); \
  } while (false)
