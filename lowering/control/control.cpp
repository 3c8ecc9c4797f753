// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control flow and collectives as plan steps.
#include <algorithm>
#include <functional>

#include "ir/core/placement_support.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::passes {

double fold_identity(const std::string& combiner, DType d);

using ir::Graph;
using ir::Node;
using ir::Value;

Steps PlanBuilder::capture_steps(const std::function<void()>& emit_steps) {
  Steps steps;
  Steps* const outer = std::exchange(out_, &steps);
  emit_steps();
  out_ = outer;
  return steps;
}

// --- while --------------------------------------------------------------------------------------

/// A value that is not in memory is computed where it is wanted.
void PlanBuilder::lower_into(Value v, Location to, const std::string& name) {
  if (is_in_memory(v))
    emit_copy(memory(v), to, v.type(), name);
  else
    lower_loops(v, to);
}

/// Moves the body's results into the carries.  A result that is itself (part of) another carry is
/// saved first, because that carry may be overwritten before it is read.
void PlanBuilder::copy_carries(const Graph& body, const std::vector<Location>& carries, int skip) {
  std::vector<std::pair<Location, std::size_t>> moves;
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) == skip) continue;
    const Value v = body.results[k];
    const Location from = memory(v);
    if (from.buffer == carries[k].buffer && from.offset == carries[k].offset) continue;
    const bool is_carry =
        std::ranges::any_of(carries, [&](const Location& c) { return c.buffer == from.buffer; });
    if (!is_carry) {
      moves.emplace_back(from, k);
      continue;
    }
    const Location saved = new_temporary(v.type(), "saved carry");
    emit_copy(from, saved, v.type(), "save carry");
    moves.emplace_back(saved, k);
  }
  for (const auto& [from, k] : moves) emit_copy(from, carries[k], body.results[k].type(), "carry");
}

void PlanBuilder::lower_counted(Node& node, const ir::CountedLoop& loop) {
  const Graph& body = node.region(1);
  const HostExpr begin = host_value(node.operand(std::size_t(loop.induction)));
  Value end_value = loop.end;
  const bool end_is_carry = node.region(0).is_argument(end_value);
  if (end_is_carry) end_value = node.operand(std::size_t(end_value.index));
  const HostExpr end = host_value(end_value);
  const int iv = new_variable(cat("i", plan_.variables.size()));
  host_[body.argument(loop.induction)] = HostExpr::variable(iv);
  if (end_is_carry) host_[body.argument(loop.end.index)] = end;
  std::vector<Location> carries(body.results.size());
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) == loop.induction) continue;
    const Value init = node.operand(k);
    carries[k] = new_temporary(init.type(), "carry");
    lower_into(init, carries[k], "initial carry");
    locations_[body.argument(int(k))] = carries[k];
  }
  For step{.variable = iv, .begin = begin, .end = end, .step = loop.step};
  step.body = capture_steps([&] {
    lower_graph(body);
    copy_carries(body, carries, loop.induction);
  });
  emit(std::move(step), cat("for_", plan_.variables[std::size_t(iv)]));
  for (std::size_t k = 0; k < carries.size(); ++k) {
    if (int(k) != loop.induction) {
      locations_[node.result(int(k))] = carries[k];
      continue;
    }
    const HostExpr by(loop.step);
    const HostExpr trips =
        HostExpr::binary(HostExpr::Kind::div, max(end - begin, HostExpr(0)) + by - HostExpr(1), by);
    host_[node.result(int(k))] = begin + trips * by;
  }
}

void PlanBuilder::lower_while(Node& node) {
  if (const auto loop = ir::counted_loop(node);
      loop && is_host(node.region(1).argument(loop->induction)))
    return lower_counted(node, *loop);
  const Graph& condition = node.region(0);
  const Graph& body = node.region(1);
  std::vector<Location> carries;
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value init = node.operand(k);
    carries.push_back(new_temporary(init.type(), "carry"));
    lower_into(init, carries[k], "initial carry");
    locations_[condition.argument(int(k))] = carries[k];
    locations_[body.argument(int(k))] = carries[k];
  }
  While step;
  step.condition = capture_steps([&] {
    lower_graph(condition);
    const Location at = memory(condition.results[0]);
    step.predicate = {at.buffer, at.offset};
  });
  step.body = capture_steps([&] {
    lower_graph(body);
    copy_carries(body, carries, -1);
  });
  emit(std::move(step), "while");
  for (std::size_t k = 0; k < carries.size(); ++k) locations_[node.result(int(k))] = carries[k];
}

// --- case, if -----------------------------------------------------------------------------------

void PlanBuilder::lower_case(Node& node) {
  const Location index = memory(node.operand(0));
  Case step{.index = {index.buffer, index.offset}, .index_dtype = node.operand(0).type().dtype};
  std::vector<Location> results;
  for (const Type& t : node.result_types()) results.push_back(new_temporary(t, "branch result"));
  for (const auto& region : node.regions()) {
    const ir::ValueMap<Location> before = locations_;
    step.branches.push_back(capture_steps([&] {
      lower_graph(*region);
      for (std::size_t k = 0; k < results.size(); ++k)
        emit_copy(memory(region->results[k]), results[k], node.result_types()[k], "branch result");
    }));
    // A constant placed inside of a branch has its memory everywhere; computed values do not.
    locations_ = before;
  }
  emit(std::move(step), std::string(node.name().substr(node.name().find('.') + 1)));
  for (std::size_t k = 0; k < results.size(); ++k) locations_[node.result(int(k))] = results[k];
}

// --- foreach ------------------------------------------------------------------------------------

