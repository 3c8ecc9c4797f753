// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values by name, regions, and ops in generic form.
#include <algorithm>
#include <array>

#include "frontend/stablehlo/captured_constants.hpp"
#include "frontend/stablehlo/module_reader.hpp"
#include "frontend/stablehlo/read_as.hpp"

namespace partita::ir {

namespace {

constexpr std::array<std::string_view, 5> terminators{"return", "func.return", "stablehlo.return",
                                                      "mr.return", "sdy.return"};

bool is_terminator(const Token& token) {
  std::string_view name = token.text;
  if (token.kind == TokenKind::string)
    name = name.substr(1, name.size() - 2);
  else if (token.kind != TokenKind::identifier)
    return false;
  return std::ranges::find(terminators, name) != terminators.end();
}

// "mr.map" -> "mr"
std::string_view dialect_of(std::string_view op) { return op.substr(0, op.find('.')); }

}  // namespace

// --- Names --------------------------------------------------------------------------------------

bool ModuleReader::is_named(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") != std::string_view::npos;
}

void ModuleReader::define(const std::string& name, Named values, const Token& where) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->names.contains(name))
      fail(cat("expected a new name, found %", name, ", which is defined already"), where);
    if (scope->isolated) break;
  }
  scopes_.back().names.emplace(name, std::move(values));
}

WrittenValue ModuleReader::read_operand() {
  const Token token = expect(TokenKind::value, "an operand '%name'");
  const std::string name(token.text.substr(1));
  std::int64_t index = 0;
  if (at("#")) {
    lexer_.take();
    index = read_i64("a result number");
  }
  bool visible = true;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) {
      const Named& named = found->second;
      if (index < 0 || index >= std::int64_t(named.size()))
        fail(cat("expected a result number below ", named.size(), ", found %", name, "#", index),
             token);
      const WrittenValue& value = named[std::size_t(index)];
      if (!visible && !value.node->is("stablehlo.constant"))
        fail(cat("expected values of the region itself, found %", name,
                 " from outside of it (the region is isolated)"),
             token);
      return value;
    }
    if (scope->isolated) visible = false;
  }
  fail(cat("expected a value that is defined before, found %", name), token);
}

std::vector<WrittenValue> ModuleReader::read_operands(std::string_view close) {
  std::vector<WrittenValue> operands;
  if (at(close)) return operands;
  do operands.push_back(read_operand());
  while (eat(","));
  return operands;
}

// --- Regions ------------------------------------------------------------------------------------

void ModuleReader::bind_arguments(Graph& graph, const std::vector<ArgumentText>& arguments) {
  for (const ArgumentText& argument : arguments) {
    const Value value =
        graph.add_argument(argument.type, is_named(argument.name) ? argument.name : std::string());
    const Value known = argument.value ? create_constant(graph, argument.value) : value;
    define(argument.name, {{known, argument.type.quantization}}, argument.where);
  }
}

std::vector<WrittenValue> ModuleReader::read_block(Graph& graph, std::string_view dialect) {
  const std::string expected = cat(dialect, ".return");
  while (!is_terminator(peek())) {
    if (at("}") || at(TokenKind::block) || at(TokenKind::end))
      fail_expected(cat("an op or ", expected));
    read_op(graph);
  }
  std::vector<WrittenValue> results = read_terminator(expected);
  if (at(TokenKind::block)) fail("expected regions of one block, found another block", peek());
  expect("}");
  graph.results = stored(results);
  return results;
}

std::vector<WrittenValue> ModuleReader::read_terminator(std::string_view expected) {
  const Token token = lexer_.take();
  const bool generic = token.kind == TokenKind::string;
  std::string name = generic ? unescape(token.text) : std::string(token.text);
  if (name == "return") name = "func.return";
  // JAX ends functions that serve as comparators so.
  if (name == "stablehlo.return" && expected == "func.return") name = expected;
  if (name != expected)
    fail(cat("expected ", expected, " at the end of the region, found ", name), token);
  const std::string outer = std::exchange(context_, name);
  std::vector<WrittenValue> results;
  std::vector<WrittenType> types;
  if (generic) {
    expect("(");
    results = read_operands(")");
    expect(")");
    if (at("{")) read_dict();
    expect(":");
    types = read_function_type().inputs;
  } else {
    // Attributes stand before the values in "return" and "sdy.return", behind them elsewhere.
    if (at("{")) read_dict();
    if (at(TokenKind::value)) results = read_operands(":");
    if (at("{")) read_dict();
    if (!results.empty()) {
      expect(":");
      do types.push_back(read_type());
      while (eat(","));
    }
  }
  read_location();
  if (types.size() != results.size())
    fail(cat("expected ", results.size(), " types, found ", types.size()), token);
  for (std::size_t k = 0; k < types.size(); ++k)
    if (!admits(types[k], results[k].written()))
      fail(cat("expected operand ", k, " of type ", to_string(results[k].written()), ", found ",
               to_string(types[k])),
           token);
  context_ = outer;
  return results;
}

namespace {

std::vector<QuantizationRef> quantizations_of(const std::vector<ArgumentText>& arguments) {
  std::vector<QuantizationRef> all;
  for (const ArgumentText& argument : arguments) all.push_back(argument.type.quantization);
  return all;
}

}  // namespace

