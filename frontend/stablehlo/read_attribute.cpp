// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Attributes other than dense constants.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "frontend/stablehlo/attribute_reader.hpp"
#include "frontend/stablehlo/dense_reader.hpp"
#include "partita/ir/open_types.hpp"
#include "partita/ir/sharding.hpp"

namespace partita::ir {

namespace {

// Structures whose fields become attributes of the node.
constexpr std::array<std::string_view, 4> flattened{"#stablehlo.gather", "#stablehlo.scatter",
                                                    "#stablehlo.dot", "#chlo.ragged_dot"};

bool is_integer_type(std::string_view text) {
  if (text == "index") return true;
  const auto digits = text.substr(std::min(text.find_first_of("0123456789"), text.size()));
  const auto letters = text.substr(0, text.size() - digits.size());
  return (letters == "i" || letters == "ui" || letters == "si") && !digits.empty() &&
         digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Attribute AttributeReader::raw_since(std::size_t offset) const {
  return RawAttr{on_one_line(lexer_.text_from(offset))};
}

Attribute AttributeReader::read_attribute() {
  const Nested nested(*this);
  switch (peek().kind) {
    case TokenKind::string:
      return unescape(lexer_.take().text);
    case TokenKind::symbol: {
      const std::size_t begin = peek().offset;
      std::string name = read_symbol();
      if (!at(":") || lexer_.peek_second().text != ":") return SymbolRef{std::move(name)};
      while (at(":") && lexer_.peek_second().text == ":") {  // @outer::@inner
        lexer_.take();
        lexer_.take();
        read_symbol();
      }
      return raw_since(begin);
    }
    case TokenKind::integer:
    case TokenKind::floating:
    case TokenKind::hex:
      return read_number();
    case TokenKind::hash:
      return read_hash();
    case TokenKind::bang: {
      const std::size_t begin = peek().offset;
      skip_type();
      return raw_since(begin);
    }
    case TokenKind::identifier:
      return read_word();
    default:
      break;
  }
  if (at("[")) return read_list();
  if (at("{")) return read_dict();
  const std::size_t begin = peek().offset;
  if (at("(")) {
    skip_type();
    return raw_since(begin);
  }
  if (at("<")) {
    lexer_.take_balanced('<', '>');
    return raw_since(begin);
  }
  fail_expected("an attribute");
}

Attribute AttributeReader::read_word() {
  const std::size_t begin = peek().offset;
  if (eat("true")) return true;
  if (eat("false")) return false;
  if (eat("unit")) return Unit{};
  if (at("dense")) return read_dense();
  if (at("array")) return read_array();
  if (at("dense_resource"))
    fail("expected a constant in the text, found a dense resource, which is not supported", peek());
  if (at("loc")) {
    read_location();
    return raw_since(begin);
  }
  if (at("tensor")) {
    const Lexer::Mark mark = lexer_.mark();
    lexer_.take();
    std::string reason;
    if (at("<"))
      if (const auto type = parse_tensor(lexer_.take_balanced('<', '>'), reason);
          type && !type->quantization)
        return type->stored();
    lexer_.rewind(mark);
  }
  skip_type();
  return raw_since(begin);
}

Attribute AttributeReader::read_number() {
  const Token number = lexer_.take();
  std::string type;
  if (eat(":")) type = expect(TokenKind::identifier, "a number's type").text;
  const char* const begin = number.text.data();
  const char* const end = begin + number.text.size();
  const auto dtype = parse_dtype(type);
  if (number.kind == TokenKind::floating || (dtype && is_float(*dtype))) {
    if (!type.empty() && !(dtype && is_float(*dtype)))
      fail(cat("expected a floating-point type of a number, found '", type, "'"), number);
    return Float{dense_float(number.text, dtype.value_or(DType::f64)), dtype.value_or(DType::f64)};
  }
  if (type.empty()) type = "i64";
  if (!is_integer_type(type))
    fail(cat("expected an integer type of a number, found '", type, "'"), number);
  std::int64_t value = 0;
  std::from_chars_result read{};
  if (number.kind == TokenKind::hex || type.starts_with('u')) {
    std::uint64_t bits = 0;
    const bool is_hex = number.kind == TokenKind::hex;
    const bool negative = number.text.starts_with('-');
    read =
        std::from_chars(begin + (negative ? 1 : 0) + (is_hex ? 2 : 0), end, bits, is_hex ? 16 : 10);
    value = std::int64_t(negative ? 0 - bits : bits);
  } else {
    read = std::from_chars(begin, end, value);
  }
  if (read.ec != std::errc{} || read.ptr != end)
    fail(cat("expected an integer that fits in 64 bits, found ", describe(number)), number);
  return Integer{value, type};
}

// "#dialect<kind VALUE>" is an enumeration; everything else is kept as written.
Attribute AttributeReader::read_hash() {
  const Token head = lexer_.take();
  if (!at("<")) {
    const auto alias = aliases_.find(head.text);
    return alias == aliases_.end() ? Attribute(RawAttr{std::string(head.text)}) : alias->second;
  }
  const std::string dialect(head.text.substr(1));
  const Lexer::Mark mark = lexer_.mark();
  if (dialect.find('.') == std::string::npos) {
    lexer_.take();
    if (at(TokenKind::identifier)) {
      const std::string kind(lexer_.take().text);
      if (at(TokenKind::identifier)) {
        const std::string value(lexer_.take().text);
        if (eat(">")) return EnumAttr{dialect, kind, value};
      }
    }
    lexer_.rewind(mark);
  }
  lexer_.take_balanced('<', '>');
  return sharding_or_raw(on_one_line(lexer_.text_from(head.offset)), head);
}

Attribute AttributeReader::sharding_or_raw(std::string text, const Token& where) const {
  try {
    if (auto sharding = parse_sharding_attribute(text)) return *std::move(sharding);
  } catch (const Error& error) {
    fail(error.what(), where);
  }
  return RawAttr{std::move(text)};
}

// array<i64: 1, 2>; of other integers than i64 and i1 kept as written.
Attribute AttributeReader::read_array() {
  const Token head = lexer_.take();
  expect("<");
  const std::string type(expect(TokenKind::identifier, "an element type").text);
  const bool has_items = eat(":");
  if (type == "i1") {
    Bools bools;
    while (has_items) {
      if (!at("true") && !at("false")) fail_expected("'true' or 'false'");
      bools.values.push_back(lexer_.take().text == "true");
      if (!eat(",")) break;
    }
    expect(">");
    return bools;
  }
  I64s values;
  while (has_items && type == "i64") {
    values.push_back(read_i64("an integer"));
    if (!eat(",")) break;
  }
  if (type == "i64") {
    expect(">");
    return values;
  }
  while (!at(">")) {
    if (at(TokenKind::end)) fail_expected("'>'");
    lexer_.take();
  }
  lexer_.take();
  return raw_since(head.offset);
}

Attribute AttributeReader::read_list() {
  List list;
  expect("[");
  if (eat("]")) return list;
  do list.items.push_back(read_attribute());
  while (eat(","));
  expect("]");
  return list;
}

I64s AttributeReader::read_bracketed_integers() {
  I64s values;
  expect("[");
  if (eat("]")) return values;
  do values.push_back(read_i64("an integer"));
  while (eat(","));
  expect("]");
  return values;
}

// The constant's text comes before its type: it is passed over, the type read, then the text again.
Attribute AttributeReader::read_dense() {
  const Token head = lexer_.take();
  if (!at("<")) fail_expected("'<'");
  const Token open = peek();
  const std::string_view literal = lexer_.take_balanced('<', '>');
  expect(":");
  if (!at("tensor") && !at("vector")) fail_expected("a tensor type");
  const bool is_tensor = at("tensor");
  const std::size_t type_begin = peek().offset;
  const Lexer::Mark mark = lexer_.mark();
  skip_type();
  std::string reason;
  const std::string_view text = lexer_.text_from(type_begin);
  const std::size_t inner = text.find('<') + 1;
  std::optional<WrittenType> type;
  if (is_tensor && inner > 0)
    type = parse_tensor(text.substr(inner, text.size() - inner - 1), reason);
  if (!type) {
    // Layouts have elements of type `index`; they are kept as written.
    if (text.find("index>") != std::string_view::npos) return raw_since(head.offset);
    lexer_.rewind(mark);
    read_type();  // fails with the reason
    fail(reason, head);
  }
  if (is_open(*type))
    fail(cat("expected a constant of known extents, found ", to_string(*type)), head);
  last_dense_ = type->quantization;
  SourceLocation where = lexer_.location(open);
  ++where.column;
  return read_dense_literal(literal, *type, context_, where);
}

// --- Dictionaries -------------------------------------------------------------------------------

void AttributeReader::add_entry(Dict& dict, const std::string& name, Attribute value,
                                const Token& where) {
  if (dict.contains(name)) fail(cat("expected one attribute '", name, "', found two"), where);
  dict.set(name, std::move(value));
}

void AttributeReader::read_structure(Dict& dict) {
  lexer_.take();
  expect("<");
  read_entries(dict, ">");
  expect(">");
}

void AttributeReader::read_entries(Dict& dict, std::string_view close) {
  if (at(close)) return;
  do {
    const Token key = peek();
    if (!at(TokenKind::identifier) && !at(TokenKind::string)) fail_expected("an attribute name");
    lexer_.take();
    const std::string name =
        key.kind == TokenKind::string ? unescape(key.text) : std::string(key.text);
    if (!eat("=")) {
      add_entry(dict, name, Unit{}, key);
    } else if (at(TokenKind::hash) &&
               std::ranges::find(flattened, peek().text) != flattened.end()) {
      read_structure(dict);
    } else {
      add_entry(dict, name, read_attribute(), key);
    }
    // The list of a structure may end in a comma, a dictionary may not.
  } while (eat(",") && !(close == ">" && at(close)));
}

Dict AttributeReader::read_dict() {
  const Nested nested(*this);
  Dict dict;
  expect("{");
  read_entries(dict, "}");
  expect("}");
  return dict;
}

std::string AttributeReader::read_enclosed(char open, char close) {
  if (!at(std::string_view(&open, 1))) fail_expected(cat("'", open, "'"));
  const std::size_t begin = peek().offset;
  lexer_.take_balanced(open, close);
  return on_one_line(lexer_.text_from(begin));
}

std::optional<std::string> AttributeReader::read_location() {
  if (!at("loc") || lexer_.peek_second().text != "(") return std::nullopt;
  lexer_.take();
  return on_one_line(lexer_.take_balanced('(', ')'));
}

}  // namespace partita::ir