void PlanBuilder::lower_foreach(Node& node) {
  const bool is_split = foreach_depth_ == 0;
  const std::string& placement = node.attrs.text("placement");
  const std::int64_t block = node.attrs.i64("block");
  const bool has_lanes = block > 1;
  const auto sliced = std::size_t(node.attrs.i64s("operand_segments")[0]);
  const Graph& body = node.region(0);
  const auto* kinds = node.attrs.find("results")->get_if<ir::List>();
  const std::int64_t size = transforms::declared_size(module_, placement);

  int placement_number = -1;
  HostExpr begin(0), end(size);
  if (is_split) {
    placement_number = placement_index(placement);
    const Placement& p = plan_.placements[std::size_t(placement_number)];
    begin = HostExpr::variable(p.begin_variable);
    end = HostExpr::variable(p.end_variable);
  }
  const int iv = new_variable(placement + ".i");
  const HostExpr first = HostExpr::variable(iv);
  const HostExpr count = has_lanes ? min(HostExpr(block), end - first) : HostExpr(1);
  host_[body.argument(0)] = first;
  host_[body.argument(1)] = count;

  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value argument = body.argument(int(k) + 2), operand = node.operand(k);
    if (k >= sliced) {
      if (is_host(operand))
        host_[argument] = host_value(operand);
      else
        locations_[argument] = memory(operand);
      continue;
    }
    const Location at = memory(operand);
    locations_[operand] = at;
    slices_[argument] = {operand, split_.contains(operand) ? first - begin : first, count,
                         has_lanes};
  }

  // Results: accumulators start from the identity, stacked ones hold this shard's block.
  std::vector<Location> results;
  for (std::size_t k = 0; k < node.result_types().size(); ++k) {
    const Type& type = node.result_types()[k];
    const std::string& kind = *kinds->items[k].get_if<std::string>();
    if (kind != "stack") {
      results.push_back(new_temporary(type, cat(kind, " over ", placement)));
      lower_fill(results[k], type, fold_identity(kind, type.dtype));
    } else if (is_split) {
      const std::int64_t inner = type.dims[0] == 0 ? 0 : type.count() / type.dims[0];
      results.push_back({new_buffer(BufferKind::block, type.dtype, (end - begin) * HostExpr(inner),
                                    "stack over " + placement),
                         0});
    } else {
      results.push_back(new_temporary(type, "stack over " + placement));
    }
  }
  For loop{.variable = iv, .begin = begin, .end = end, .step = block};
  ++foreach_depth_;
  loop.body = capture_steps([&] {
    lower_graph(body);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const Value v = body.results[k];
      const std::string& kind = *kinds->items[k].get_if<std::string>();
      if (kind != "stack") {
        lower_fold(v, results[k], kind, has_lanes, count);
        continue;
      }
      Location to = results[k];
      const Type& type = node.result_types()[k];
      const std::int64_t inner = type.dims[0] == 0 ? 0 : type.count() / type.dims[0];
      to.offset = to.offset + (is_split ? first - begin : first) * HostExpr(inner);
      lower_stack(v, to, has_lanes, count);
    }
  });
  --foreach_depth_;
  emit(std::move(loop), "foreach_" + placement);
  for (std::size_t k = 0; k < results.size(); ++k) {
    locations_[node.result(int(k))] = results[k];
    if (is_split && *kinds->items[k].get_if<std::string>() == "stack")
      split_[node.result(int(k))] = placement_number;
  }
}

// --- Collectives, checks ------------------------------------------------------------------------

void PlanBuilder::lower_collective(Node& node) {
  if (node.name().ends_with("_done")) {
    const Value token = node.operand(0);
    emit(CollectiveDone{requests_.at(token)}, step_name(node));
    // The values lie where the start step put them.
    for (int k = 0; k < node.result_count(); ++k)
      locations_[node.result(k)] = locations_.at({token.node, -1 - k});
    return;
  }
  const int request = plan_.requests++;
  requests_[node.result()] = request;
  const std::string& axis = node.attrs.text("placement");
  placement_index(axis);
  if (node.is("mr.all_gather_start")) {
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Value v = node.operand(k);
      const Location from = memory(v), to = new_temporary(v.type(), "gathered");
      const std::int64_t inner = v.type().dims[0] == 0 ? 0 : v.type().count() / v.type().dims[0];
      emit(AllGatherStart{request,
                          axis,
                          v.type().dtype,
                          inner,
                          {from.buffer, from.offset},
                          {to.buffer, to.offset}},
           step_name(node));
      locations_[{&node, -1 - int(k)}] = to;
    }
    ++draft_.counts["collectives"];
    return;
  }
  static const std::map<std::string, Combiner> combiners = {{"sum", Combiner::sum},
                                                            {"max", Combiner::max},
                                                            {"min", Combiner::min},
                                                            {"and", Combiner::logical_and},
                                                            {"or", Combiner::logical_or}};
  AllReduceStart start{.request = request,
                       .axis = axis,
                       .combiner = combiners.at(node.attrs.text("combiner")),
                       .dtype = node.operand(0).type().dtype};
  for (std::size_t k = 0; k < node.operands().size(); ++k) {
    const Value v = node.operand(k);
    const Location to = new_temporary(v.type(), "reduced");
    emit_copy(memory(v), to, v.type(), "copy for all_reduce");
    start.pieces.push_back({{to.buffer, to.offset}, HostExpr(v.type().count())});
    locations_[{&node, -1 - int(k)}] = to;
  }
  ++draft_.counts["collectives"];
  emit(std::move(start), "all_reduce over " + axis);
}

void PlanBuilder::lower_check(Node& node) {
  const Location at = memory(node.operand(0));
  emit(Check{{at.buffer, at.offset}, node.attrs.text("message")}, "check");
}

}  // namespace partita::passes
