// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Reads modules, functions, regions and ops, in pretty and generic form; the upper half of the
// parser.  Every node is made by ir::create, so that what is read is verified where it stands.
#pragma once

#include <memory>
#include <unordered_map>

#include "frontend/stablehlo/attribute_reader.hpp"
#include "frontend/stablehlo/open_shapes.hpp"
#include "frontend/stablehlo/quantized_ops.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

/// An op as far as its text has been read.
struct OpText {
  std::string name;
  /// Null: of an op without nodes (is_quantizing_op, is_read_as_other).
  const OpDef* def = nullptr;
  Token where;
  struct ResultName {
    std::string name;
    int count;
    Token where;
  };
  std::vector<ResultName> results;
  std::vector<WrittenValue> operands;
  Dict attrs;
  std::vector<WrittenRegion> regions;
  std::optional<std::vector<WrittenType>> operand_types;  ///< as the text declares them
  std::vector<WrittenType> result_types;
};

/// An argument of a function or region as written.
struct ArgumentText {
  std::string name;
  Token where;
  WrittenType type;
  Dict attrs;
  std::string location;
  DenseRef value = nullptr;  ///< what it always is
};

class ModuleReader : public AttributeReader {
 public:
  using AttributeReader::AttributeReader;
  /// Before reading: for what the extents are that the text leaves open.  `open` outlives the reader.
  void read_for(const OpenArguments& open) { open_.begin(open); }
  /// The whole text: one module, or functions without one.
  std::unique_ptr<Module> read();
  /// The same without functions that cannot be read, which are named instead.
  std::unique_ptr<Module> read_partially(std::vector<Refusal>& refusals);

 private:
  // --- Modules and functions (read_module.cpp) ---
  void read_top_level(Module& module, bool& has_module);
  void read_alias(Module& module);
  void note_private_functions();
  void read_module_body(Module& module);
  void read_generic_module(Module& module);
  void read_module_item(Module& module);
  void read_or_refuse(Module& module);
  bool skip_function(std::string& name);
  void read_generic_item(Module& module);
  void read_function(Module& module);
  void read_generic_function(Module& module, const Token& where);
  std::vector<WrittenType> read_function_results(Function& function);
  /// A private function as it is called in one way.
  const CalledFunctions::Instance& read_called(const CallOfOpen& call);
  /// Null where the op calls none of those.
  const CalledFunctions::Instance* follow_call(WrittenOp& op);
  void close_arguments(const Function& function, std::vector<ArgumentText>& arguments,
                       const Token& where);
  void read_mesh(Module& module);
  std::vector<ArgumentText> read_arguments();
  std::vector<ArgumentText> read_argument_list();
  void read_declared_arguments();
  void read_function_body(Function& function, const std::vector<ArgumentText>& arguments,
                          std::vector<WrittenType> results, const Token& where);
  void read_attribute_lists(Function& function, const Dict& properties, const Token& where);

  // --- Names (read_op.cpp) ---
  using Named = std::vector<WrittenValue>;
  /// A tuple is what its elements are: no node makes or takes one apart.
  struct Tuple {
    std::optional<WrittenValue> value;  ///< not a tuple itself
    std::vector<Tuple> elements;
  };
  struct Scope {
    std::unordered_map<std::string, Named> names;
    bool isolated;
    std::unordered_map<std::string, Tuple> tuples = {};
  };
  /// Whether a value has more of a name than a number.
  [[nodiscard]] static bool is_named(std::string_view name);
  void define(const std::string& name, Named values, const Token& where);
  WrittenValue read_operand();
  std::vector<WrittenValue> read_operands(std::string_view close);

  // --- Tuples (read_tuple.cpp) ---
  void read_tuple(const OpText& op, bool is_generic);
  void read_tuple_element(const OpText& op, bool is_generic);
  Tuple read_tuple_operand();
  void expect_tuple_type(const Tuple& tuple);
  void define_tuple(const OpText& op, Tuple tuple);

  // --- Regions and ops (read_op.cpp) ---
  /// `dialect`: whose `return` ends the region.  What it returns.
  std::vector<WrittenValue> read_block(Graph& graph, std::string_view dialect);
  WrittenRegion read_region(const OpText& op);
  WrittenRegion read_region_with(const OpText& op, std::vector<ArgumentText> arguments);
  void bind_arguments(Graph& graph, const std::vector<ArgumentText>& arguments);
  std::vector<WrittenValue> read_terminator(std::string_view expected);
  void read_op(Graph& graph);
  void read_result_names(OpText& op);
  void start(OpText& op, std::string name, const Token& where);
  void read_generic(OpText& op);
  void finish(OpText& op, Graph& graph);
  void merge_dict(OpText& op, std::string_view close);

  // --- Pretty forms (read_pretty.cpp) ---
  using PrettyReader = void (ModuleReader::*)(OpText&);
  static PrettyReader pretty_reader(std::string_view op);
  void read_plain(OpText& op);
  void read_braced_attributes(OpText& op);
  void read_plain_items(OpText& op);
  void read_item(OpText& op);
  void read_types_tail(OpText& op);
  void apply_types(OpText& op, std::vector<WrittenType> types);
  EnumAttr read_enumeration(const OpText& op, std::string kind);
  void read_constant(OpText& op);
  void read_compare(OpText& op);
  void read_slice(OpText& op);
  void read_dot_general(OpText& op);
  void read_call(OpText& op);
  void read_custom_call(OpText& op);
  void read_composite(OpText& op);
  void read_reduce_precision(OpText& op);
  void read_top_k(OpText& op);
  void read_check(OpText& op);
  void read_check_item(OpText& op);

  // --- Pretty forms with regions and windows (read_pretty_regions.cpp) ---
  void read_reduce(OpText& op);
  void read_reducer(OpText& op);
  void read_while(OpText& op);
  void read_scan(OpText& op);
  void read_convolution(OpText& op);

  // --- Ops of Shardy (read_sdy.cpp) ---
  static PrettyReader sdy_reader(std::string_view op);
  Attribute read_bare_sharding();
  Attribute read_bare_shardings();
  void read_placed(OpText& op);
  void read_sharding_constraint(OpText& op);
  void read_sharding_group(OpText& op);
  void read_manual_computation(OpText& op);
  void read_named_computation(OpText& op);

  std::vector<Scope> scopes_;
  QuantizedCalls calls_;

  // Of programs that leave extents open.
  OpenShapes open_;
  std::map<std::string, Lexer::Mark, std::less<>> called_later_;  ///< where private functions begin
  CalledFunctions instances_;
  const CallOfOpen* called_ = nullptr;             ///< not null: the function is read for this
  CalledFunctions::Instance* instance_ = nullptr;  ///< and becomes that

  std::string function_;                      ///< whose body is being read
  const Module* module_ = nullptr;            ///< what is being read
  std::vector<Refusal>* refusals_ = nullptr;  ///< not null: go on after a function with errors
};

}  // namespace partita::ir
