// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/stablehlo/printer.hpp"

#include <algorithm>

#include "frontend/stablehlo/attribute_printer.hpp"

namespace partita::ir {

namespace {

std::string_view dialect_of(std::string_view op) { return op.substr(0, op.find('.')); }

// Attributes whose name belongs to a dialect ("jax.x") are discardable; the others are the op's own.
bool is_discardable(const NamedAttribute& attribute) {
  return attribute.name.find('.') != std::string::npos;
}

}  // namespace

// --- Parts --------------------------------------------------------------------------------------

void Printer::print_value(const Value& value) {
  const auto found = names_.find(value);
  if (found != names_.end()) {
    out_ += found->second;
    return;
  }
  // Only when a node is printed alone.
  out_ += names_.emplace(value, cat("%v", names_.size())).first->second;
}

void Printer::print_operands(const Node& node, std::size_t begin) {
  for (std::size_t k = begin; k < node.operands().size(); ++k) {
    if (k > begin) out_ += ", ";
    print_value(node.operand(k));
  }
}

void Printer::print_types(std::span<const Type> types) {
  for (std::size_t k = 0; k < types.size(); ++k) out_ += (k == 0 ? "" : ", ") + to_string(types[k]);
}

void Printer::print_operand_types(const Node& node) {
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    out_ += (k == 0 ? "" : ", ") + to_string(node.operand(k).type());
}

void Printer::print_function_type(const Node& node) {
  out_ += '(';
  print_operand_types(node);
  out_ += ") -> ";
  const bool is_single = node.result_count() == 1;
  if (!is_single) out_ += '(';
  print_types(node.result_types());
  if (!is_single) out_ += ')';
}

void Printer::print_location(const std::string& text) {
  if (options_.locations && !text.empty()) out_ += " loc(" + text + ")";
}

void Printer::name_arguments(const Graph& graph) {
  for (const Value& argument : graph.arguments()) names_[argument] = cat("%arg", next_argument_++);
}

void Printer::print_arguments(const Graph& graph) {
  out_ += '(';
  for (int k = 0; k < graph.argument_count(); ++k) {
    if (k > 0) out_ += ", ";
    print_value(graph.argument(k));
    out_ += ": " + to_string(graph.argument(k).type());
  }
  out_ += ')';
}

// --- Nodes and regions --------------------------------------------------------------------------

void Printer::print_result_names(const Node& node) {
  const int count = node.result_count();
  if (count == 0) return;
  const std::string name = cat("%", next_result_++);
  auto& mutable_node = const_cast<Node&>(node);  // only a key
  for (int k = 0; k < count; ++k)
    names_[mutable_node.result(k)] = count == 1 ? name : cat(name, "#", k);
  out_ += name;
  if (count > 1) out_ += ":" + std::to_string(count);
  out_ += " = ";
}

void Printer::print_node(const Node& node) {
  print_result_names(node);
  if (!print_pretty(node)) print_generic(node);
  print_location(node.loc_text);
}

void Printer::print_terminator(const Graph& graph, std::string_view dialect) {
  std::vector<Type> types;
  for (const Value& v : graph.results) types.push_back(v.type());
  const auto print_results = [&] {
    for (std::size_t k = 0; k < graph.results.size(); ++k) {
      if (k > 0) out_ += ", ";
      print_value(graph.results[k]);
    }
  };
  if (dialect == "mr") {
    out_ += "\"mr.return\"(";
    print_results();
    out_ += ") : (";
    print_types(types);
    out_ += ") -> ()";
    return;
  }
  out_ += dialect == "func" ? "return" : cat(dialect, ".return");
  if (types.empty()) return;
  out_ += ' ';
  print_results();
  out_ += " : ";
  print_types(types);
}

void Printer::print_body(const Graph& graph, std::string_view dialect) {
  ++indent_;
  for (const Node* node : graph.nodes()) {
    line();
    print_node(*node);
  }
  line();
  print_terminator(graph, dialect);
  --indent_;
  line();
}

void Printer::print_region(const Graph& graph, std::string_view dialect) {
  out_ += '{';
  name_arguments(graph);
  if (graph.argument_count() > 0) {
    line();
    out_ += "^bb0";
    print_arguments(graph);
    out_ += ':';
  }
  print_body(graph, dialect);
  out_ += '}';
}

// Fields of flattened structures go back into `group = #structure<…>`.
void Printer::print_properties(const Node& node, std::span<const NamedAttribute> attributes) {
  std::vector<NamedAttribute> direct;
  std::vector<std::pair<std::string, std::string>> groups;  // group, text
  for (const AttrSpec& spec : node.op().attrs) {
    const Attribute* value = spec.group.empty() ? nullptr : node.attrs.find(spec.name);
    if (!value) continue;
    auto group = std::ranges::find(groups, spec.group, &std::pair<std::string, std::string>::first);
    if (group == groups.end()) {
      groups.emplace_back(spec.group, cat("#", spec.structure, "<"));
      group = groups.end() - 1;
    }
    const auto* list = value->get_if<I64s>();
    const auto* integer = value->get_if<Integer>();
    if ((list && list->empty()) || (integer && integer->value == 0)) continue;
    if (!group->second.ends_with('<')) group->second += ", ";
    group->second += spec.name + " = ";
    if (list)
      print_integers(group->second, *list);
    else if (integer)
      group->second += std::to_string(integer->value);
    else
      print_attribute(group->second, *value, options_);
  }
  for (const NamedAttribute& attribute : attributes) {
    const auto spec = std::ranges::find(node.op().attrs, attribute.name, &AttrSpec::name);
    if (spec == node.op().attrs.end() || spec->group.empty()) direct.push_back(attribute);
  }
  for (auto& [group, text] : groups) direct.push_back({group, RawAttr{text + ">"}});
  std::ranges::sort(direct, {}, &NamedAttribute::name);
  print_entries(out_, direct, options_);
}

void Printer::print_generic(const Node& node) {
  out_ += cat("\"", node.name(), "\"(");
  print_operands(node);
  out_ += ')';
  const std::string_view dialect = dialect_of(node.name());
  // Dialects that MLIR does not know have no properties.
  const bool has_properties = dialect != "mr" && dialect != "check";
  std::vector<NamedAttribute> own, discardable;
  for (const NamedAttribute& attribute : node.attrs.items())
    (has_properties && !is_discardable(attribute) ? own : discardable).push_back(attribute);
  if (!own.empty()) {
    out_ += " <{";
    print_properties(node, own);
    out_ += "}>";
  }
  if (!node.regions().empty()) {
    out_ += " (";
    for (std::size_t k = 0; k < node.regions().size(); ++k) {
      if (k > 0) out_ += ", ";
      print_region(node.region(k), dialect);
    }
    out_ += ')';
  }
  if (!discardable.empty()) {
    out_ += " {";
    print_entries(out_, discardable, options_);
    out_ += '}';
  }
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_single(const Node& node) { print_node(node); }

// --- Functions and modules ----------------------------------------------------------------------

void Printer::print_signature(const Function& function) {
  out_ += cat("func.func ", function.is_public ? "public " : "private ");
  print_symbol(out_, function.name);
  out_ += '(';
  for (int k = 0; k < function.body->argument_count(); ++k) {
    const auto index = std::size_t(k);
    if (k > 0) out_ += ", ";
    print_value(function.body->argument(k));
    out_ += ": " + to_string(function.body->argument(k).type());
    if (index < function.arg_attrs.size() && !function.arg_attrs[index].empty()) {
      out_ += ' ';
      print_dict(out_, function.arg_attrs[index].items());
    }
    if (index < function.arg_loc_texts.size()) print_location(function.arg_loc_texts[index]);
  }
  out_ += ')';
  if (function.result_types.empty()) return;
  const auto has_attributes = [](const Dict& dict) { return !dict.empty(); };
  const bool in_parentheses =
      function.result_types.size() != 1 || std::ranges::any_of(function.res_attrs, has_attributes);
  out_ += " -> ";
  if (in_parentheses) out_ += '(';
  for (std::size_t k = 0; k < function.result_types.size(); ++k) {
    if (k > 0) out_ += ", ";
    out_ += to_string(function.result_types[k]);
    if (k >= function.res_attrs.size() || function.res_attrs[k].empty()) continue;
    out_ += ' ';
    print_dict(out_, function.res_attrs[k].items());
  }
  if (in_parentheses) out_ += ')';
}

void Printer::print_function(const Function& function) {
  names_.clear();
  next_argument_ = next_result_ = 0;
  name_arguments(*function.body);
  line();
  print_signature(function);
  if (!function.attrs.empty()) {
    out_ += " attributes ";
    print_dict(out_, function.attrs.items());
  }
  out_ += " {";
  print_body(*function.body, "func");
  out_ += '}';
  print_location(function.loc_text);
}

void Printer::print(const Module& module) {
  if (options_.locations)
    for (const std::string& alias : module.location_aliases) out_ += alias + "\n";
  out_ += "module";
  if (!module.name.empty()) {
    out_ += ' ';
    print_symbol(out_, module.name);
  }
  if (!module.attrs.empty()) {
    out_ += " attributes ";
    print_dict(out_, module.attrs.items());
  }
  out_ += " {";
  ++indent_;
  for (const ModuleItem& item : module.items) {
    line();
    out_ += item.op + " " + item.raw;
    if (item.attrs.empty()) continue;
    out_ += ' ';
    print_dict(out_, item.attrs.items());
  }
  for (const auto& function : module.functions) print_function(*function);
  --indent_;
  out_ += "\n}";
  print_location(module.loc_text);
  out_ += '\n';
}

std::string print_module(const Module& module, const PrintOptions& options) {
  Printer printer(options);
  printer.print(module);
  return printer.take();
}

std::string print_node(const Node& node) {
  Printer printer(PrintOptions{.locations = false, .max_dense_elements = 16});
  printer.print_single(node);
  return printer.take();
}

}  // namespace partita::ir