WrittenRegion ModuleReader::read_region_with(const OpText& op,
                                             std::vector<ArgumentText> arguments) {
  const Nested nested(*this);
  auto graph = std::make_unique<Graph>();
  scopes_.push_back({.names = {}, .isolated = op.def == nullptr || !op.def->regions_capture});
  expect("{");
  if (at(TokenKind::block)) {
    lexer_.take();
    if (at("(")) arguments = read_arguments();
    expect(":");
  }
  // What a loop carries is of the types of what it begins with.
  for (std::size_t k = 0; k < arguments.size() && k < op.operands.size(); ++k)
    if (op.name == "stablehlo.while" && is_open(arguments[k].type))
      arguments[k].type = op.operands[k].written();
  bind_arguments(*graph, arguments);
  const std::vector<WrittenValue> results =
      read_block(*graph, op.name == "chlo.scan" ? "stablehlo" : dialect_of(op.name));
  if (scopes_.back().isolated) copy_captured_constants(*graph);
  scopes_.pop_back();
  context_ = op.name;
  return {std::move(graph), {quantizations_of(arguments), quantizations(results)}};
}

WrittenRegion ModuleReader::read_region(const OpText& op) { return read_region_with(op, {}); }

// --- Ops ----------------------------------------------------------------------------------------

void ModuleReader::read_result_names(OpText& op) {
  if (!at(TokenKind::value)) return;
  do {
    const Token token = expect(TokenKind::value, "a result name");
    std::int64_t count = 1;
    if (eat(":")) {
      const Token number = peek();
      count = read_i64("a number of results");
      if (count < 1 || count > 1'000'000)
        fail(cat("expected a positive number of results, found ", count), number);
    }
    op.results.push_back({std::string(token.text.substr(1)), int(count), token});
  } while (eat(","));
  expect("=");
}

void ModuleReader::start(OpText& op, std::string name, const Token& where) {
  op.name = std::move(name);
  op.where = where;
  if (!is_quantizing_op(op.name) && !is_read_as_other(op.name))
    op.def = &OpRegistry::instance().get(op.name, lexer_.location(where));
  context_ = op.name;
}

void ModuleReader::read_op(Graph& graph) {
  OpText op;
  context_ = "op";
  read_result_names(op);
  const Token name = peek();
  const bool is_generic = at(TokenKind::string);
  if (is_generic || at(TokenKind::identifier)) {
    op.where = name;
    op.name = is_generic ? unescape(name.text) : std::string(name.text);
    if (op.name == "stablehlo.tuple") return read_tuple(op, is_generic);
    if (op.name == "stablehlo.get_tuple_element") return read_tuple_element(op, is_generic);
  }
  if (!is_generic && !at(TokenKind::identifier)) fail_expected("an op");
  lexer_.take();
  start(op, !is_generic && op.name == "call" ? "func.call" : op.name, name);
  (this->*(is_generic ? &ModuleReader::read_generic : pretty_reader(op.name)))(op);
  finish(op, graph);
}

void ModuleReader::merge_dict(OpText& op, std::string_view close) {
  const Token where = peek();
  Dict more;
  read_entries(more, close);
  for (const NamedAttribute& entry : more.items()) {
    if (op.attrs.contains(entry.name))
      fail(cat("expected one attribute '", entry.name, "', found two"), where);
    op.attrs.set(entry.name, entry.value);
  }
}

void ModuleReader::read_generic(OpText& op) {
  expect("(");
  op.operands = read_operands(")");
  expect(")");
  if (at("[")) fail("expected an op without successors, found '['", peek());
  if (eat("<")) {
    expect("{");
    merge_dict(op, "}");
    expect("}");
    expect(">");
  }
  if (eat("(")) {
    do op.regions.push_back(read_region(op));
    while (eat(","));
    expect(")");
  }
  if (eat("{")) {
    merge_dict(op, "}");
    expect("}");
  }
  expect(":");
  FunctionType type = read_function_type();
  op.operand_types = std::move(type.inputs);
  op.result_types = std::move(type.outputs);
}

void ModuleReader::finish(OpText& op, Graph& graph) {
  const auto location_text = read_location();
  if (op.operand_types) {
    const std::vector<WrittenType>& types = *op.operand_types;
    if (types.size() != op.operands.size())
      fail(cat("expected types of ", op.operands.size(), " operands, found ", types.size()),
           op.where);
    for (std::size_t k = 0; k < types.size(); ++k)
      if (!admits(types[k], op.operands[k].written()))
        fail(cat("expected operand ", k, " of type ", to_string(types[k]), " as declared, found ",
                 to_string(op.operands[k].written())),
             op.where);
  }
  const std::size_t declared = op.result_types.size();
  WrittenOp written{.name = op.name,
                    .operands = std::move(op.operands),
                    .attrs = std::move(op.attrs),
                    .regions = std::move(op.regions),
                    .results = std::move(op.result_types),
                    .location = lexer_.location(op.where),
                    .module = module_};
  const CalledFunctions::Instance* const called = follow_call(written);
  open_.close(written);
  calls_.note(written, function_);
  const std::size_t before = graph.nodes().size();
  std::vector<WrittenValue> values = open_.create(graph, std::move(written), *module_);
  if (called != nullptr) CalledFunctions::settle(*called, graph, values);
  if (values.size() != declared)
    fail(cat("expected ", values.size(), " result types, found ", declared), op.where);
  Node* const node = graph.nodes().size() == before ? nullptr
                     : values.empty()               ? graph.nodes().back()
                                                    : values.front().node;
  if (node != nullptr) node->loc_text = location_text.value_or("");
  std::size_t named = 0;
  for (const auto& result : op.results) named += std::size_t(result.count);
  if (!op.results.empty() && named != values.size())
    fail(cat("expected names for ", values.size(), " results, found ", named), op.where);
  auto next = values.begin();
  for (const auto& result : op.results) {
    if (next == values.begin() && is_named(result.name) && node != nullptr)
      node->hint = result.name;
    define(result.name, Named(next, next + result.count), result.where);
    next += result.count;
  }
}

}  // namespace partita::ir
