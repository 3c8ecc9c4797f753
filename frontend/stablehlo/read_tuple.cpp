// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// stablehlo.tuple and stablehlo.get_tuple_element, which leave no trace: a name stands for the values
// that were put together under it.
#include "frontend/stablehlo/module_reader.hpp"

namespace partita::ir {

// A value, or a tuple by its name.
ModuleReader::Tuple ModuleReader::read_tuple_operand() {
  if (!at(TokenKind::value)) fail_expected("an operand '%name'");
  const std::string name(peek().text.substr(1));
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->tuples.find(name); found != scope->tuples.end()) {
      lexer_.take();
      return found->second;
    }
    if (scope->isolated) break;
  }
  return {.value = read_operand(), .elements = {}};
}

// tuple<T, …> for a tuple, else the value's type.
void ModuleReader::expect_tuple_type(const Tuple& tuple) {
  const Nested nested(*this);
  const Token where = peek();
  if (tuple.value) {
    const WrittenType type = read_type();
    if (type != tuple.value->written())
      fail(cat("expected type ", to_string(tuple.value->written()), ", found ", to_string(type)),
           where);
    return;
  }
  expect("tuple");
  expect("<");
  for (std::size_t k = 0; k < tuple.elements.size(); ++k) {
    if (k > 0) expect(",");
    expect_tuple_type(tuple.elements[k]);
  }
  expect(">");
}

void ModuleReader::define_tuple(const OpText& op, Tuple tuple) {
  if (op.results.empty()) return;
  if (op.results.size() != 1 || op.results[0].count != 1)
    fail("expected a name for 1 result, found more", op.where);
  const auto& result = op.results[0];
  if (tuple.value) return define(result.name, {*tuple.value}, result.where);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->names.contains(result.name) || scope->tuples.contains(result.name))
      fail(cat("expected a new name, found %", result.name, ", which is defined already"),
           result.where);
    if (scope->isolated) break;
  }
  scopes_.back().tuples.emplace(result.name, std::move(tuple));
}

// stablehlo.tuple %a, %b : tuple<T, U>      "stablehlo.tuple"(%a, %b) : (T, U) -> tuple<T, U>
void ModuleReader::read_tuple(const OpText& op, bool is_generic) {
  context_ = op.name;
  lexer_.take();
  Tuple tuple;
  if (is_generic) expect("(");
  while (at(TokenKind::value)) {
    tuple.elements.push_back(read_tuple_operand());
    if (!eat(",")) break;
  }
  if (is_generic) expect(")");
  if (at("{")) read_dict();
  expect(":");
  if (is_generic) {
    expect("(");
    for (std::size_t k = 0; k < tuple.elements.size(); ++k) {
      if (k > 0) expect(",");
      expect_tuple_type(tuple.elements[k]);
    }
    expect(")");
    expect("->");
  }
  expect_tuple_type(tuple);
  read_location();
  define_tuple(op, std::move(tuple));
}

// stablehlo.get_tuple_element %t[0] : (tuple<T, U>) -> T
// "stablehlo.get_tuple_element"(%t) <{index = 0 : i32}> : (tuple<T, U>) -> T
void ModuleReader::read_tuple_element(const OpText& op, bool is_generic) {
  context_ = op.name;
  lexer_.take();
  if (is_generic) expect("(");
  const Tuple tuple = read_tuple_operand();
  std::int64_t index = -1;
  if (is_generic) {
    expect(")");
    const bool has_properties = eat("<");
    const Dict attributes = at("{") ? read_dict() : Dict();
    if (has_properties) expect(">");
    const Attribute* found = attributes.find("index");
    const auto* number = found ? found->get_if<Integer>() : nullptr;
    if (!number) fail("expected an attribute 'index', found none", op.where);
    index = number->value;
  } else {
    expect("[");
    index = read_i64("an index");
    expect("]");
    if (at("{")) read_dict();
  }
  if (tuple.value) fail("expected a tuple, found another value", op.where);
  if (index < 0 || index >= std::int64_t(tuple.elements.size()))
    fail(cat("expected an index within [0, ", tuple.elements.size(), "), found ", index), op.where);
  const Tuple element = tuple.elements[std::size_t(index)];
  expect(":");
  expect("(");
  expect_tuple_type(tuple);
  expect(")");
  expect("->");
  expect_tuple_type(element);
  read_location();
  define_tuple(op, element);
}

}  // namespace partita::ir
