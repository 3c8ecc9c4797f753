// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Pretty forms without regions: operands, `name = value` items and a type, and the few ops that are
// written otherwise.
#include <array>
#include <charconv>

#include "frontend/stablehlo/module_reader.hpp"
#include "frontend/stablehlo/pretty_items.hpp"

namespace partita::ir {

namespace {

const Item* find_item(std::string_view op, std::string_view key) {
  for (const Item& item : pretty_items)
    if (item.op == op && item.key == key) return &item;
  return nullptr;
}

DType part_of(DType dtype) { return dtype == DType::c128 ? DType::f64 : DType::f32; }

}  // namespace

ModuleReader::PrettyReader ModuleReader::pretty_reader(std::string_view op) {
  struct Row {
    std::string_view op;
    PrettyReader reader;
  };
  static constexpr std::array rows{
      Row{"stablehlo.constant", &ModuleReader::read_constant},
      Row{"chlo.constant", &ModuleReader::read_constant},
      Row{"stablehlo.compare", &ModuleReader::read_compare},
      Row{"stablehlo.slice", &ModuleReader::read_slice},
      Row{"stablehlo.dot_general", &ModuleReader::read_dot_general},
      Row{"stablehlo.dot", &ModuleReader::read_dot_general},
      Row{"stablehlo.reduce", &ModuleReader::read_reduce},
      Row{"stablehlo.while", &ModuleReader::read_while},
      Row{"stablehlo.composite", &ModuleReader::read_composite},
      Row{"stablehlo.custom_call", &ModuleReader::read_custom_call},
      Row{"stablehlo.convolution", &ModuleReader::read_convolution},
      Row{"stablehlo.reduce_precision", &ModuleReader::read_reduce_precision},
      Row{"func.call", &ModuleReader::read_call},
      Row{"chlo.top_k", &ModuleReader::read_top_k},
      Row{"chlo.scan", &ModuleReader::read_scan},
      Row{"check.expect_eq", &ModuleReader::read_check},
      Row{"check.expect_eq_const", &ModuleReader::read_check},
      Row{"check.expect_almost_eq", &ModuleReader::read_check},
      Row{"check.expect_almost_eq_const", &ModuleReader::read_check},
      Row{"check.expect_close", &ModuleReader::read_check},
      Row{"check.expect_serialized_eq", &ModuleReader::read_check},
  };
  for (const Row& row : rows)
    if (row.op == op) return row.reader;
  return op.starts_with("sdy.") ? sdy_reader(op) : &ModuleReader::read_plain;
}

void ModuleReader::read_braced_attributes(OpText& op) {
  if (!eat("{")) return;
  merge_dict(op, "}");
  expect("}");
}

// --- The common form ----------------------------------------------------------------------------

void ModuleReader::read_plain(OpText& op) {
  if (op.name == "stablehlo.optimization_barrier") read_braced_attributes(op);
  read_plain_items(op);
  read_types_tail(op);
}

void ModuleReader::read_plain_items(OpText& op) {
  if (at(":") || at("{")) return;
  do {
    if (at(TokenKind::value))
      op.operands.push_back(read_operand());
    else if (at(TokenKind::identifier))
      read_item(op);
    else
      fail_expected("an operand or 'name = value'");
  } while (eat(","));
}

void ModuleReader::read_item(OpText& op) {
  const Token key = lexer_.take();
  expect("=");
  const Item* item = find_item(op.name, key.text);
  const std::string attribute(item ? item->attribute : key.text);
  if (op.attrs.contains(attribute)) fail(cat("expected one '", key.text, "', found two"), key);
  switch (item ? item->kind : ItemKind::attribute) {
    case ItemKind::integer:
      op.attrs.set(attribute, read_i64("an integer"));
      return;
    case ItemKind::integers:
      op.attrs.set(attribute, read_bracketed_integers());
      return;
    case ItemKind::enumeration:
      op.attrs.set(attribute, read_enumeration(op, std::string(item->enum_kind)));
      return;
    case ItemKind::attribute:
      op.attrs.set(attribute, read_attribute());
      return;
  }
}

EnumAttr ModuleReader::read_enumeration(const OpText& op, std::string kind) {
  const Token value = expect(TokenKind::identifier, "an enumeration value");
  return {op.name.substr(0, op.name.find('.')), std::move(kind), std::string(value.text)};
}

// [{attributes}] ":" then "(T, T) -> T", "T, T -> T" or "T".
void ModuleReader::read_types_tail(OpText& op) {
  read_braced_attributes(op);
  expect(":");
  if (at("(")) {
    FunctionType type = read_function_type();
    op.operand_types = std::move(type.inputs);
    op.result_types = std::move(type.outputs);
    return;
  }
  std::vector<WrittenType> types;
  do types.push_back(read_type());
  while (eat(","));
  if (eat("->") || (op.name == "tensor.cast" && eat("to"))) {
    op.operand_types = std::move(types);
    op.result_types = read_types();
    return;
  }
  apply_types(op, std::move(types));
}

// Types without an arrow: one for all operands and the result, with the exceptions below.
void ModuleReader::apply_types(OpText& op, std::vector<WrittenType> types) {
  const std::size_t operands = op.operands.size();
  if (op.name == "stablehlo.select" && types.size() == 2) {
    op.operand_types = {types[0], types[1], types[1]};
    op.result_types = {types[1]};
  } else if (op.name == "stablehlo.complex" && types.size() == 1 && is_complex(types[0].dtype)) {
    const Type part{.dtype = part_of(types[0].dtype), .dims = types[0].dims};
    op.operand_types = std::vector<WrittenType>(operands, part);
    op.result_types = std::move(types);
  } else if (op.name == "stablehlo.optimization_barrier") {
    op.result_types = types;
    op.operand_types = std::move(types);
  } else if (types.size() == 1) {
    op.operand_types = std::vector<WrittenType>(operands, types[0]);
    op.result_types = std::move(types);
  } else {
    fail(cat("expected one type or types with '->', found ", types.size(), " types"), op.where);
  }
}

// --- Other forms --------------------------------------------------------------------------------

// stablehlo.constant [{attributes}] dense<…> : T
// stablehlo.constant() <{value = dense<…> : T}> : () -> U      where the constant's integers are quantized as U says
void ModuleReader::read_constant(OpText& op) {
  if (at("(")) return read_generic(op);
  read_braced_attributes(op);
  const Token where = peek();
  Attribute value = read_attribute();
  const auto* dense = value.get_if<DenseRef>();
  if (!dense) fail("expected a constant 'dense<…> : tensor<…>', found another attribute", where);
  op.result_types = {WrittenType((*dense)->type(), last_dense_)};
  if (op.attrs.contains("value")) fail("expected one attribute 'value', found two", where);
  op.attrs.set("value", std::move(value));
}

// stablehlo.compare LT, %a, %b, SIGNED : …
void ModuleReader::read_compare(OpText& op) {
  op.attrs.set("comparison_direction", read_enumeration(op, "comparison_direction"));
  for (int k = 0; k < 2; ++k) {
    expect(",");
    op.operands.push_back(read_operand());
  }
  if (eat(",")) op.attrs.set("compare_type", read_enumeration(op, "comparison_type"));
  read_types_tail(op);
  // "T" alone names the operands' type.
  if (!op.result_types.empty() && op.result_types[0].dtype != DType::i1 && op.operand_types &&
      !op.operand_types->empty() && op.operand_types->front() == op.result_types[0])
    op.result_types[0] = Type{.dtype = DType::i1, .dims = op.result_types[0].dims};
}

// stablehlo.slice %x [begin:end[:step], …] : …
void ModuleReader::read_slice(OpText& op) {
  op.operands.push_back(read_operand());
  I64s begin, end, step;
  expect("[");
  if (!at("]")) {
    do {
      begin.push_back(read_i64("the start of a slice"));
      expect(":");
      end.push_back(read_i64("the limit of a slice"));
      step.push_back(eat(":") ? read_i64("the stride of a slice") : 1);
    } while (eat(","));
  }
  expect("]");
  op.attrs.set("start_indices", std::move(begin));
  op.attrs.set("limit_indices", std::move(end));
  op.attrs.set("strides", std::move(step));
  read_types_tail(op);
}

// stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : …
void ModuleReader::read_dot_general(OpText& op) {
  do {
    if (at(TokenKind::value)) {
      op.operands.push_back(read_operand());
      continue;
    }
    const Token key = expect(TokenKind::identifier, "an operand or 'name = value'");
    expect("=");
    if (key.text == "batching_dims" || key.text == "contracting_dims") {
      const std::string suffix =
          key.text == "batching_dims" ? "_batching_dimensions" : "_contracting_dimensions";
      if (op.attrs.contains("lhs" + suffix))
        fail(cat("expected one '", key.text, "', found two"), key);
      op.attrs.set("lhs" + suffix, read_bracketed_integers());
      expect("x");
      op.attrs.set("rhs" + suffix, read_bracketed_integers());
    } else if (key.text == "precision") {
      List list;
      expect("[");
      do list.items.emplace_back(read_enumeration(op, "precision"));
      while (eat(","));
      expect("]");
      op.attrs.set("precision_config", std::move(list));
    } else if (key.text == "algorithm") {
      op.attrs.set("algorithm", RawAttr{"#stablehlo.dot_algorithm" + read_enclosed('<', '>')});
    } else {
      fail(cat("expected batching_dims, contracting_dims, precision or algorithm, found ",
               describe(key)),
           key);
    }
  } while (eat(","));
  read_types_tail(op);
}

// func.call @f(%a, …) : (…) -> …
void ModuleReader::read_call(OpText& op) {
  op.attrs.set("callee", SymbolRef{read_symbol()});
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  read_types_tail(op);
}

void ModuleReader::read_custom_call(OpText& op) {
  op.attrs.set("call_target_name", read_symbol());
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  read_types_tail(op);
}

// stablehlo.composite "name" %a, %b {…} : (…) -> …
void ModuleReader::read_composite(OpText& op) {
  op.attrs.set("name", unescape(expect(TokenKind::string, "the composite's name").text));
  if (at(TokenKind::value)) op.operands = read_operands("{");
  read_types_tail(op);
}

// stablehlo.reduce_precision %x, format = e5m10 : T
void ModuleReader::read_reduce_precision(OpText& op) {
  op.operands.push_back(read_operand());
  expect(",");
  expect("format");
  expect("=");
  const Token format = expect(TokenKind::identifier, "a format such as e5m10");
  const char* const end = format.text.data() + format.text.size();
  std::int64_t exponent = 0, mantissa = 0;
  const auto read = std::from_chars(format.text.data() + 1, end, exponent);
  const auto rest =
      read.ptr < end && *read.ptr == 'm' ? std::from_chars(read.ptr + 1, end, mantissa) : read;
  if (format.text.front() != 'e' || read.ec != std::errc{} || rest.ec != std::errc{} ||
      rest.ptr != end || rest.ptr == read.ptr)
    fail(cat("expected a format such as e5m10, found ", describe(format)), format);
  op.attrs.set("exponent_bits", Integer{exponent, "i32"});
  op.attrs.set("mantissa_bits", Integer{mantissa, "i32"});
  read_types_tail(op);
}

// chlo.top_k(%x, k = 5) : T -> (T, U)
void ModuleReader::read_top_k(OpText& op) {
  expect("(");
  read_plain_items(op);
  expect(")");
  read_types_tail(op);
}

// check.expect_eq %a, %b : T      check.expect_eq_const %a, dense<…> : T
// check.expect_eq_const(%a, dense<…> : T) : T      as IREE has it
// Numbers have the type that the op says; after ':' come types of operands.
void ModuleReader::read_check(OpText& op) {
  const bool is_enclosed = eat("(");
  do {
    if (at(TokenKind::value))
      op.operands.push_back(read_operand());
    else if (at("dense"))
      op.attrs.set("value", read_attribute());
    else
      read_check_item(op);
  } while (eat(","));
  if (is_enclosed) expect(")");
  read_braced_attributes(op);
  if (op.attrs.contains("value") && !is_enclosed) return;  // its type is the operand's
  expect(":");
  read_braced_attributes(op);
  std::vector<WrittenType> types;
  do types.push_back(read_type());
  while (eat(","));
  if (types.size() == 1) types.resize(op.operands.size(), types[0]);
  op.operand_types = std::move(types);
}

// tolerance = 0.1     max_ulp_difference = 3     probe_id = "name"
void ModuleReader::read_check_item(OpText& op) {
  const Token key = expect(TokenKind::identifier, "an operand or 'name = value'");
  expect("=");
  const std::string name(key.text == "iter" ? "iteration" : key.text);
  if (op.attrs.contains(name)) fail(cat("expected one '", key.text, "', found two"), key);
  const bool is_number = at(TokenKind::integer) || at(TokenKind::floating) || at(TokenKind::hex);
  if (!is_number || lexer_.peek_second().text != ":") {
    op.attrs.set(name, read_attribute());
    return;
  }
  const Lexer::Mark number = lexer_.mark();
  lexer_.take();
  lexer_.take();
  const bool has_type = at(TokenKind::identifier) && parse_dtype(peek().text).has_value();
  lexer_.rewind(number);
  if (has_type) {
    op.attrs.set(name, read_attribute());
    return;
  }
  const Token value = lexer_.take();
  AttributeReader alone(value.text, lexer_.file(), value.line);
  op.attrs.set(name, alone.read_attribute());
}

}  // namespace partita::ir
