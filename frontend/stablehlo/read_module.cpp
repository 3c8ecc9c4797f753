// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Modules and functions, in pretty and generic form.
#include <algorithm>
#include <utility>

#include "frontend/stablehlo/module_reader.hpp"

namespace partita::ir {

std::unique_ptr<Module> ModuleReader::read() {
  auto module = std::make_unique<Module>();
  module_ = module.get();
  module->file = lexer_.file();
  bool has_module = false;
  open_.is_active = lexer_.holds("tensor<?x") || lexer_.holds("x?x") ||
                    lexer_.holds("custom_call @shape_assertion(");
  note_private_functions();
  while (!at(TokenKind::end)) read_top_level(*module, has_module);
  instances_.move_to(*module);
  open_.check_all_used(module->file);
  const bool is_empty = module->functions.empty() && (refusals_ == nullptr || refusals_->empty());
  if (!has_module && is_empty) fail("expected a module or a function, found none", peek());
  calls_.check(*module, refusals_);
  return module;
}

void ModuleReader::read_top_level(Module& module, bool& has_module) {
  context_ = "module";
  if (at(TokenKind::hash)) return read_alias(module);
  if (at("{") && lexer_.peek_second().text == "-")
    fail("expected a module, found resources of the file, which are not supported", peek());
  const bool is_generic = at(TokenKind::string) && peek().text == "\"builtin.module\"";
  if (!at("module") && !at("builtin.module") && !is_generic) {
    if (has_module) fail_expected("one module");
    return refusals_ != nullptr ? read_or_refuse(module) : read_module_item(module);
  }
  if (has_module || !module.functions.empty() || !module.items.empty())
    fail("expected one module, found another (separate modules by lines '// -----')", peek());
  has_module = true;
  lexer_.take();
  if (is_generic) return read_generic_module(module);
  if (at(TokenKind::symbol)) module.name = read_symbol();
  if (eat("attributes")) module.attrs = read_dict();
  expect("{");
  read_module_body(module);
  module.loc_text = read_location().value_or("");
}

// #name = attribute; locations are also kept as written.
void ModuleReader::read_alias(Module& module) {
  const Token name = lexer_.take();
  expect("=");
  Attribute value = read_attribute();
  if (name.text.starts_with("#loc"))
    module.location_aliases.push_back(on_one_line(lexer_.text_from(name.offset)));
  else
    aliases_.insert_or_assign(std::string(name.text), std::move(value));
}

// Where private functions begin between here and the end of the module, of a program that leaves extents open.
void ModuleReader::note_private_functions() {
  if (!open_.is_active) return;
  const Lexer::Mark begin = lexer_.mark();
  while (!at(TokenKind::end) && !at("}")) {
    const Lexer::Mark function = lexer_.mark();
    if (at("{")) {
      lexer_.take_balanced('{', '}');
    } else if (eat("func.func") && eat("private") && at(TokenKind::symbol)) {
      called_later_.insert_or_assign(read_symbol(), function);
    } else if (!at("{") && !at(TokenKind::end) && !at("}")) {
      lexer_.take();
    }
  }
  lexer_.rewind(begin);
}

void ModuleReader::read_module_body(Module& module) {
  note_private_functions();
  while (!eat("}")) {
    context_ = "module";
    if (at(TokenKind::end)) fail_expected("'}'");
    if (at(TokenKind::hash))
      read_alias(module);
    else if (refusals_ != nullptr)
      read_or_refuse(module);
    else
      read_module_item(module);
  }
}

void ModuleReader::read_module_item(Module& module) {
  if (at(TokenKind::string)) return read_generic_item(module);
  if (at("func.func")) return read_function(module);
  if (at("sdy.mesh")) return read_mesh(module);
  if (at("module") || at("builtin.module"))
    fail("expected functions, found a module inside of a module", peek());
  fail_expected("func.func or sdy.mesh");
}

// sdy.mesh @mesh = [#sdy.mesh]<["a"=2]> {…}
void ModuleReader::read_mesh(Module& module) {
  const Token head = lexer_.take();
  context_ = head.text;
  ModuleItem item{.op = std::string(head.text), .symbol = {}, .attrs = {}, .raw = {}};
  const std::size_t symbol = peek().offset;
  item.symbol = read_symbol();
  const std::string written(lexer_.text_from(symbol));
  expect("=");
  if (at(TokenKind::hash) && peek().text == "#sdy.mesh") lexer_.take();
  const std::size_t begin = peek().offset;
  if (!at("<")) fail_expected("'<'");
  lexer_.take_balanced('<', '>');
  item.raw = cat(written, " = ", on_one_line(lexer_.text_from(begin)));
  if (at("{")) item.attrs = read_dict();
  read_location();
  module.items.push_back(std::move(item));
}

// --- Functions ----------------------------------------------------------------------------------

std::vector<ArgumentText> ModuleReader::read_arguments() {
  expect("(");
  return read_argument_list();
}

std::vector<ArgumentText> ModuleReader::read_argument_list() {
  std::vector<ArgumentText> arguments;
  if (eat(")")) return arguments;
  do {
    const Token name = expect(TokenKind::value, "an argument '%name: type'");
    expect(":");
    ArgumentText argument{.name = std::string(name.text.substr(1)),
                          .where = name,
                          .type = read_type(),
                          .attrs = {},
                          .location = {}};
    if (at("{")) argument.attrs = read_dict();
    argument.location = read_location().value_or("");
    arguments.push_back(std::move(argument));
  } while (eat(","));
  expect(")");
  return arguments;
}

// Of a function that is elsewhere: types) or type {attributes}, …)
void ModuleReader::read_declared_arguments() {
  do {
    (void)read_type();
    if (at("{")) (void)read_dict();
  } while (eat(","));
  expect(")");
}

std::vector<WrittenType> ModuleReader::read_function_results(Function& function) {
  if (!eat("->")) return {};
  std::vector<WrittenType> types;
  if (!at("(")) {
    types.push_back(read_type());
    function.res_attrs.emplace_back();
    return types;
  }
  lexer_.take();
  if (eat(")")) return types;
  do {
    types.push_back(read_type());
    function.res_attrs.push_back(at("{") ? read_dict() : Dict());
  } while (eat(","));
  expect(")");
  return types;
}

// Up to the closing brace.  Types of results without regard to what integers stand for are verified with
// the whole module.
void ModuleReader::read_function_body(Function& function,
                                      const std::vector<ArgumentText>& arguments,
                                      std::vector<WrittenType> results, const Token& where) {
  function.body = std::make_unique<Graph>();
  function_ = function.name;
  scopes_.push_back({.names = {}, .isolated = true});
  bind_arguments(*function.body, arguments);
  for (const ArgumentText& argument : arguments)
    function.arg_loc_texts.push_back(argument.location);
  const std::vector<WrittenValue> returned = read_block(*function.body, "func");
  scopes_.pop_back();
  for (std::size_t k = 0; k < results.size() && k < returned.size(); ++k)
    if (is_open(results[k]) && admits(results[k], returned[k].written()))
      results[k] = returned[k].written();
  function.result_types = stored(results);
  for (std::size_t k = 0; k < results.size() && k < returned.size(); ++k)
    if (!same(results[k].quantization, returned[k].quantization))
      fail(cat("expected result ", k, " of @", function.name, " of type ", to_string(results[k]),
               ", found ", to_string(returned[k].written())),
           where);
  Quantizations types{{}, quantizations(results)};
  for (const ArgumentText& argument : arguments)
    types.arguments.push_back(argument.type.quantization);
  calls_.define(function.name, std::move(types));
  if (instance_ != nullptr) instance_->results = std::move(results);
}

// Those of a public function as its user says, of another as it is called.
void ModuleReader::close_arguments(const Function& function, std::vector<ArgumentText>& arguments,
                                   const Token& where) {
  std::vector<WrittenType> types;
  for (const ArgumentText& argument : arguments) types.push_back(argument.type);
  if (called_ != nullptr) called_->expect_taken_by(types, lexer_.location(where));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    ArgumentText& argument = arguments[k];
    if (called_ != nullptr) {
      argument.type = called_->types[k];
      argument.value = called_->values[k];
      continue;
    }
    const std::string name = is_named(argument.name) ? argument.name : std::string();
    const SourceLocation at = lexer_.location(argument.where);
    argument.type = open_.argument(function.name, k, name, argument.type, at);
    argument.value = open_.value(k, name, argument.type);
  }
}

