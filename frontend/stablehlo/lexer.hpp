// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tokens of MLIR text, made on demand; comments and white space are skipped.  Texts inside of
// balanced brackets can be taken whole, for types and for attributes that are kept as written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "partita/base/error.hpp"

namespace partita::ir {

enum class TokenKind : unsigned char {
  end,
  identifier,   ///< bare, with dots: func.func, tensor, x
  string,       ///< with its quotes
  integer,      ///< -12
  floating,     ///< 1.5e-3
  hex,          ///< 0x7F80
  value,        ///< %name
  symbol,       ///< @name or @"name"
  block,        ///< ^bb0
  hash,         ///< #name
  bang,         ///< !name
  punctuation,  ///< one character, or "->"
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  std::size_t offset = 0;
  int line = 1, column = 1;
};

class Lexer {
 public:
  /// `text` must outlive the lexer; its first line has number `first_line`.
  Lexer(std::string_view text, std::string file, int first_line = 1);

  [[nodiscard]] const Token& peek() const { return token_; }
  Token take();
  /// The token after the next one.
  [[nodiscard]] Token peek_second() const;
  /// The next token must be `open`: takes all up to the matching `close` and returns what is between.
  /// Strings and comments inside do not count, nor does the '>' of an arrow.
  std::string_view take_balanced(char open, char close);

  struct Mark {
    std::size_t offset;
    std::size_t line_begin;
    int line;
  };
  [[nodiscard]] Mark mark() const;
  void rewind(const Mark& mark);
  /// Source text from a token's offset up to the next token, without white space and comments at the end.
  [[nodiscard]] std::string_view text_from(std::size_t offset) const;

  /// Whether the whole text has it somewhere.
  [[nodiscard]] bool holds(std::string_view part) const {
    return text_.find(part) != std::string_view::npos;
  }
  [[nodiscard]] SourceLocation location(const Token& token) const;
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  void skip_blanks();
  void advance();
  [[nodiscard]] char at(std::size_t offset) const {
    return offset < text_.size() ? text_[offset] : '\0';
  }
  [[nodiscard]] std::size_t string_end(std::size_t begin) const;
  void read_number();
  void read_token();
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;    // after token_
  std::size_t last_end_ = 0;    // after the token before token_
  std::size_t line_begin_ = 0;  // of the line of position_
  int first_line_, line_;
  std::size_t token_line_begin_ = 0;
  Token token_;
};

/// The text a string token stands for; escapes are \\ \" \n \t \r and two hexadecimal digits.
[[nodiscard]] std::string unescape(std::string_view token_text);
/// With quotes, as MLIR escapes.
[[nodiscard]] std::string quoted_text(std::string_view text);
/// On one line: comments removed, white space that holds a newline becomes one blank.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace partita::ir
