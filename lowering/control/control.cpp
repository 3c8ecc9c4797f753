// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Control flow as plan steps.
#include <algorithm>
#include <array>
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

/// Memory that control flow writes a value to: a shard's block of partitions where its uses take one, else all of it.
class Holding {
 public:
  /// For `result` and what it becomes.
  Holding(Context& context, Value result) : context_(context), type_(result.type()) {
    if (const std::string* placement = context.blocks().placement(result))
      block_ = context.placement_index(*placement);
  }

  [[nodiscard]] Location new_memory(const std::string& name) const {
    if (block_ < 0) return context_.new_temporary(type_, name);
    return {context_.new_buffer(BufferKind::block, type_.dtype, context_.block_count(type_, block_),
                                name),
            0};
  }

  void mark(Value v) const {
    if (block_ >= 0) context_.set_split(v, block_);
  }

  /// Where what is to be held lies: of a whole value the block.
  [[nodiscard]] Location source(Value v) const {
    Location from = context_.memory(v);
    if (block_ >= 0 && !context_.is_split(v))
      from.offset =
          from.offset + context_.first_partition(block_) * HostExpr(partition_count(v.type()));
    return from;
  }

  void copy(Location from, Location to, const std::string& name) const {
    if (block_ < 0) return context_.emit_copy(from, to, type_, name);
    if (type_.count() > 0)
      context_.emit(Copy{{from.buffer, from.offset},
                         {to.buffer, to.offset},
                         context_.block_count(type_, block_)},
                    name);
  }

  /// A value that is not in memory is computed where it is wanted.
  void put(Value v, Location to, const std::string& name) const {
    const bool is_epilogue = context_.analysis().epilogue(v) != nullptr;
    if (context_.is_in_memory(v) || (block_ >= 0 && is_epilogue))
      copy(source(v), to, name);
    else if (block_ >= 0)
      lower_block(context_, v, block_, to);
    else
      lower_loops(context_, v, to);
  }

  [[nodiscard]] bool is_block() const { return block_ >= 0; }

 private:
  Context& context_;
  Type type_;
  int block_ = -1;  ///< the placement whose block it is, or -1
};

/// What a loop carries from one iteration to the next, each in memory of its own.
class Carries {
 public:
  Carries(Context& context, Node& loop) : context_(context), loop_(loop) {
    for (int k = 0; k < loop.result_count(); ++k) holdings_.emplace_back(context, loop.result(k));
    at_.resize(holdings_.size());
  }

  /// Gives carry k its memory and its first value.
  void begin(std::size_t k) {
    const std::array values{loop_.result(int(k)), loop_.region(0).argument(int(k)),
                            loop_.region(1).argument(int(k))};
    for (const Value& v : values) holdings_[k].mark(v);
    at_[k] = holdings_[k].new_memory("carry");
    holdings_[k].put(loop_.operand(k), at_[k], "initial carry");
    for (const Value& v : values) context_.place(v, at_[k]);
  }

  /// Moves the body's results into the carries but `skip`.  A result that is itself (part of) another carry is saved
  /// first, because that carry may be overwritten before it is read.
  void advance(int skip) {
    const Graph& body = loop_.region(1);
    std::vector<std::pair<Location, std::size_t>> moves;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      if (int(k) == skip) continue;
      const Location from = holdings_[k].source(body.results[k]);
      if (from.buffer == at_[k].buffer && from.offset == at_[k].offset) continue;
      const bool is_carry =
          std::ranges::any_of(at_, [&](const Location& c) { return c.buffer == from.buffer; });
      if (!is_carry) {
        moves.emplace_back(from, k);
        continue;
      }
      const Location saved = holdings_[k].new_memory("saved carry");
      holdings_[k].copy(from, saved, "save carry");
      moves.emplace_back(saved, k);
    }
    for (const auto& [from, k] : moves) holdings_[k].copy(from, at_[k], "carry");
  }

 private:
  Context& context_;
  Node& loop_;
  std::vector<Holding> holdings_;
  std::vector<Location> at_;
};

void lower_counted(Context& context, Node& node, const ir::CountedLoop& loop) {
  const Graph& body = node.region(1);
  const HostExpr begin = context.host_value(node.operand(std::size_t(loop.induction)));
  const HostExpr end = context.host_value(*loop.outer_end);
  const std::int64_t step_size = *loop.rising_step();
  const int iv = context.new_variable(cat("i", context.plan().variables.size()));
  context.set_host_value(body.argument(loop.induction), HostExpr::variable(iv));
  if (node.region(0).is_argument(loop.end))
    context.set_host_value(body.argument(loop.end.index), end);
  Carries carries(context, node);
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    if (int(k) != loop.induction) carries.begin(k);
  For step{.variable = iv, .begin = begin, .end = end, .step = step_size};
  step.body = context.capture([&] {
    context.lower_graph(body);
    carries.advance(loop.induction);
  });
  context.emit(std::move(step), cat("for_", context.plan().variables[std::size_t(iv)]));
  const HostExpr by(step_size);
  const HostExpr trips =
      HostExpr::binary(HostExpr::Kind::div, max(end - begin, HostExpr(0)) + by - HostExpr(1), by);
  context.set_host_value(node.result(loop.induction), begin + trips * by);
}

void lower_while(Context& context, Node& node) {
  if (const auto loop = ir::counted_loop(node);
      loop && context.is_host(node.region(1).argument(loop->induction)))
    return lower_counted(context, node, *loop);
  const Graph& condition = node.region(0);
  Carries carries(context, node);
  for (std::size_t k = 0; k < node.operands().size(); ++k) carries.begin(k);
  While step;
  step.condition = context.capture([&] {
    context.lower_graph(condition);
    const Location at = context.memory(condition.results[0]);
    step.predicate = {at.buffer, at.offset};
  });
  step.body = context.capture([&] {
    context.lower_graph(node.region(1));
    carries.advance(-1);
  });
  context.emit(std::move(step), "while");
}

// --- case, if -----------------------------------------------------------------------------------

void lower_case(Context& context, Node& node) {
  const Location index = context.memory(node.operand(0));
  Case step{.index = {index.buffer, index.offset}, .index_dtype = node.operand(0).type().dtype};
  std::vector<Holding> holdings;
  std::vector<Location> results;
  for (int k = 0; k < node.result_count(); ++k) {
    holdings.emplace_back(context, node.result(k));
    results.push_back(holdings.back().new_memory("branch result"));
  }
  for (const auto& region : node.regions()) {
    step.branches.push_back(context.capture_branch([&] {
      context.lower_graph(*region);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const Value v = region->results[k];
        if (holdings[k].is_block())
          holdings[k].put(v, results[k], "branch result");
        else
          holdings[k].copy(context.memory(v), results[k], "branch result");
      }
    }));
  }
  context.emit(std::move(step), std::string(node.name().substr(node.name().find('.') + 1)));
  for (std::size_t k = 0; k < results.size(); ++k) {
    holdings[k].mark(node.result(int(k)));
    context.place(node.result(int(k)), results[k]);
  }
}

}  // namespace

void register_control_lowering(Lowerings& all) {
  all.add("stablehlo.while", lower_while);
  all.add("stablehlo.case", lower_case);
  all.add("stablehlo.if", lower_case);
}

}  // namespace partita::lowering