const CalledFunctions::Instance* ModuleReader::follow_call(WrittenOp& op) {
  const auto call = open_.is_active ? OpenShapes::call(op) : std::nullopt;
  if (!call || !called_later_.contains(call->callee)) return nullptr;
  const CalledFunctions::Instance& instance = read_called(*call);
  OpenShapes::redirect(op, instance.name, instance.results);
  return &instance;
}

const CalledFunctions::Instance& ModuleReader::read_called(const CallOfOpen& call) {
  CalledFunctions::Instance& instance = instances_.of(call, here());
  if (!instance.is_read) {
    // As if the function stood here.
    struct Outer {
      ModuleReader& reader;
      Lexer::Mark mark = reader.lexer_.mark();
      std::vector<Scope> scopes = std::exchange(reader.scopes_, {});
      std::string context = reader.context_, function = reader.function_;
      const CallOfOpen* called = reader.called_;
      CalledFunctions::Instance* instance = reader.instance_;
      ~Outer() {
        reader.lexer_.rewind(mark);
        reader.scopes_ = std::move(scopes);
        reader.context_ = context;
        reader.function_ = function;
        reader.called_ = called;
        reader.instance_ = instance;
      }
    };
    const Outer outer{*this};
    const Nested nested(*this);
    called_ = &call;
    instance_ = &instance;
    instances_.fill(instance, here(), [&] {
      lexer_.rewind(called_later_.at(call.callee));
      Module made;
      read_function(made);
      return made;
    });
  }
  return instance;
}

