// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/dense_reader.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "frontend/stablehlo/attribute_reader.hpp"

namespace partita::ir {

namespace {

/// The low `size` bytes of `bits`.
void append(std::vector<std::byte>& bytes, std::uint64_t bits, std::size_t size) {
  const auto* begin = reinterpret_cast<const std::byte*>(&bits);
  bytes.insert(bytes.end(), begin, begin + size);
}

class DenseReader {
 public:
  DenseReader(std::string_view literal, const Type& type, const std::string& context,
              const SourceLocation& where)
      : lexer_(literal, where.file),
        type_(type),
        context_(context),
        where_(where),
        element_(byte_size(type.dtype)) {}

  DenseRef read() {
    if (lexer_.peek().kind == TokenKind::end) {
      if (type_.count() != 0)
        fail(cat("expected ", type_.count(), " elements, found none"), lexer_.peek());
      return finish(false);
    }
    if (lexer_.peek().kind == TokenKind::string) return read_blob();
    const bool is_splat = lexer_.peek().text != "[";
    if (is_splat)
      read_element();
    else
      read_list(0);
    if (lexer_.peek().kind != TokenKind::end) fail_expected("'>'");
    return finish(is_splat);
  }

 private:
  [[noreturn]] void fail(const std::string& message, const Token& token) const {
    SourceLocation at = where_;
    at.line += token.line - 1;
    at.column = token.line == 1 ? where_.column + token.column - 1 : token.column;
    throw_user_error(cat(context_, ": ", message), at);
  }
  [[noreturn]] void fail_expected(const std::string& what) const {
    fail(cat("expected ", what, ", found ", describe(lexer_.peek())), lexer_.peek());
  }

  DenseRef finish(bool is_splat) {
    // A splat of a type without elements holds nothing.
    if (is_splat && type_.count() == 0)
      return std::make_shared<const Dense>(type_, std::vector<std::byte>(element_), true);
    return std::make_shared<const Dense>(type_, std::move(bytes_), is_splat);
  }

  void read_list(std::size_t dim) {
    const Token open = lexer_.take();
    if (dim >= type_.dims.size())
      fail(cat("expected lists nested ", type_.dims.size(), " deep for ", to_string(type_),
               ", found more"),
           open);
    std::int64_t count = 0;
    while (lexer_.peek().text != "]") {
      if (count > 0) {
        if (lexer_.peek().text != ",") fail_expected("',' or ']'");
        lexer_.take();
      }
      if (++count > type_.dims[dim]) break;
      if (dim + 1 == type_.dims.size())
        read_element();
      else if (lexer_.peek().text == "[")
        read_list(dim + 1);
      else
        fail_expected("'['");
    }
    if (count != type_.dims[dim])
      fail(
          cat("expected ", type_.dims[dim], " entries in dimension ", dim, " of ", to_string(type_),
              ", found ", count > type_.dims[dim] ? "more" : std::to_string(count)),
          open);
    lexer_.take();
  }

  void read_element() {
    const Kinds kind = info(type_.dtype).kind;
    if (kind == Kinds::boolean) return read_boolean();
    if (kind == Kinds::floating) return read_float(type_.dtype);
    if (kind != Kinds::complex) return read_integer();
    if (lexer_.peek().text != "(") fail_expected("'(' of a complex number");
    lexer_.take();
    read_float(part_dtype(type_.dtype));
    if (lexer_.peek().text != ",") fail_expected("','");
    lexer_.take();
    read_float(part_dtype(type_.dtype));
    if (lexer_.peek().text != ")") fail_expected("')'");
    lexer_.take();
  }

  void read_boolean() {
    const std::string_view text = lexer_.peek().text;
    if (text != "true" && text != "false" && text != "0" && text != "1")
      fail_expected("'true' or 'false'");
    bytes_.push_back(std::byte(text == "true" || text == "1"));
    lexer_.take();
  }

