// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "kernel/text/scanner.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

namespace partita::kernel::text {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

template <class T>
bool read(std::string_view text, T& value, int base = 10) {
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && next == text.data() + text.size();
}

}  // namespace

Scanner::Scanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  advance();
}

void Scanner::skip_blank() {
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '\n') {
      ++next_line_;
      line_start_ = at_ + 1;
    } else if (text_.substr(at_).starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0) {
      return;
    }
  }
}

void Scanner::advance() {
  skip_blank();
  line_ = next_line_;
  column_ = int(at_ - line_start_) + 1;
  const std::size_t begin = at_;
  if (at_ == text_.size()) {
    kind_ = Kind::end;
  } else if (const char c = text_[at_]; is_name_start(c)) {
    kind_ = Kind::name;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
  } else if (is_digit(c) || (c == '-' && at_ + 1 < text_.size() && is_name_part(text_[at_ + 1]))) {
    kind_ = Kind::number;  // -inf too
    const auto is_exponent_sign = [&] {
      return (text_[at_] == '-' || text_[at_] == '+') && text_[at_ - 1] == 'e' &&
             !text_.substr(begin).starts_with("0x");
    };
    for (++at_; at_ < text_.size(); ++at_)
      if (!is_name_part(text_[at_]) && text_[at_] != '.' && !is_exponent_sign()) break;
  } else if (c == '"') {
    kind_ = Kind::quote;
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    if (at_ >= text_.size() || text_[at_] != '"')
      throw_user_error("expected '\"' at the end of a quoted text, found none", where());
    ++at_;
  } else {
    kind_ = Kind::symbol;
    constexpr std::string_view doubled[] = {"<=", "==", "+="};
    const bool is_double = std::ranges::any_of(
        doubled, [&](std::string_view s) { return text_.substr(at_).starts_with(s); });
    at_ += is_double ? 2 : 1;
  }
  word_ = text_.substr(begin, at_ - begin);
}

void Scanner::fail(std::string_view expected) const {
  throw_user_error(
      cat("expected ", expected, ", found ",
          kind_ == Kind::end ? std::string("the end") : cat("'", word_.substr(0, 60), "'")),
      where());
}

bool Scanner::sees_numbered(char prefix) const {
  return kind_ == Kind::name && word_.size() > 1 && word_[0] == prefix &&
         std::ranges::all_of(word_.substr(1), is_digit);
}

bool Scanner::accept(std::string_view word) {
  if (!sees(word)) return false;
  advance();
  return true;
}

void Scanner::expect(std::string_view word) {
  if (!accept(word)) fail(cat("'", word, "'"));
}

std::string Scanner::name() {
  if (kind_ != Kind::name) fail("a name");
  std::string result(word_);
  advance();
  return result;
}

std::string Scanner::word() {
  if (kind_ != Kind::name && kind_ != Kind::number) fail("a word");
  std::string result(word_);
  advance();
  return result;
}

std::int64_t Scanner::integer() {
  std::int64_t value = 0;
  if (kind_ != Kind::number || !read(word_, value)) fail("a whole number");
  advance();
  return value;
}

int Scanner::numbered(char prefix) {
  int value = 0;
  if (!sees_numbered(prefix) || !read(word_.substr(1), value)) fail(cat(prefix, " and a number"));
  advance();
  return value;
}

std::string Scanner::quoted() {
  if (kind_ != Kind::quote) fail("a quoted text");
  std::string result;
  for (std::size_t i = 1; i + 1 < word_.size(); ++i) {
    if (word_[i] != '\\') {
      result += word_[i];
      continue;
    }
    ++i;
    unsigned code = 0;
    if (word_[i] == '"' || word_[i] == '\\') {
      result += word_[i];
    } else if (i + 2 < word_.size() && read(word_.substr(i, 2), code, 16)) {
      result += char(code);
      ++i;
    } else {
      fail("a character after '\\'");
    }
  }
  advance();
  return result;
}

}  // namespace partita::kernel::text
