// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control flow as plan steps.
#include <algorithm>
#include <functional>

#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "partita/ir/loops.hpp"

namespace partita::lowering {

using namespace kernel;

namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

// --- while --------------------------------------------------------------------------------------

/// A value that is not in memory is computed where it is wanted.
void lower_into(Context& context, Value v, Location to, const std::string& name) {
  if (context.is_in_memory(v))
    context.emit_copy(context.memory(v), to, v.type(), name);
  else
    lower_loops(context, v, to);
}

/// Moves the body's results into the carries.  A result that is itself (part of) another carry is
/// saved first, because that carry may be overwritten before it is read.
void copy_carries(Context& context, const Graph& body, const std::vector<Location>& carries,
                  int skip) {
  std::vector<std::pair<Location, std::size_t>> moves;
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) == skip) continue;
    const Value v = body.results[k];
    const Location from = context.memory(v);
    if (from.buffer == carries[k].buffer && from.offset == carries[k].offset) continue;
    const bool is_carry =
        std::ranges::any_of(carries, [&](const Location& c) { return c.buffer == from.buffer; });
    if (!is_carry) {
      moves.emplace_back(from, k);
      continue;
    }
    const Location saved = context.new_temporary(v.type(), "saved carry");
    context.emit_copy(from, saved, v.type(), "save carry");
    moves.emplace_back(saved, k);
  }
  for (const auto& [from, k] : moves)
    context.emit_copy(from, carries[k], body.results[k].type(), "carry");
}

void lower_counted(Context& context, Node& node, const ir::CountedLoop& loop) {
  const Graph& body = node.region(1);
  const HostExpr begin = context.host_value(node.operand(std::size_t(loop.induction)));
  const HostExpr end = context.host_value(*loop.outer_end);
  const std::int64_t step_size = *loop.rising_step();
  const int iv = context.new_variable(cat("i", context.plan().variables.size()));
  context.set_host_value(body.argument(loop.induction), HostExpr::variable(iv));
  if (node.region(0).is_argument(loop.end))
    context.set_host_value(body.argument(loop.end.index), end);
  std::vector<Location> carries(body.results.size());
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) == loop.induction) continue;
    const Value init = node.operand(k);
    carries[k] = context.new_temporary(init.type(), "carry");
    lower_into(context, init, carries[k], "initial carry");
    context.place(body.argument(int(k)), carries[k]);
  }
  For step{.variable = iv, .begin = begin, .end = end, .step = step_size};
  step.body = context.capture([&] {
    context.lower_graph(body);
    copy_carries(context, body, carries, loop.induction);
  });
  context.emit(std::move(step), cat("for_", context.plan().variables[std::size_t(iv)]));
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) != loop.induction) {
      context.place(node.result(int(k)), carries[k]);
      continue;
    }
    const HostExpr by(step_size);
    const HostExpr trips =
        HostExpr::binary(HostExpr::Kind::div, max(end - begin, HostExpr(0)) + by - HostExpr(1), by);
    context.set_host_value(node.result(int(k)), begin + trips * by);
  }
}

void lower_while(Context& context, Node& node) {
  if (const auto loop = ir::counted_loop(node);
      loop && context.is_host(node.region(1).argument(loop->induction)))
    return lower_counted(context, node, *loop);
  const Graph& condition = node.region(0);
  const Graph& body = node.region(1);
  std::vector<Location> carries;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value init = node.operand(k);
    carries.push_back(context.new_temporary(init.type(), "carry"));
    lower_into(context, init, carries[k], "initial carry");
    context.place(condition.argument(int(k)), carries[k]);
    context.place(body.argument(int(k)), carries[k]);
  }
  While step;
  step.condition = context.capture([&] {
    context.lower_graph(condition);
    const Location at = context.memory(condition.results[0]);
    step.predicate = {at.buffer, at.offset};
  });
  step.body = context.capture([&] {
    context.lower_graph(body);
    copy_carries(context, body, carries, -1);
  });
  context.emit(std::move(step), "while");
  for (std::size_t k = 0; k < carries.size(); ++k) context.place(node.result(int(k)), carries[k]);
}

// --- case, if -----------------------------------------------------------------------------------

void lower_case(Context& context, Node& node) {
  const Location index = context.memory(node.operand(0));
  Case step{.index = {index.buffer, index.offset}, .index_dtype = node.operand(0).type().dtype};
  std::vector<Location> results;
  for (const Type& t : node.result_types())
    results.push_back(context.new_temporary(t, "branch result"));
  for (const auto& region : node.regions()) {
    step.branches.push_back(context.capture_branch([&] {
      context.lower_graph(*region);
      for (std::size_t k = 0; k < results.size(); ++k)
        context.emit_copy(context.memory(region->results[k]), results[k], node.result_types()[k],
                          "branch result");
    }));
  }
  context.emit(std::move(step), std::string(node.name().substr(node.name().find('.') + 1)));
  for (std::size_t k = 0; k < results.size(); ++k) context.place(node.result(int(k)), results[k]);
}

}  // namespace

void register_control_lowering(Lowerings& all) {
  all.add("stablehlo.while", lower_while);
  all.add("stablehlo.case", lower_case);
  all.add("stablehlo.if", lower_case);
}

}  // namespace partita::lowering
