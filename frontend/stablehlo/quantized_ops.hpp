// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What an op on quantized values becomes in a graph, which holds their integers alone: ops that move
// elements move integers; the others are an op on the numbers that the integers stand for, between
// conversions (StableHLO's dequantize_op_quantize).  Readers of text and of bytecode make all nodes here.
// Decision 0028 says why this is a matter of reading.
#pragma once

#include <map>

#include "frontend/stablehlo/quantization.hpp"
#include "partita/frontend/stablehlo.hpp"
#include "partita/ir/maker.hpp"

namespace partita::ir {

/// How the arguments and results of a region, a function or a call are quantized.
struct Quantizations {
  std::vector<QuantizationRef> arguments, results;
};
[[nodiscard]] std::vector<QuantizationRef> quantizations(const std::vector<WrittenType>& types);
[[nodiscard]] std::vector<QuantizationRef> quantizations(const std::vector<WrittenValue>& values);

struct WrittenRegion {
  std::unique_ptr<Graph> graph;
  Quantizations quantizations;
};

/// An op as a program says it.
struct WrittenOp {
  std::string name;
  std::vector<WrittenValue> operands;
  Dict attrs;
  std::vector<WrittenRegion> regions;
  std::vector<WrittenType> results;
  SourceLocation location;
  const Module* module = nullptr;  ///< as far as it has been read; whose meshes the op may name
};

/// Ops that convert between numbers and quantized values: there are no nodes of them.
[[nodiscard]] bool is_quantizing_op(std::string_view name);

/// Makes the op, verified as by ir::create, and gives its results.  Operands of reductions and scatters become
/// of the type that the region combines.
[[nodiscard]] std::vector<WrittenValue> create_written(Graph& graph, WrittenOp op);

// --- Parts (quantized_values.cpp, quantized_checks.cpp) ------------------------------------------

/// (integers - zero points) * scales, of expressed type.
[[nodiscard]] Value dequantize(const Maker& maker, Value integers, const Quantization& q);
/// numbers / scales + zero points, clamped, rounded to nearest even, of storage type.
[[nodiscard]] Value quantize(const Maker& maker, Value numbers, const Quantization& q);

[[noreturn]] void fail(const WrittenOp& op, const std::string& expected, const std::string& found);
// What StableHLO asks of quantized types, op by op; attributes are in their one form.

/// stablehlo.dot_general and convolutions.
void check_contraction(const WrittenOp& op);
/// Ops that move elements of their first `count` operands (0: of all).
void check_moved(const WrittenOp& op, std::size_t count);
/// Control flow.
void check_carried(const WrittenOp& op);
/// Reductions, scatters, sorts, maps.
void check_combined(const WrittenOp& op);
/// Their operands that are elements: of a scatter not the indices.
[[nodiscard]] std::vector<std::size_t> combined_operands(const WrittenOp& op);

// --- Calls --------------------------------------------------------------------------------------

/// Types of calls agree with those of functions; asked at the end, since callees may come later.
class QuantizedCalls {
 public:
  void define(const std::string& function, Quantizations types) {
    functions_.insert_or_assign(function, std::move(types));
  }
  /// Notes the op if it calls a function.
  void note(const WrittenOp& op, const std::string& caller);
  /// Fails where one does not agree, or takes its function out of the module and says so in `refusals`.
  void check(Module& module, std::vector<Refusal>* refusals) const;

 private:
  struct Call {
    std::string op, caller, callee;
    Quantizations types;
    SourceLocation location;
  };
  std::map<std::string, Quantizations> functions_;
  std::vector<Call> calls_;
};

}  // namespace partita::ir
