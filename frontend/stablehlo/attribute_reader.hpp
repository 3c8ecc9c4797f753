// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reads tokens, types and attributes; the lower half of the parser.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "frontend/stablehlo/lexer.hpp"
#include "frontend/stablehlo/quantization.hpp"
#include "partita/ir/attribute.hpp"

namespace partita::ir {

/// How deep attributes, types and regions may nest.
inline constexpr int max_nesting = 100;

/// Functions of a text: "(operand types) -> result types".
struct FunctionType {
  std::vector<WrittenType> inputs, outputs;
};

class AttributeReader {
 public:
  AttributeReader(std::string_view text, std::string file, int first_line)
      : lexer_(text, std::move(file), first_line) {}

  // --- Tokens ---
  [[nodiscard]] const Token& peek() const { return lexer_.peek(); }
  [[nodiscard]] bool at(TokenKind kind) const { return peek().kind == kind; }
  /// Whether the next token is this punctuation or bare word.
  [[nodiscard]] bool at(std::string_view text) const;
  bool eat(std::string_view text);
  void expect(std::string_view text);
  Token expect(TokenKind kind, std::string_view what);
  std::string read_symbol();
  std::int64_t read_i64(std::string_view what);
  /// "OP: expected X, found Y" at the next token.
  [[noreturn]] void fail_expected(std::string_view expected) const;
  /// "OP: MESSAGE" at a token.
  [[noreturn]] void fail(const std::string& message, const Token& where) const;
  [[noreturn]] void fail(const std::string& message, const SourceLocation& where) const;
  [[nodiscard]] SourceLocation here() const { return lexer_.location(peek()); }

  // --- Types ---
  WrittenType read_type();
  /// A tensor type's inner text ("4x8xf32"), or the reason why it is none that partita has.
  [[nodiscard]] static std::optional<WrittenType> parse_tensor(std::string_view inner,
                                                               std::string& reason);
  FunctionType read_function_type();
  /// One type, or several in parentheses.
  std::vector<WrittenType> read_types();

  // --- Attributes ---
  Attribute read_attribute();
  Dict read_dict();
  /// Reads "name = value, …" up to `close` into `dict`.
  void read_entries(Dict& dict, std::string_view close);
  I64s read_bracketed_integers();
  /// The text from `open` to the matching `close`, both included, on one line.
  std::string read_enclosed(char open, char close);
  /// "loc(…)" at the end of something; its content, or nothing.
  std::optional<std::string> read_location();

 protected:
  /// Counts nesting; fails when too deep.
  class Nested {
   public:
    explicit Nested(AttributeReader& reader);
    ~Nested() { --reader_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    AttributeReader& reader_;
  };

  /// A text of Shardy's shardings as what it says; other texts as they are.
  [[nodiscard]] Attribute sharding_or_raw(std::string text, const Token& where) const;

  Lexer lexer_;
  std::string context_ = "module";  ///< op whose text is being read, for messages
  int depth_ = 0;
  QuantizationRef last_dense_;  ///< of the type of the constant that was read last
  std::map<std::string, Attribute, std::less<>> aliases_;  ///< "#name" to what it stands for

 private:
  Attribute read_number();
  Attribute read_hash();
  Attribute read_array();
  Attribute read_dense();
  Attribute read_list();
  Attribute read_word();
  /// What was taken since `offset`, as it is written.
  Attribute raw_since(std::size_t offset) const;
  void skip_type();
  void read_structure(Dict& dict);
  void add_entry(Dict& dict, const std::string& name, Attribute value, const Token& where);
};

/// Names `found` in an error: the token's text, shortened, or what it is.
[[nodiscard]] std::string describe(const Token& token);

}  // namespace partita::ir
