// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Tokens and types.
#include <charconv>

#include "frontend/stablehlo/attribute_reader.hpp"
#include "partita/ir/open_types.hpp"

namespace partita::ir {

namespace {

// The most elements a type may have: byte counts stay far below what 64 bits hold.
constexpr std::int64_t max_elements = std::int64_t{1} << 48;

std::string without_blanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? std::string(text) : cat(text.substr(0, longest), "…");
}

}  // namespace

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  std::string text = on_one_line(shortened(token.text));
  // The text of an error would end there.
  for (auto at = text.find('\0'); at != std::string::npos; at = text.find('\0', at))
    text.replace(at, 1, "\\x00");
  return "'" + text + "'";
}

// --- Tokens -------------------------------------------------------------------------------------

AttributeReader::Nested::Nested(AttributeReader& reader) : reader_(reader) {
  if (reader.depth_ >= max_nesting)
    reader.fail(cat("expected nesting of at most ", max_nesting, " levels, found more"),
                reader.peek());
  ++reader_.depth_;
}

bool AttributeReader::at(std::string_view text) const {
  return (at(TokenKind::punctuation) || at(TokenKind::identifier)) && peek().text == text;
}

bool AttributeReader::eat(std::string_view text) {
  if (!at(text)) return false;
  lexer_.take();
  return true;
}

void AttributeReader::expect(std::string_view text) {
  if (!eat(text)) fail_expected(cat("'", text, "'"));
}

Token AttributeReader::expect(TokenKind kind, std::string_view what) {
  if (!at(kind)) fail_expected(what);
  return lexer_.take();
}

std::string AttributeReader::read_symbol() {
  const std::string_view text = expect(TokenKind::symbol, "a symbol '@name'").text;
  return text.starts_with("@\"") ? unescape(text.substr(1)) : std::string(text.substr(1));
}

std::int64_t AttributeReader::read_i64(std::string_view what) {
  const Token token = expect(TokenKind::integer, what);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc{})
    fail(cat("expected ", what, " that fits in 64 bits, found ", describe(token)), token);
  return value;
}

void AttributeReader::fail_expected(std::string_view expected) const {
  fail(cat("expected ", expected, ", found ", describe(peek())), peek());
}

void AttributeReader::fail(const std::string& message, const Token& where) const {
  fail(message, lexer_.location(where));
}

void AttributeReader::fail(const std::string& message, const SourceLocation& where) const {
  throw_user_error(cat(context_, ": ", message), where);
}

// --- Types --------------------------------------------------------------------------------------

namespace {

// The element type !quant.uniform<…> of a type whose extents are known.
std::optional<WrittenType> quantized_type(Type type, std::string_view element,
                                          std::string& reason) {
  auto quantization = parse_quantization(element, reason);
  if (!quantization) return std::nullopt;
  reason = misfit(*quantization, type.dims);
  if (!reason.empty()) return std::nullopt;
  type.dtype = quantization->storage;
  return WrittenType(std::move(type),
                     std::make_shared<const Quantization>(*std::move(quantization)));
}

}  // namespace

std::optional<WrittenType> AttributeReader::parse_tensor(std::string_view inner,
                                                         std::string& reason) {
  const std::string text = without_blanks(inner);
  Type type;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::int64_t count = 1;
  while (at < end && (*at == '?' || *at == '*' || (*at >= '0' && *at <= '9'))) {
    if (*at == '*') {
      reason = "expected a tensor type with a known rank";
      return std::nullopt;
    }
    if (*at == '?') {
      if (at + 1 == end || at[1] != 'x') {
        reason = "expected a tensor type such as tensor<?x8xf32>";
        return std::nullopt;
      }
      at += 2;
      type.dims.push_back(open_extent);
      if (type.dims.size() > std::size_t(max_nesting)) {
        reason = cat("expected a tensor type of at most ", max_nesting, " dimensions");
        return std::nullopt;
      }
      continue;
    }
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || next == end || *next != 'x') {
      reason = "expected a tensor type such as tensor<4x8xf32>";
      return std::nullopt;
    }
    at = next + 1;
    type.dims.push_back(extent);
    if (type.dims.size() > std::size_t(max_nesting) ||
        (extent > 0 && count > 0 && extent > max_elements / count)) {
      reason =
          cat("expected a tensor type of at most ", max_nesting, " dimensions and 2^48 elements");
      return std::nullopt;
    }
    // A dimension without elements does not make the others unbounded.
    if (extent > 0) count *= extent;
  }
  const std::string_view element(at, std::size_t(end - at));
  if (element.starts_with("!quant.")) return quantized_type(std::move(type), element, reason);
  if (element.find(',') != std::string_view::npos) {
    reason = "expected a tensor type without encoding";
    return std::nullopt;
  }
  const auto dtype = parse_dtype(element);
  if (!dtype || to_string(*dtype) != element) {
    reason = "expected an element type of";
    for (const DType d : all_dtypes)
      reason += cat(d == all_dtypes.front() ? " " : ", ", to_string(d));
    return std::nullopt;
  }
  type.dtype = *dtype;
  return WrittenType(std::move(type));
}

WrittenType AttributeReader::read_type() {
  const Token first = peek();
  if (first.text == "!stablehlo.future") {  // of one value: the value
    const Nested nested(*this);
    lexer_.take();
    expect("<");
    WrittenType type = read_type();
    expect(">");
    return type;
  }
  if (at(TokenKind::bang)) {
    const bool is_stablehlo = first.text == "!stablehlo.token";
    if (!is_stablehlo && first.text != "!mr.token")
      fail(cat("expected a tensor type, found ", describe(first)), first);
    lexer_.take();
    Type token = Type::token();
    if (is_stablehlo) token.dtype = DType::i8;
    return token;
  }
  if (!at("tensor")) fail_expected("a tensor type");
  lexer_.take();
  if (!at("<")) fail_expected("'<'");
  const std::string_view inner = lexer_.take_balanced('<', '>');
  std::string reason;
  auto type = parse_tensor(inner, reason);
  if (!type) fail(cat(reason, ", found 'tensor<", on_one_line(shortened(inner)), ">'"), first);
  return *std::move(type);
}

std::vector<WrittenType> AttributeReader::read_types() {
  if (!at("(")) return {read_type()};
  lexer_.take();
  std::vector<WrittenType> types;
  if (eat(")")) return types;
  do types.push_back(read_type());
  while (eat(","));
  expect(")");
  return types;
}

FunctionType AttributeReader::read_function_type() {
  if (!at("(")) fail_expected("a function type '(…) -> …'");
  FunctionType type;
  type.inputs = read_types();
  expect("->");
  type.outputs = read_types();
  return type;
}

// Passes over any MLIR type, known or not.
void AttributeReader::skip_type() {
  const Nested nested(*this);
  if (at("(")) {
    lexer_.take_balanced('(', ')');
    expect("->");
    if (!at("(")) return skip_type();
    lexer_.take_balanced('(', ')');
    if (eat("->")) skip_type();
    return;
  }
  if (!at(TokenKind::identifier) && !at(TokenKind::bang)) fail_expected("a type");
  lexer_.take();
  if (at("<")) lexer_.take_balanced('<', '>');
}

}  // namespace partita::ir
