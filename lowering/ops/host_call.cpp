// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Functions of the host application: a step on arrays in memory.
#include "partita/ir/host_call.hpp"

#include "lowering/context/context.hpp"
#include "lowering/context/lowerings.hpp"
#include "partita/base/error.hpp"

namespace partita::lowering {
namespace {

using namespace kernel;

void lower_host_call(Context& context, ir::Node& node) {
  const ir::HostCallConfig config = *ir::read_host_call(node.attrs);
  FunctionCall step{.function = config.function, .once = config.once};
  for (const ir::Value& v : node.operands()) {
    const Location at = context.memory(v);
    step.operands.push_back({at.buffer, at.offset});
    step.operand_types.push_back(v.type());
  }
  for (int k = 0; k < node.result_count(); ++k) {
    const Type& type = node.result(k).type();
    const Location at = context.new_temporary(type, cat(step_name(node), "_", k));
    step.results.push_back({at.buffer, at.offset});
    step.result_types.push_back(type);
    context.place(node.result(k), at);
  }
  context.emit(std::move(step), config.function);
  context.count("host_calls");
}

}  // namespace

void register_host_call_lowering(Lowerings& all) {
  all.add(cat("stablehlo.custom_call @", ir::host_call_target), lower_host_call);
}

}  // namespace partita::lowering
