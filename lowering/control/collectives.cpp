// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives and checks as plan steps.
#include "lowering/context/lowerings.hpp"

namespace partita::lowering {
namespace {

using ir::Node;
using ir::Value;

void lower_collective(Context& context, Node& node) {
  if (node.name().ends_with("_done")) {
    const Value token = node.operand(0);
    context.emit(CollectiveDone{context.request(token)}, step_name(node));
    // The values lie where the start step put them.
    for (int k = 0; k < node.result_count(); ++k)
      context.place(node.result(k), context.place_of({token.node, -1 - k}));
    return;
  }
  const int request = context.new_request(node.result());
  const std::string& axis = node.attrs.text("placement");
  context.placement_index(axis);
  if (node.is("mr.all_gather_start")) {
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Value v = node.operand(k);
      const Location from = context.memory(v), to = context.new_temporary(v.type(), "gathered");
      const std::int64_t inner = v.type().dims[0] == 0 ? 0 : v.type().count() / v.type().dims[0];
      context.emit(AllGatherStart{request,
                                  axis,
                                  v.type().dtype,
                                  inner,
                                  {from.buffer, from.offset},
                                  {to.buffer, to.offset}},
                   step_name(node));
      context.place({&node, -1 - int(k)}, to);
    }
    context.count("collectives");
    return;
  }
  AllReduceStart start{.request = request,
                       .axis = axis,
                       .combiner = *find_combiner(&CombinerInfo::mr, node.attrs.text("combiner")),
                       .dtype = node.operand(0).type().dtype};
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value v = node.operand(k);
    const Location to = context.new_temporary(v.type(), "reduced");
    context.emit_copy(context.memory(v), to, v.type(), "copy for all_reduce");
    start.pieces.push_back({{to.buffer, to.offset}, HostExpr(v.type().count())});
    context.place({&node, -1 - int(k)}, to);
  }
  context.count("collectives");
  context.emit(std::move(start), "all_reduce over " + axis);
}

void lower_check(Context& context, Node& node) {
  const Location at = context.memory(node.operand(0));
  context.emit(Check{{at.buffer, at.offset}, node.attrs.text("message")}, "check");
}

}  // namespace

void register_collectives_lowering(Lowerings& all) {
  all.add("mr.all_gather_done", lower_collective);
  all.add("mr.all_gather_start", lower_collective);
  all.add("mr.all_reduce_done", lower_collective);
  all.add("mr.all_reduce_start", lower_collective);
  all.add("mr.check", lower_check);
}

}  // namespace partita::lowering
