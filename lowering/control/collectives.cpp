// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Collectives and checks as plan steps.
#include <algorithm>

#include "lowering/context/lowerings.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/collectives.hpp"
#include "partita/ir/mesh.hpp"

namespace partita::lowering {
namespace {

using ir::Node;
using ir::Value;

/// Copies of the operands, which the call combines in place.
AllReduceStart begin_all_reduce(Context& context, Node& node, int request) {
  AllReduceStart start{.request = request,
                       .combiner = *find_combiner(&CombinerInfo::mr, node.attrs.text("combiner")),
                       .dtype = node.operand(0).type().dtype,
                       .wire = {.format = *find_wire_format(node.attrs.text("wire", "f32")),
                                .feeds_back = node.attrs.flag("feeds_back")}};
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value v = node.operand(k);
    const Location to = context.new_temporary(v.type(), "reduced");
    context.emit_copy(context.memory(v), to, v.type(), "copy for all_reduce");
    start.pieces.push_back({{to.buffer, to.offset}, HostExpr(v.type().count())});
    context.place({&node, -1 - int(k)}, to);
  }
  return start;
}

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
      context.emit(AllGatherStart{request,
                                  axis,
                                  v.type().dtype,
                                  partition_count(v.type()),
                                  {from.buffer, from.offset},
                                  {to.buffer, to.offset}},
                   step_name(node));
      context.place({&node, -1 - int(k)}, to);
    }
    context.count("collectives");
    return;
  }
  AllReduceStart start = begin_all_reduce(context, node, request);
  start.axis = axis;
  context.count("collectives");
  context.emit(std::move(start), "all_reduce over " + axis);
}

// --- Groups of a mesh ---------------------------------------------------------------------------

std::vector<ir::I64s> lists_of(const Node& node) {
  const bool is_permutation = ir::mesh_collective(node) == ir::MeshCollective::permute;
  return *ir::id_lists(node.attrs, is_permutation ? "pairs" : "groups");
}

GroupCall call_of(const Node& node) {
  return GroupCall(std::ranges::find(group_call_names, node.attrs.text("kind")) -
                   group_call_names.begin());
}

void lower_mesh_all_reduce(Context& context, Node& node, int request) {
  AllReduceStart start = begin_all_reduce(context, node, request);
  start.groups = context.group_list(lists_of(node));
  context.emit(std::move(start), "all_reduce over the mesh");
}

/// Memory that keeps the value until the collective is waited for: a copy, unless nothing writes there.  (Copies
/// that nothing needs disappear later.)
Location sent(Context& context, Value v) {
  const Location at = context.memory(v);
  const BufferKind kind = context.plan().buffers[std::size_t(at.buffer)].kind;
  if (kind == BufferKind::input || kind == BufferKind::constant) return at;
  const Location copy = context.new_temporary(v.type(), "sent");
  context.emit_copy(at, copy, v.type(), "copy to send");
  return copy;
}

/// What the collective takes and gives: slices or blocks of so many elements.
void lower_group_call(Context& context, Node& node, int request) {
  const Value v = node.operand(0);
  const std::vector<ir::I64s> lists = lists_of(node);
  Type result = v.type();
  if (call_of(node) == GroupCall::all_gather)
    result.dims.insert(result.dims.begin(), std::ssize(lists[0]));
  if (call_of(node) == GroupCall::reduce_scatter) result.dims.erase(result.dims.begin());
  GroupStart start{.request = request,
                   .call = call_of(node),
                   .groups = context.group_list(lists),
                   .dtype = v.type().dtype};
  if (node.attrs.contains("combiner"))
    start.combiner = *find_combiner(&CombinerInfo::mr, node.attrs.text("combiner"));
  start.elements = std::min(v.type().count(), result.count());
  if (start.call == GroupCall::all_to_all) start.elements /= std::ssize(lists[0]);
  const Location from = sent(context, v), to = context.new_temporary(result, "exchanged");
  start.from = {from.buffer, from.offset};
  start.to = {to.buffer, to.offset};
  context.place({&node, -1}, to);
  context.emit(std::move(start), cat(to_string(call_of(node)), " over the mesh"));
}

void lower_mesh_start(Context& context, Node& node) {
  const int request = context.new_request(node.result());
  if (call_of(node) == GroupCall::all_reduce)
    lower_mesh_all_reduce(context, node, request);
  else
    lower_group_call(context, node, request);
  context.count("collectives");
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
  all.add("mr.mesh_done", lower_collective);
  all.add("mr.mesh_start", lower_mesh_start);
  all.add("mr.shard_index", [](Context&, Node&) {});  // a host scalar
}

}  // namespace partita::lowering
