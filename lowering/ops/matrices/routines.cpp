// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Routines on matrices that the host computes: a step on stacks of matrices in memory.
#include "lowering/ops/matrices/matrix_steps.hpp"
#include "partita/ir/matrix_calls.hpp"

namespace partita::lowering {

using namespace kernel;

std::vector<Location> emit_host_call(Context& context, const ir::Node& node,
                                     const ir::StackedCall& stacked) {
  HostCall step{.call = stacked.call, .count = stacked.count()};
  for (const ir::Value& v : node.operands()) {
    const Location at = context.memory(v);
    step.operands.push_back({at.buffer, at.offset});
  }
  std::vector<Location> results;
  for (const Type& type : stacked.results()) {
    results.push_back(context.new_temporary(type, cat(step_name(node), "_", results.size())));
    step.results.push_back({results.back().buffer, results.back().offset});
  }
  if (step.count > 0) {
    context.emit(std::move(step), step_name(node));
    context.count("host_calls");
  }
  return results;
}

void lower_routine(Context& context, ir::Node& node) {
  const std::vector<Location> results = emit_host_call(context, node, ir::stacked_call(node));
  for (std::size_t k = 0; k < results.size(); ++k) context.place(node.result(int(k)), results[k]);
}

bool lower_on_host(Context& context, ir::Node& node, MatrixCall call, std::int64_t small) {
  const ValuePolicy& policy = context.policy();
  const Dims& dims = node.operand(0).type().dims;
  if (!policy.host_computes() || dims.back() <= small) return false;
  const std::size_t rank_of_stack = dims.size() - 2;
  for (const ir::Value& v : node.operands()) {
    const Type& type = v.type();
    // Of small floats LAPACK has none.
    if (type.dtype != accumulator_dtype(type.dtype)) return false;
    call.operands.push_back(
        {.dtype = type.dtype,
         .dims = Dims(type.dims.begin() + std::ptrdiff_t(rank_of_stack), type.dims.end())});
  }
  const Dims stack(dims.begin(), dims.begin() + std::ptrdiff_t(rank_of_stack));
  const std::vector<Location> results =
      emit_host_call(context, node, {.call = std::move(call), .stack = stack});
  for (std::size_t k = 0; k < results.size(); ++k) context.place(node.result(int(k)), results[k]);
  return true;
}

}  // namespace partita::lowering
