// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Pretty forms with regions: reduce, while, scan; and convolution.
#include "frontend/stablehlo/module_reader.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir {

// stablehlo.reduce(%a init: %i)[, (%b init: %j)…] [applies OP] across dimensions = […] [{…}] : …  [reducer(…) (…) {…}]
void ModuleReader::read_reduce(OpText& op) {
  std::vector<WrittenValue> inits;
  do {
    expect("(");
    op.operands.push_back(read_operand());
    expect("init");
    expect(":");
    inits.push_back(read_operand());
    expect(")");
  } while (eat(","));
  op.operands.insert(op.operands.end(), inits.begin(), inits.end());
  std::optional<Token> body;
  if (eat("applies")) body = expect(TokenKind::identifier, "the name of an op");
  expect("across");
  expect("dimensions");
  expect("=");
  op.attrs.set("dimensions", read_bracketed_integers());
  read_types_tail(op);
  if (!body) return read_reducer(op);
  if (inits.size() != 1) fail("expected one operand with 'applies', found more", *body);
  const std::string name(body->text);
  const SourceLocation location = lexer_.location(*body);
  static_cast<void>(OpRegistry::instance().get(name, location));
  auto region = std::make_unique<Graph>();
  const WrittenType array = op.operands.front().written();
  const WrittenType element(Type::scalar(array.dtype), array.quantization);
  const WrittenValue left(region->add_argument(element), array.quantization),
      right(region->add_argument(element), array.quantization);
  WrittenOp combine{.name = name,
                    .operands = {left, right},
                    .attrs = {},
                    .regions = {},
                    .results = {},
                    .location = location};
  if (array.quantization) combine.results = {element};
  const std::vector<WrittenValue> results = create_written(*region, std::move(combine));
  region->results = stored(results);
  op.regions.push_back(
      {std::move(region), {{array.quantization, array.quantization}, quantizations(results)}});
}

// reducer(%a: T, %b: T) (%c: U, %d: U) { … }: a pair of arguments per operand; left ones come first.
void ModuleReader::read_reducer(OpText& op) {
  expect("reducer");
  std::vector<ArgumentText> left, right;
  while (at("(")) {
    const Token open = peek();
    std::vector<ArgumentText> pair = read_arguments();
    if (pair.size() != 2)
      fail(cat("expected two arguments of the reducer per operand, found ", pair.size()), open);
    left.push_back(std::move(pair[0]));
    right.push_back(std::move(pair[1]));
  }
  read_location();
  left.insert(left.end(), right.begin(), right.end());
  op.regions.push_back(read_region_with(op, std::move(left)));
}

// chlo.scan(%in, …) inits(%init, …) dimension=0 [attributes {…}] {region} : (…) -> (…)
void ModuleReader::read_scan(OpText& op) {
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  const std::size_t inputs = op.operands.size();
  expect("inits");
  expect("(");
  const std::vector<WrittenValue> inits = read_operands(")");
  expect(")");
  op.operands.insert(op.operands.end(), inits.begin(), inits.end());
  expect("dimension");
  expect("=");
  op.attrs.set("dimension", read_i64("a dimension"));
  if (eat("attributes")) {
    expect("{");
    merge_dict(op, "}");
    expect("}");
  }
  op.regions.push_back(read_region(op));
  read_types_tail(op);
  if (op.result_types.size() < inits.size())
    fail(cat("expected at least ", inits.size(), " results, found ", op.result_types.size()),
         op.where);
  const auto segments = [](std::size_t a, std::size_t b) {
    return I64s{std::int64_t(a), std::int64_t(b)};
  };
  op.attrs.set("operandSegmentSizes", segments(inputs, inits.size()));
  op.attrs.set("resultSegmentSizes", segments(op.result_types.size() - inits.size(), inits.size()));
}

// stablehlo.while(%arg = %init, …) : T, … [attributes {…}] cond { … } do { … }
void ModuleReader::read_while(OpText& op) {
  std::vector<ArgumentText> arguments;
  expect("(");
  if (!at(")")) {
    do {
      const Token name = expect(TokenKind::value, "an argument '%name'");
      arguments.push_back({.name = std::string(name.text.substr(1)),
                           .where = name,
                           .type = {},
                           .attrs = {},
                           .location = {}});
      expect("=");
      op.operands.push_back(read_operand());
    } while (eat(","));
  }
  expect(")");
  if (!arguments.empty()) {
    expect(":");
    do op.result_types.push_back(read_type());
    while (eat(","));
  }
  if (op.result_types.size() != arguments.size())
    fail(cat("expected types of ", arguments.size(), " values, found ", op.result_types.size()),
         op.where);
  op.operand_types = op.result_types;
  for (std::size_t k = 0; k < arguments.size(); ++k) arguments[k].type = op.result_types[k];
  if (eat("attributes")) {
    expect("{");
    merge_dict(op, "}");
    expect("}");
  }
  expect("cond");
  op.regions.push_back(read_region_with(op, arguments));
  expect("do");
  op.regions.push_back(read_region_with(op, std::move(arguments)));
}

// stablehlo.convolution(%l, %r) dim_numbers = […]x[…]->[…], window = {stride = […], pad = [[…]], …} {…} : …
void ModuleReader::read_convolution(OpText& op) {
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  expect("dim_numbers");
  expect("=");
  std::string numbers;
  for (const char* after : {"x", "->", ""}) {
    numbers += read_enclosed('[', ']') + after;
    if (*after != '\0') expect(after);
  }
  op.attrs.set("dimension_numbers", RawAttr{cat("#stablehlo.conv<", numbers, ">")});
  expect(",");
  expect("window");
  expect("=");
  expect("{");
  while (!at("}")) {
    const Token key = expect(TokenKind::identifier, "a property of the window");
    expect("=");
    if (key.text == "pad") {
      const Token where = peek();
      I64s values;
      expect("[");
      while (at("[")) {
        const I64s pair = read_bracketed_integers();
        if (pair.size() != 2) fail("expected pairs of low and high padding", where);
        values.insert(values.end(), pair.begin(), pair.end());
        if (!eat(",")) break;
      }
      expect("]");
      op.attrs.set("padding", padding_attribute(values));
    } else if (key.text == "reverse") {
      op.attrs.set("window_reversal", read_attribute());
    } else {
      const char* name = key.text == "stride"       ? "window_strides"
                         : key.text == "lhs_dilate" ? "lhs_dilation"
                         : key.text == "rhs_dilate" ? "rhs_dilation"
                                                    : nullptr;
      if (!name)
        fail(cat("expected stride, pad, lhs_dilate, rhs_dilate or reverse, found ", describe(key)),
             key);
      op.attrs.set(name, read_bracketed_integers());
    }
    if (!eat(",")) break;
  }
  expect("}");
  read_types_tail(op);
}

}  // namespace partita::ir