void ModuleReader::read_function(Module& module) {
  auto function = std::make_unique<Function>();
  const Token head = lexer_.take();
  function->location = lexer_.location(head);
  context_ = "func.func";
  function->is_public = !at("private");
  if (at("public") || at("private") || at("nested")) lexer_.take();
  function->name = read_symbol();
  expect("(");
  const bool has_types_alone = !function->is_public && !at(TokenKind::value) && !at(")");
  std::vector<ArgumentText> arguments;
  if (has_types_alone)
    read_declared_arguments();
  else
    arguments = read_argument_list();
  const std::vector<WrittenType> results = read_function_results(*function);
  if (eat("attributes")) function->attrs = read_dict();
  if (has_types_alone || (!at("{") && !function->is_public)) {
    (void)read_location();
    return;  // it is elsewhere, and nothing here can call it
  }
  if (!at("{")) fail_expected(cat("the body of @", function->name));
  if (called_ == nullptr && called_later_.contains(function->name)) {
    lexer_.take_balanced('{', '}');
    (void)read_location();
    return;
  }
  close_arguments(*function, arguments, head);
  if (instance_ != nullptr) function->name = instance_->name;
  lexer_.take();
  if (at(TokenKind::block)) fail("expected a body without block label, found one", peek());
  for (const ArgumentText& argument : arguments) function->arg_attrs.push_back(argument.attrs);
  read_function_body(*function, arguments, results, head);
  function->loc_text = read_location().value_or("");
  module.functions.push_back(std::move(function));
}

// --- Generic form -------------------------------------------------------------------------------

namespace {

std::string take_text(Dict& dict, const char* name) {
  std::string text = dict.text(name, "");
  dict.erase(name);
  return text;
}

}  // namespace

// "builtin.module"() <{sym_name = "m"}> ({ … }) {…} : () -> ()
void ModuleReader::read_generic_module(Module& module) {
  expect("(");
  expect(")");
  if (eat("<")) {
    Dict properties = read_dict();
    expect(">");
    if (const Attribute* name = properties.find("sym_name"); name && name->get_if<std::string>())
      module.name = take_text(properties, "sym_name");
  }
  expect("(");
  expect("{");
  if (at(TokenKind::block)) {
    lexer_.take();
    expect(":");
  }
  read_module_body(module);
  expect(")");
  context_ = "module";
  if (at("{")) module.attrs = read_dict();
  expect(":");
  read_function_type();
  module.loc_text = read_location().value_or("");
}

void ModuleReader::read_generic_item(Module& module) {
  const Token head = lexer_.take();
  const std::string name = unescape(head.text);
  context_ = name;
  if (name == "func.func") return read_generic_function(module, head);
  if (name != "sdy.mesh") fail("expected \"func.func\" or \"sdy.mesh\", found another op", head);
  expect("(");
  expect(")");
  Dict properties;
  if (eat("<")) {
    properties = read_dict();
    expect(">");
  }
  ModuleItem item{.op = name, .symbol = {}, .attrs = at("{") ? read_dict() : Dict(), .raw = {}};
  const Attribute* symbol = properties.find("sym_name");
  const Attribute* mesh = properties.find("mesh");
  constexpr std::string_view prefix = "#sdy.mesh";
  if (!symbol || !symbol->get_if<std::string>() || !mesh || !mesh->get_if<RawAttr>() ||
      !mesh->get_if<RawAttr>()->text.starts_with(prefix))
    fail("expected attributes 'sym_name' and 'mesh', found none", head);
  item.symbol = *symbol->get_if<std::string>();
  item.raw = cat("@", item.symbol, " = ", mesh->get_if<RawAttr>()->text.substr(prefix.size()));
  expect(":");
  read_function_type();
  read_location();
  module.items.push_back(std::move(item));
}

