// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Prints modules as MLIR text.  Values are numbered anew: arguments %arg0, %arg1, …, results %0,
// %1, …, over a whole function, so that equal modules give equal text.
#pragma once

#include <string>

#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}
  void print(const Module& module);
  /// One node; its operands get numbers too where they have none.
  void print_single(const Node& node);
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  // --- Structure (printer.cpp) ---
  void print_function(const Function& function);
  void print_signature(const Function& function);
  void print_body(const Graph& graph, std::string_view dialect);
  void print_node(const Node& node);
  void print_terminator(const Graph& graph, std::string_view dialect);
  void print_region(const Graph& graph, std::string_view dialect);
  void print_generic(const Node& node);
  void print_properties(const Node& node, std::span<const NamedAttribute> attributes);
  void print_result_names(const Node& node);

  // --- Pretty forms (print_pretty.cpp) ---
  /// False where the node has none: then it is printed in generic form.
  bool print_pretty(const Node& node);
  void print_plain(const Node& node);
  void print_constant(const Node& node);
  void print_compare(const Node& node);
  void print_slice(const Node& node);
  void print_dot_general(const Node& node);
  void print_convolution(const Node& node);  ///< print_convolution.cpp
  void print_reduce(const Node& node);
  void print_while(const Node& node);
  void print_call(const Node& node);
  void print_composite(const Node& node);
  void print_custom_call(const Node& node);
  void print_sharding_constraint(const Node& node);
  /// " {…}" of the attributes that the pretty form does not name.
  void print_other_attributes(const Node& node, std::initializer_list<std::string_view> named);

  // --- Parts ---
  void line() { out_.append("\n").append(std::size_t(indent_) * 2, ' '); }
  void print_value(const Value& value);
  void print_operands(const Node& node, std::size_t begin = 0);
  void print_types(std::span<const Type> types);
  void print_operand_types(const Node& node);
  /// "(T, U) -> V"
  void print_function_type(const Node& node);
  void print_location(const std::string& text);
  void name_arguments(const Graph& graph);
  void print_arguments(const Graph& graph);

  PrintOptions options_;
  std::string out_;
  int indent_ = 0;
  int next_argument_ = 0, next_result_ = 0;
  ValueMap<std::string> names_;
};

}  // namespace partita::ir