  void read_integer() {
    const Token token = lexer_.peek();
    if (token.kind != TokenKind::integer && token.kind != TokenKind::hex)
      fail_expected("an integer");
    lexer_.take();
    const bool negative = token.text.starts_with('-');
    const bool is_hex = token.kind == TokenKind::hex;
    const char* const begin = token.text.data() + (negative ? 1 : 0) + (is_hex ? 2 : 0);
    const char* const end = token.text.data() + token.text.size();
    std::uint64_t magnitude = 0;
    const auto [next, error] = std::from_chars(begin, end, magnitude, is_hex ? 16 : 10);
    const int bits = info(type_.dtype).bits;
    const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    // Signless integers may be written as either reading of their bits.
    const bool fits = negative
                          ? info(type_.dtype).kind == Kinds::signed_ && magnitude <= (most >> 1) + 1
                          : magnitude <= most;
    if (error != std::errc{} || !fits)
      fail(cat("expected an integer that fits in ", to_string(type_.dtype), ", found ",
               describe(token)),
           token);
    append(bytes_, stored_bits(type_.dtype, negative ? 0 - magnitude : magnitude), element_);
  }

  void read_float(DType dtype) {
    Token token = lexer_.peek();
    bool negative = false;
    if (token.text == "-") {  // of inf and nan
      negative = true;
      lexer_.take();
      token = lexer_.peek();
    }
    double value = 0;
    if (token.kind == TokenKind::identifier && token.text == "inf")
      value = std::numeric_limits<double>::infinity();
    else if (token.kind == TokenKind::identifier && token.text == "nan")
      value = std::numeric_limits<double>::quiet_NaN();
    else if (token.kind == TokenKind::hex && !negative)
      return read_float_bits(dtype);
    else if ((token.kind == TokenKind::floating || token.kind == TokenKind::integer) && !negative)
      value = dense_float(token.text, dtype);
    else
      fail_expected("a floating-point number");
    lexer_.take();
    append(bytes_, encode_float(dtype, negative ? -value : value), byte_size(dtype));
  }

  // Bit patterns are kept exactly, payloads of NaNs included.
  void read_float_bits(DType dtype) {
    const Token token = lexer_.take();
    std::uint64_t bits = 0;
    const char* const end = token.text.data() + token.text.size();
    const bool negative = token.text.starts_with('-');
    const auto [next, error] = std::from_chars(token.text.data() + 2, end, bits, 16);
    const std::size_t size = byte_size(dtype);
    if (negative || error != std::errc{} || next != end || stored_bits(dtype, bits) != bits)
      fail(cat("expected the bits of a number of type ", to_string(dtype), ", found ",
               describe(token)),
           token);
    append(bytes_, bits, size);
  }

  DenseRef read_blob() {
    const Token token = lexer_.take();
    const std::string_view digits = token.text.substr(1, token.text.size() - 2);
    if (!digits.starts_with("0x") || digits.size() % 2 != 0)
      fail("expected bytes \"0x…\", found " + describe(token), token);
    const std::size_t size = digits.size() / 2 - 1;
    const bool is_splat = size == element_;
    if (!is_splat && size != type_.bytes())
      fail(cat("expected ", type_.bytes(), " bytes for ", to_string(type_), ", found ", size),
           token);
    bytes_.reserve(size);
    for (std::size_t i = 2; i < digits.size(); i += 2) {
      std::uint8_t byte = 0;
      const auto [next, error] = std::from_chars(&digits[i], &digits[i] + 2, byte, 16);
      if (error != std::errc{} || next != &digits[i] + 2)
        fail("expected hexadecimal digits, found " + describe(token), token);
      if (type_.dtype == DType::i1)
        byte = byte != 0;
      else if (info(type_.dtype).bits < 8)
        byte = std::uint8_t(stored_bits(type_.dtype, byte));
      bytes_.push_back(std::byte(byte));
    }
    if (lexer_.peek().kind != TokenKind::end) fail_expected("'>'");
    return finish(is_splat);
  }

  Lexer lexer_;
  const Type& type_;
  const std::string& context_;
  const SourceLocation& where_;
  std::size_t element_;
  std::vector<std::byte> bytes_;
};

}  // namespace

DenseRef read_dense_literal(std::string_view literal, const Type& type, const std::string& context,
                            const SourceLocation& where) {
  return DenseReader(literal, type, context, where).read();
}

double dense_float(std::string_view text, DType dtype) {
  if (text.starts_with("0x")) {
    std::uint64_t bits = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    return decode_float(dtype, bits);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small for f64: from_chars leaves the value; strtod gives infinity or zero.
    value = std::strtod(std::string(text).c_str(), nullptr);
  }
  return value;
}

}  // namespace partita::ir
