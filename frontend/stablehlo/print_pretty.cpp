// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Pretty forms, where MLIR has one and it is easy.
#include <algorithm>
#include <array>

#include "frontend/stablehlo/attribute_printer.hpp"
#include "frontend/stablehlo/pretty_items.hpp"
#include "frontend/stablehlo/printer.hpp"
#include "partita/ir/sharding.hpp"
#include "partita/scalar/elementwise.hpp"

namespace partita::ir {

namespace {

// Ops whose pretty form ends in "(T, U) -> V" always.
constexpr std::array<std::string_view, 9> functional{"stablehlo.broadcast_in_dim",
                                                     "stablehlo.transpose",
                                                     "stablehlo.reshape",
                                                     "stablehlo.concatenate",
                                                     "stablehlo.pad",
                                                     "stablehlo.dynamic_slice",
                                                     "stablehlo.dynamic_update_slice",
                                                     "stablehlo.bitcast_convert",
                                                     "stablehlo.fft"};
// Ops whose pretty form ends in "T" where all types are equal, else in "(T, U) -> V".
constexpr std::array<std::string_view, 4> same_type{
    "stablehlo.convert", "stablehlo.reverse", "stablehlo.iota", "stablehlo.optimization_barrier"};
// What MLIR takes after `applies`.
constexpr std::array<std::string_view, 7> combiners{
    "stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
    "stablehlo.and", "stablehlo.or",       "stablehlo.xor"};

bool has_name(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Whether the region only combines its two arguments by one op that MLIR can name.
bool is_compact(const Graph& region) {
  if (region.argument_count() != 2 || region.nodes().size() != 1 || region.results.size() != 1)
    return false;
  const Node& node = *region.nodes().front();
  return has_name(combiners, node.name()) && node.attrs.empty() &&
         node.operands() == region.arguments() && region.results.front().node == &node;
}

bool are_equal(const Node& node) {
  const Type& type = node.result_types().front();
  return std::ranges::all_of(node.operands(), [&](const Value& v) { return v.type() == type; });
}

// The first of the op's rows, or null where the op is not elementwise.
const ElementwiseRow* row_of(std::string_view op) {
  const auto row = std::ranges::find(elementwise_rows(), op, &ElementwiseRow::op);
  return row == elementwise_rows().end() ? nullptr : &*row;
}

bool is_item_of(std::string_view op, std::string_view attribute) {
  return std::ranges::any_of(pretty_items,
                             [&](const Item& i) { return i.op == op && i.attribute == attribute; });
}

}  // namespace

bool Printer::print_pretty(const Node& node) {
  using Form = void (Printer::*)(const Node&);
  struct Row {
    std::string_view op;
    Form form;
  };
  static constexpr std::array rows{
      Row{"stablehlo.constant", &Printer::print_constant},
      Row{"stablehlo.compare", &Printer::print_compare},
      Row{"stablehlo.slice", &Printer::print_slice},
      Row{"stablehlo.dot_general", &Printer::print_dot_general},
      Row{"stablehlo.convolution", &Printer::print_convolution},
      Row{"stablehlo.while", &Printer::print_while},
      Row{"stablehlo.composite", &Printer::print_composite},
      Row{"stablehlo.custom_call", &Printer::print_custom_call},
      Row{"func.call", &Printer::print_call},
      Row{"sdy.sharding_constraint", &Printer::print_sharding_constraint},
      Row{"sdy.reshard", &Printer::print_sharding_constraint},
  };
  const std::string_view name = node.name();
  if (name == "stablehlo.reduce") {
    if (node.operands().size() != 2 || !is_compact(node.region(0))) return false;
    print_reduce(node);
    return true;
  }
  for (const Row& row : rows) {
    if (row.op != name) continue;
    (this->*row.form)(node);
    return true;
  }
  // MLIR has no forms of its own for ops of a dialect that it does not know.
  const bool is_row = row_of(name) != nullptr && !name.starts_with("mr.");
  const bool is_plain = has_name(functional, name) || has_name(same_type, name) || is_row;
  if (!is_plain || node.result_count() == 0) return false;
  print_plain(node);
  return true;
}

void Printer::print_other_attributes(const Node& node,
                                     std::initializer_list<std::string_view> named) {
  std::vector<NamedAttribute> others;
  for (const NamedAttribute& attribute : node.attrs.items())
    if (std::ranges::find(named, attribute.name) == named.end() &&
        !is_item_of(node.name(), attribute.name))
      others.push_back(attribute);
  if (others.empty()) return;
  out_ += ' ';
  print_dict(out_, others, options_);
}

void Printer::print_plain(const Node& node) {
  const std::string_view name = node.name();
  const bool attributes_lead = name == "stablehlo.optimization_barrier";
  out_ += name;
  if (attributes_lead) print_other_attributes(node, {});
  out_ += ' ';
  print_operands(node);
  bool is_first = node.operands().empty();
  for (const Item& item : pretty_items) {
    const Attribute* value = item.op == name ? node.attrs.find(item.attribute) : nullptr;
    if (!value) continue;
    out_ += cat(is_first ? "" : ", ", item.key, " = ");
    is_first = false;
    if (const auto* list = value->get_if<I64s>())
      print_integers(out_, *list);
    else if (const auto* integer = value->get_if<Integer>())
      out_ += std::to_string(integer->value);
    else if (const auto* enumeration = value->get_if<EnumAttr>())
      out_ += enumeration->value;
    else
      print_attribute(out_, *value);
  }
  if (!attributes_lead) print_other_attributes(node, {});
  out_ += " : ";
  const ElementwiseRow* row = row_of(name);
  if (name.starts_with("chlo.")) {
    print_operand_types(node);
    out_ += " -> ";
    print_types(node.result_types());
  } else if (name == "stablehlo.optimization_barrier") {
    print_types(node.result_types());
  } else if (name == "stablehlo.select") {
    out_ += cat(to_string(node.operand(0).type()), ", ", to_string(node.result_types()[0]));
  } else if (!has_name(functional, name) &&
             (are_equal(node) || (row && row->signature == Signature::compose))) {
    print_types(node.result_types());
  } else {
    print_function_type(node);
  }
}

void Printer::print_constant(const Node& node) {
  out_ += "stablehlo.constant";
  print_other_attributes(node, {"value"});
  out_ += ' ';
  print_attribute(out_, *node.attrs.find("value"), options_);
}

void Printer::print_compare(const Node& node) {
  out_ += cat("stablehlo.compare ", node.attrs.text("comparison_direction"), ", ");
  print_operands(node);
  if (node.attrs.contains("compare_type")) out_ += ", " + node.attrs.text("compare_type");
  print_other_attributes(node, {"comparison_direction", "compare_type"});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_slice(const Node& node) {
  out_ += "stablehlo.slice ";
  print_operands(node);
  out_ += " [";
  const I64s& begin = node.attrs.i64s("start_indices");
  const I64s& end = node.attrs.i64s("limit_indices");
  const I64s& step = node.attrs.i64s("strides");
  for (std::size_t k = 0; k < begin.size(); ++k) {
    out_ += cat(k == 0 ? "" : ", ", begin[k], ":", end[k]);
    if (step[k] != 1) out_ += cat(":", step[k]);
  }
  out_ += ']';
  print_other_attributes(node, {"start_indices", "limit_indices", "strides"});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_dot_general(const Node& node) {
  out_ += "stablehlo.dot_general ";
  print_operands(node);
  const auto print_pair = [&](const char* key, const char* left, const char* right) {
    out_ += cat(", ", key, " = ");
    print_integers(out_, node.attrs.i64s_or_empty(left));
    out_ += " x ";
    print_integers(out_, node.attrs.i64s_or_empty(right));
  };
  if (!node.attrs.i64s_or_empty("lhs_batching_dimensions").empty())
    print_pair("batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions");
  print_pair("contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions");
  bool is_precision_named = true;
  if (const Attribute* precision = node.attrs.find("precision_config")) {
    const auto* list = precision->get_if<List>();
    const auto is_enum = [](const Attribute& a) { return a.get_if<EnumAttr>() != nullptr; };
    is_precision_named = list && !list->items.empty() && std::ranges::all_of(list->items, is_enum);
    if (is_precision_named) {
      out_ += ", precision = [";
      for (std::size_t k = 0; k < list->items.size(); ++k)
        out_ += cat(k == 0 ? "" : ", ", list->items[k].get_if<EnumAttr>()->value);
      out_ += ']';
    }
  }
  constexpr std::string_view prefix = "#stablehlo.dot_algorithm";
  const Attribute* algorithm = node.attrs.find("algorithm");
  const auto* raw = algorithm ? algorithm->get_if<RawAttr>() : nullptr;
  const bool is_algorithm_named = raw && raw->text.starts_with(cat(prefix, "<"));
  if (is_algorithm_named) out_ += cat(", algorithm = ", raw->text.substr(prefix.size()));
  print_other_attributes(
      node, {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
             "rhs_contracting_dimensions", is_precision_named ? "precision_config" : "",
             is_algorithm_named ? "algorithm" : ""});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_reduce(const Node& node) {
  out_ += "stablehlo.reduce(";
  print_value(node.operand(0));
  out_ += " init: ";
  print_value(node.operand(1));
  out_ += cat(") applies ", node.region(0).nodes().front()->name(), " across dimensions = ");
  print_integers(out_, node.attrs.i64s("dimensions"));
  print_other_attributes(node, {"dimensions"});
  out_ += " : ";
  print_function_type(node);
}

// Both regions name their arguments alike.
void Printer::print_while(const Node& node) {
  const Graph& condition = node.region(0);
  const Graph& body = node.region(1);
  name_arguments(condition);
  out_ += "stablehlo.while(";
  for (int k = 0; k < condition.argument_count(); ++k) {
    const std::string name = names_.at(condition.argument(k));
    names_[body.argument(k)] = name;
    out_ += cat(k == 0 ? "" : ", ", name, " = ");
    print_value(node.operand(std::size_t(k)));
  }
  out_ += ')';
  if (node.result_count() > 0) {
    out_ += " : ";
    print_types(node.result_types());
  }
  if (!node.attrs.empty()) {
    out_ += " attributes ";
    print_dict(out_, node.attrs.items(), options_);
  }
  line();
  out_ += "cond {";
  print_body(condition, "stablehlo");
  out_ += "} do {";
  print_body(body, "stablehlo");
  out_ += '}';
}

void Printer::print_call(const Node& node) {
  out_ += "func.call ";
  print_symbol(out_, node.attrs.text("callee"));
  out_ += '(';
  print_operands(node);
  out_ += ')';
  print_other_attributes(node, {"callee"});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_custom_call(const Node& node) {
  out_ += "stablehlo.custom_call ";
  print_symbol(out_, node.attrs.text("call_target_name"));
  out_ += '(';
  print_operands(node);
  out_ += ')';
  print_other_attributes(node, {"call_target_name"});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_composite(const Node& node) {
  out_ += "stablehlo.composite ";
  print_attribute(out_, *node.attrs.find("name"));
  out_ += ' ';
  print_operands(node);
  print_other_attributes(node, {"name"});
  out_ += " : ";
  print_function_type(node);
}

void Printer::print_sharding_constraint(const Node& node) {
  constexpr std::string_view prefix = "#sdy.sharding";
  const Sharding* sharding = sharding_in(node.attrs.find("sharding"));
  if (!sharding) return print_generic(node);
  out_ += cat(node.name(), " ");
  print_operands(node);
  out_ += cat(" ", to_text(*sharding).substr(prefix.size()));
  print_other_attributes(node, {"sharding"});
  out_ += " : ";
  print_types(node.result_types());
}

}  // namespace partita::ir
