// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/lexer.hpp"

#include <algorithm>

namespace partita::ir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_character(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }
bool is_suffix_character(char c) { return is_name_character(c) || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  return (c | 0x20) - 'a' + 10;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string file, int first_line)
    : text_(text), file_(std::move(file)), first_line_(first_line), line_(first_line) {
  advance();
}

void Lexer::fail(std::size_t offset, const std::string& message) const {
  const std::size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const auto line =
      std::count(text_.begin(), text_.begin() + std::ptrdiff_t(offset), '\n') + first_line_;
  throw_user_error(message, {.file = file_, .line = int(line), .column = int(offset - begin) + 1});
}

SourceLocation Lexer::location(const Token& token) const {
  return {.file = file_, .line = token.line, .column = token.column};
}

Token Lexer::take() {
  const Token taken = token_;
  advance();
  return taken;
}

Token Lexer::peek_second() const {
  Lexer ahead = *this;
  ahead.advance();
  return ahead.token_;
}

Lexer::Mark Lexer::mark() const { return {token_.offset, token_line_begin_, token_.line}; }

void Lexer::rewind(const Mark& mark) {
  position_ = mark.offset;
  line_begin_ = mark.line_begin;
  line_ = mark.line;
  advance();
}

std::string_view Lexer::text_from(std::size_t offset) const {
  return last_end_ > offset ? text_.substr(offset, last_end_ - offset) : std::string_view{};
}

void Lexer::skip_blanks() {
  for (;; ++position_) {
    const char c = at(position_);
    if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
      if (position_ == text_.size()) return;
    }
    if (at(position_) == '\n') {
      ++line_;
      line_begin_ = position_ + 1;
    } else if (position_ >= text_.size() || !is_blank(at(position_))) {
      return;
    }
  }
}

std::size_t Lexer::string_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  for (; end < text_.size() && text_[end] != '"'; ++end) {
    if (text_[end] == '\n') break;
    if (text_[end] == '\\') ++end;
  }
  if (at(end) != '"') fail(begin, "expected a string that ends on its line, found no closing '\"'");
  return end + 1;
}

void Lexer::read_number() {
  if (at(position_) == '-') ++position_;
  token_.kind = TokenKind::integer;
  if (at(position_) == '0' && at(position_ + 1) == 'x' && is_hex_digit(at(position_ + 2))) {
    position_ += 2;
    while (is_hex_digit(at(position_))) ++position_;
    token_.kind = TokenKind::hex;
    return;
  }
  while (is_digit(at(position_))) ++position_;
  if (at(position_) == '.' && (is_digit(at(position_ + 1)) || !is_letter(at(position_ + 1)))) {
    token_.kind = TokenKind::floating;
    ++position_;
    while (is_digit(at(position_))) ++position_;
  }
  const std::size_t sign = at(position_ + 1) == '+' || at(position_ + 1) == '-' ? 1 : 0;
  if ((at(position_) == 'e' || at(position_) == 'E') && is_digit(at(position_ + 1 + sign))) {
    token_.kind = TokenKind::floating;
    position_ += 1 + sign;
    while (is_digit(at(position_))) ++position_;
  }
}

void Lexer::read_token() {
  const char c = at(position_);
  const auto read_name = [&](TokenKind kind) {
    token_.kind = kind;
    ++position_;
    while (is_suffix_character(at(position_)) &&
           !(at(position_) == '-' && at(position_ + 1) == '>'))
      ++position_;
  };
  if (is_letter(c)) {
    token_.kind = TokenKind::identifier;
    while (is_name_character(at(position_))) ++position_;
  } else if (is_digit(c) || (c == '-' && is_digit(at(position_ + 1)))) {
    read_number();
  } else if (c == '"') {
    token_.kind = TokenKind::string;
    position_ = string_end(position_);
  } else if (c == '%') {
    read_name(TokenKind::value);
  } else if (c == '^') {
    read_name(TokenKind::block);
  } else if (c == '@') {
    if (at(position_ + 1) == '"') {
      token_.kind = TokenKind::symbol;
      position_ = string_end(position_ + 1);
    } else {
      read_name(TokenKind::symbol);
    }
  } else if (c == '#' && is_letter(at(position_ + 1))) {
    read_name(TokenKind::hash);
  } else if (c == '!' && is_letter(at(position_ + 1))) {
    read_name(TokenKind::bang);
  } else {
    token_.kind = TokenKind::punctuation;
    position_ += c == '-' && at(position_ + 1) == '>' ? 2 : 1;
  }
}

void Lexer::advance() {
  last_end_ = position_;
  skip_blanks();
  token_ = {.kind = TokenKind::end,
            .text = {},
            .offset = position_,
            .line = line_,
            .column = int(position_ - line_begin_) + 1};
  token_line_begin_ = line_begin_;
  if (position_ >= text_.size()) return;
  read_token();
  token_.text = text_.substr(token_.offset, position_ - token_.offset);
}

std::string_view Lexer::take_balanced(char open, char close) {
  const std::size_t begin = token_.offset + 1;
  position_ = token_.offset;
  line_ = token_.line;
  line_begin_ = token_line_begin_;
  for (std::size_t depth = 0; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '"') {
      position_ = string_end(position_) - 1;
    } else if (c == '/' && at(position_ + 1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size()) - 1;
    } else if (c == '\n') {
      ++line_;
      line_begin_ = position_ + 1;
    } else if (c == '-' && at(position_ + 1) == '>') {
      ++position_;
    } else if (c == open) {
      ++depth;
    } else if (c == close && --depth == 0) {
      const std::string_view inner = text_.substr(begin, position_ - begin);
      ++position_;
      advance();
      return inner;
    }
  }
  fail(begin - 1,
       cat("expected '", close, "' that matches '", open, "', found the end of the text"));
}

std::string unescape(std::string_view token_text) {
  std::string text;
  for (std::size_t i = 1; i + 1 < token_text.size(); ++i) {
    if (token_text[i] != '\\') {
      text += token_text[i];
      continue;
    }
    const char c = token_text[++i];
    if (is_hex_digit(c) && i + 1 < token_text.size() && is_hex_digit(token_text[i + 1])) {
      text += char(hex_value(c) * 16 + hex_value(token_text[i + 1]));
      ++i;
    } else {
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
  }
  return text;
}

std::string quoted_text(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '\\')
      out += "\\\\";
    else if (code >= 0x20 && code < 0x7f && c != '"')
      out += c;
    else
      out.append({'\\', digits[code >> 4], digits[code & 15]});
  }
  return out + '"';
}

std::string on_one_line(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\' && i + 1 < text.size())
        out += text[++i];
      else if (c == '"')
        in_string = false;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (c == '\n' || c == '\r') {
      while (i + 1 < text.size() && is_blank(text[i + 1])) ++i;
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      in_string = c == '"';
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

}  // namespace partita::ir
