// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Custom calls @partita.host_call: functions of the host application, by name (partita/base/host_function.hpp).
#include "partita/ir/host_call.hpp"

#include "ops/processes/collective_support.hpp"
#include "ops/support/custom_call.hpp"
#include "partita/base/host_function.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::ir::ops {
namespace {

std::vector<Type> infer(const InferContext& c) {
  c.expect(read_host_call(c.attrs).has_value(),
           "backend_config = {function = \"NAME\"}, with once = true or without", "another");
  for (const auto& types : {c.operands, c.declared_results})
    for (const Type& type : types) c.expect(!type.is_token, "arrays", to_string(type));
  return {c.declared_results.begin(), c.declared_results.end()};
}

/// Whether this process is the one of those that run the program which calls.
bool is_first(const EvalContext& c) {
  return !shard_mesh(c.interpreter.module()) || grid_of(c).self == 0;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const HostCallConfig config = *read_host_call(c.node.attrs);
  std::vector<HostArray> arrays;
  for (const Type& type : c.node.result_types()) arrays.emplace_back(type);
  if (!config.once || is_first(c)) {
    std::vector<Type> operand_types;
    std::vector<const std::byte*> operands;
    for (const Tensor& operand : c.operands) {
      operand_types.push_back(operand->type);
      operands.push_back(operand->bytes.data());
    }
    std::vector<std::byte*> results;
    for (HostArray& array : arrays) results.push_back(array.bytes.data());
    call_host_function(*get_host_function(config.function), operand_types, c.node.result_types(),
                       std::move(operands), std::move(results));
  }
  std::vector<Tensor> tensors;
  for (HostArray& array : arrays)
    tensors.push_back(std::make_shared<const HostArray>(std::move(array)));
  return tensors;
}

}  // namespace

void register_host_call(OpRegistry& registry) {
  OpDef op = custom_call_target(host_call_target,
                                "A function that the host application registered as `function`, on "
                                "its arrays; in order with others.  Every shard "
                                "that runs it calls, or where it says `once` the first one alone, "
                                "whose results the others have too.");
  op.infer = infer;
  op.eval = eval;
  op.shape = KernelShape::procedure;
  op.has_side_effect = true;
  op.derivative = Derivative::none("is computed by a function of the host application");
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
