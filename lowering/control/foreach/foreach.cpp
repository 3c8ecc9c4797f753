// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over the partitions of a placement, block by block.
#include "ir/core/placement_support.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/control/foreach/folds.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

void lower_foreach(Context& context, Node& node) {
  const bool is_split = !context.is_within_partitions();
  const std::string& placement = node.attrs.text("placement");
  const std::int64_t block = node.attrs.i64("block");
  const bool has_lanes = block > 1;
  const auto sliced = std::size_t(node.attrs.i64s("operand_segments")[0]);
  const Graph& body = node.region(0);
  const auto* kinds = node.attrs.find("results")->get_if<ir::List>();
  const std::int64_t size = transforms::declared_size(context.module(), placement);

  int placement_number = -1;
  HostExpr begin(0), end(size);
  if (is_split) {
    placement_number = context.placement_index(placement);
    const Placement& p = context.plan().placements[std::size_t(placement_number)];
    begin = HostExpr::variable(p.begin_variable);
    end = HostExpr::variable(p.end_variable);
  }
  const int iv = context.new_variable(placement + ".i");
  const HostExpr first = HostExpr::variable(iv);
  const HostExpr count = has_lanes ? min(HostExpr(block), end - first) : HostExpr(1);
  context.set_host_value(body.argument(0), first);
  context.set_host_value(body.argument(1), count);

  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value argument = body.argument(int(k) + 2), operand = node.operand(k);
    if (k >= sliced) {
      if (context.is_host(operand))
        context.set_host_value(argument, context.host_value(operand));
      else
        context.place(argument, context.memory(operand));
      continue;
    }
    const Location at = context.memory(operand);
    context.place(operand, at);
    context.add_slice(argument, {operand, context.is_split(operand) ? first - begin : first, count,
                         has_lanes});
  }

  // Results: accumulators start from the identity, stacked ones hold this shard's block.
  std::vector<Location> results;
  for (std::size_t k = 0; k < node.result_types().size(); ++k) {
    const Type& type = node.result_types()[k];
    const std::string& kind = *kinds->items[k].get_if<std::string>();
    if (kind != "stack") {
      results.push_back(context.new_temporary(type, cat(kind, " over ", placement)));
      lower_fill(context, results[k], type, fold_identity(kind, type.dtype));
    } else if (is_split) {
      const std::int64_t inner = type.dims[0] == 0 ? 0 : type.count() / type.dims[0];
      results.push_back({context.new_buffer(BufferKind::block, type.dtype, (end - begin) * HostExpr(inner),
                                    "stack over " + placement),
                         0});
    } else {
      results.push_back(context.new_temporary(type, "stack over " + placement));
    }
  }
  For loop{.variable = iv, .begin = begin, .end = end, .step = block};
  loop.body = context.capture_partitions([&] {
    context.lower_graph(body);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Value v = body.results[k];
      const std::string& kind = *kinds->items[k].get_if<std::string>();
      if (kind != "stack") {
        lower_fold(context, v, results[k], kind, has_lanes, count);
        continue;
      }
      Location to = results[k];
      const Type& type = node.result_types()[k];
      const std::int64_t inner = type.dims[0] == 0 ? 0 : type.count() / type.dims[0];
      to.offset = to.offset + (is_split ? first - begin : first) * HostExpr(inner);
      lower_stack(context, v, to, has_lanes, count);
    }
  });
  context.emit(std::move(loop), "foreach_" + placement);
  for (std::size_t k = 0; k < results.size(); ++k) {
    context.place(node.result(int(k)), results[k]);
    if (is_split && *kinds->items[k].get_if<std::string>() == "stack")
      context.set_split(node.result(int(k)), placement_number);
  }
}

}  // namespace

void register_foreach_lowering(Lowerings& all) { all.add("mr.foreach", lower_foreach); }

}  // namespace partita::passes
