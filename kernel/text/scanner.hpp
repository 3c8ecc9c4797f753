// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The words of a draft's text: names, numbers, quoted text and symbols, with where they stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita::kernel::text {

class Scanner {
 public:
  /// `text` is borrowed.
  Scanner(std::string_view text, std::string file);

  [[nodiscard]] bool is_at_end() const { return kind_ == Kind::end; }
  /// Whether the next word is this name or symbol.
  [[nodiscard]] bool sees(std::string_view word) const {
    return (kind_ == Kind::name || kind_ == Kind::symbol) && word_ == word;
  }
  /// Whether the next word is `prefix` and a number: b12.
  [[nodiscard]] bool sees_numbered(char prefix) const;
  /// Whether the next word is a number.
  [[nodiscard]] bool sees_number() const { return kind_ == Kind::number; }
  [[nodiscard]] bool sees_quote() const { return kind_ == Kind::quote; }

  /// Goes on if the next word is this one.
  bool accept(std::string_view word);
  void expect(std::string_view word);
  std::string name();
  /// A name, a number or what begins with one, as it stands.
  std::string word();
  std::int64_t integer();
  /// The number of a name such as b12.
  int numbered(char prefix);
  std::string quoted();
  [[noreturn]] void fail(std::string_view expected) const;
  [[nodiscard]] SourceLocation where() const { return {file_, line_, column_}; }

  /// While it lives, what is read is nested one level deeper; a user error far above real programs.
  class Level {
   public:
    explicit Level(Scanner& in) : in_(in) {
      if (++in_.depth_ > most_levels) in_.fail("less nesting");
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --in_.depth_; }

   private:
    static constexpr int most_levels = 100;
    Scanner& in_;
  };

 private:
  enum class Kind : std::uint8_t { name, number, quote, symbol, end };
  void advance();
  void skip_blank();

  std::string_view text_;
  std::string file_;
  int depth_ = 0;
  std::size_t at_ = 0, line_start_ = 0;
  int next_line_ = 1;
  Kind kind_ = Kind::end;
  std::string_view word_;
  int line_ = 1, column_ = 1;
};

}  // namespace partita::kernel::text
