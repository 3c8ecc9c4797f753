// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Builds a module from the ops of a bytecode file.  Every node is made by ir::create, as the text
// parser does, so that both forms are verified alike.
#pragma once

#include <memory>

#include "frontend/stablehlo/bytecode_values.hpp"
#include "frontend/stablehlo/open_shapes.hpp"
#include "frontend/stablehlo/quantized_ops.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir {

/// Whether these are the first bytes of a bytecode file.
[[nodiscard]] bool is_bytecode(std::string_view bytes);

class BytecodeModuleReader {
 public:
  /// `bytes` and `file` must outlive the reader.
  BytecodeModuleReader(std::span<const std::byte> bytes, std::string_view file);
  std::unique_ptr<Module> read();
  /// Before reading: for what the extents are that the artifact leaves open.  `open` outlives the reader.
  void read_for(const OpenArguments& open) { open_.begin(open); }
  /// The same without functions that cannot be read, which are named instead.
  std::unique_ptr<Module> read_partially(std::vector<Refusal>& refusals);

 private:
  /// An op up to its regions.
  struct Op {
    std::string artifact_name, name;  ///< "vhlo.add_v1", "stablehlo.add"
    Dict attrs;
    std::vector<WrittenValue> operands;
    std::vector<WrittenType> result_types;
    std::size_t first_result = 0;  ///< number of its first value
    std::size_t region_count = 0;
    bool is_isolated = false;
    std::string location;
  };
  /// Numbering of values: regions that are not isolated continue that of their surroundings.
  struct Scope {
    std::vector<WrittenValue> values;
    std::size_t next = 0;
  };

  Op read_head(ByteStream& in);
  void read_attributes(Op& op, std::uint8_t mask, std::size_t name_index, ByteStream& in);
  void read_properties(Op& op, std::size_t name_index, ByteStream& in);
  void read_result_types(Op& op, ByteStream& in);
  void read_operands(Op& op, ByteStream& in);
  void skip_use_list(ByteStream& in, std::size_t count);
  [[nodiscard]] std::string unknown_op(const std::string& name) const;

  void define(std::size_t index, WrittenValue value, const ByteStream& in);
  /// Calls `read` with the stream of the op's regions, in a scope of their own where isolated.
  template <class Read>
  void with_regions(const Op& op, ByteStream& in, const Read& read);
  /// A region of one block: its arguments, then each of its ops by `read_op`.
  template <class ReadOp>
  void read_block(ByteStream& in, WrittenRegion* region, const ReadOp& read_op);
  void read_arguments(ByteStream& in, WrittenRegion* region);
  [[nodiscard]] WrittenType closed_argument(std::size_t index, const WrittenType& written,
                                            DenseRef& value, const ByteStream& in);
  [[nodiscard]] bool has_open_types();
  const CalledFunctions::Instance* follow_call(WrittenOp& op);
  /// Without a graph where there is no block.
  WrittenRegion read_region(ByteStream& in, bool may_be_empty = false);

  void read_module_op(Module& module, ByteStream& in);
  void note_private_functions(ByteStream in);
  void read_item(Module& module, ByteStream& in);
  void read_function(Module& module, const Op& op, ByteStream& in);
  bool read_body(Function& function, const Op& op, ByteStream& in);
  void read_mesh(Module& module, const Op& op, const ByteStream& in);
  void read_node(WrittenRegion& region, bool& is_ended, ByteStream& in);
  void finish_node(Graph& graph, Op op, std::vector<WrittenRegion> regions, const ByteStream& in);
  void read_cast(const Op& op, const ByteStream& in);

  std::string_view file_;
  BytecodeTables tables_;
  BytecodeValues values_;
  std::vector<Scope> scopes_;
  std::vector<std::string> argument_locations_;  ///< of the block that was read last
  QuantizedCalls calls_;

  // Of programs that leave extents open.
  OpenShapes open_;
  /// A private function with its regions, to be read where it is called.
  struct Later {
    Op op;
    ByteStream regions;
  };
  std::map<std::string, Later> called_later_;
  CalledFunctions instances_;
  const CallOfOpen* called_ = nullptr;                  ///< not null: the function is read for this
  CalledFunctions::Instance* instance_ = nullptr;       ///< and becomes that
  bool at_function_ = false;                            ///< the next arguments are a function's
  const std::vector<WrittenValue>* carried_ = nullptr;  ///< of the loop whose regions are read next

  std::string function_;  ///< whose body is being read
  const Module* module_ = nullptr;
  int depth_ = 0;
  std::vector<Refusal>* refusals_ = nullptr;  ///< not null: go on after a function with errors
};

}  // namespace partita::ir