// "func.func"() <{function_type = …, sym_name = "f", …}> ({ ^bb0(…): … }) {…} : () -> ()
void ModuleReader::read_generic_function(Module& module, const Token& where) {
  auto function = std::make_unique<Function>();
  function->location = lexer_.location(where);
  expect("(");
  expect(")");
  Dict properties;
  if (eat("<")) {
    properties = read_dict();
    expect(">");
  }
  const Attribute* name = properties.find("sym_name");
  const Attribute* type = properties.find("function_type");
  if (!name || !name->get_if<std::string>() || !type || !type->get_if<RawAttr>())
    fail("expected attributes 'sym_name' and 'function_type', found none", where);
  function->name = *name->get_if<std::string>();
  const Attribute* visibility = properties.find("sym_visibility");
  function->is_public = !visibility || *visibility != Attribute("private");
  AttributeReader type_reader(type->get_if<RawAttr>()->text, lexer_.file(), where.line);
  const FunctionType signature = type_reader.read_function_type();

  expect("(");
  expect("{");
  std::vector<ArgumentText> arguments;
  if (at(TokenKind::block)) {
    lexer_.take();
    if (at("(")) arguments = read_arguments();
    expect(":");
  }
  close_arguments(*function, arguments, where);
  read_function_body(*function, arguments, signature.outputs, where);
  context_ = "func.func";
  expect(")");
  if (at("{")) function->attrs = read_dict();
  expect(":");
  read_function_type();
  function->loc_text = read_location().value_or("");
  if (!std::ranges::equal(signature.inputs, arguments,
                          [](const WrittenType& written, const ArgumentText& found) {
                            return admits(written, found.type);
                          }))
    fail(cat("expected arguments of @", function->name,
             " as in its function_type, found other types"),
         where);
  read_attribute_lists(*function, properties, where);
  module.functions.push_back(std::move(function));
}

// arg_attrs and res_attrs: one dictionary per argument or result.
void ModuleReader::read_attribute_lists(Function& function, const Dict& properties,
                                        const Token& where) {
  const auto fill = [&](const char* name, std::vector<Dict>& into, std::size_t count) {
    into.resize(count);
    const Attribute* found = properties.find(name);
    if (!found) return;
    const auto* list = found->get_if<List>();
    if (!list || list->items.size() != count)
      fail(cat("expected '", name, "' with ", count, " dictionaries"), where);
    for (std::size_t k = 0; k < count; ++k) {
      const auto* dict = list->items[k].get_if<Dict>();
      if (!dict) fail(cat("expected '", name, "' with dictionaries only"), where);
      into[k] = *dict;
    }
  };
  fill("arg_attrs", function.arg_attrs, std::size_t(function.body->argument_count()));
  fill("res_attrs", function.res_attrs, function.result_types.size());
}

// --- What cannot be read ------------------------------------------------------------------------

std::unique_ptr<Module> ModuleReader::read_partially(std::vector<Refusal>& refusals) {
  refusals_ = &refusals;
  return read();
}

void ModuleReader::read_or_refuse(Module& module) {
  const Lexer::Mark begin = lexer_.mark();
  const std::size_t scopes = scopes_.size();
  try {
    read_module_item(module);
  } catch (const Error&) {
    Refusal refusal{.function = {}, .error = std::current_exception()};
    lexer_.rewind(begin);
    scopes_.resize(scopes);
    if (!skip_function(refusal.function)) std::rethrow_exception(refusal.error);
    refusals_->push_back(std::move(refusal));
  }
}

// Passes over what looks like a function in pretty form, whatever is in it.
bool ModuleReader::skip_function(std::string& name) {
  if (!eat("func.func")) return false;
  if (at("public") || at("private") || at("nested")) lexer_.take();
  name = read_symbol();
  if (!at("(")) return false;
  lexer_.take_balanced('(', ')');
  while (!at("{")) {
    if (at(TokenKind::end) || at("}")) return false;
    if (at("("))
      lexer_.take_balanced('(', ')');
    else if (at("<"))
      lexer_.take_balanced('<', '>');
    else if (eat("attributes") && at("{"))
      lexer_.take_balanced('{', '}');
    else
      lexer_.take();
  }
  lexer_.take_balanced('{', '}');
  read_location();
  return true;
}

}  // namespace partita::ir
