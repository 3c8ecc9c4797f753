// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Loops over the partitions of a placement, block by block.
#include "ir/core/placement_support.hpp"
#include "lowering/context/loops.hpp"
#include "lowering/context/lowerings.hpp"
#include "lowering/control/foreach/folds.hpp"

namespace partita::lowering {

using namespace kernel;
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

/// One loop, and what its parts ask.
class Foreach {
 public:
  Foreach(Context& context, Node& node)
      : context_(context),
        node_(node),
        body_(node.region(0)),
        placement_(node.attrs.text("placement")),
        block_(node.attrs.i64("block")),
        is_split_(!context.is_within_partitions()),
        begin_(0),
        end_(ir::declared_size(context.module(), placement_)) {}

  void lower() {
    if (is_split_) {
      number_ = context_.placement_index(placement_);
      const Placement& p = context_.plan().placements[std::size_t(number_)];
      begin_ = HostExpr::variable(p.begin_variable);
      end_ = HostExpr::variable(p.end_variable);
    }
    const int iv = context_.new_variable(placement_ + ".i");
    first_ = HostExpr::variable(iv);
    count_ = is_block() ? min(HostExpr(block_), end_ - first_) : HostExpr(1);
    context_.set_host_value(body_.argument(0), first_);
    context_.set_host_value(body_.argument(1), count_);
    bind_operands();
    begin_results();
    For loop{.variable = iv, .begin = begin_, .end = end_, .step = block_};
    loop.body = context_.capture_partitions([&] {
      context_.lower_graph(body_);
      for (std::size_t k = 0; k < results_.size(); ++k) add_to_result(k);
    });
    context_.emit(std::move(loop), "foreach_" + placement_);
    for (std::size_t k = 0; k < results_.size(); ++k) {
      context_.place(node_.result(int(k)), results_[k]);
      if (is_split_ && is_stack(k)) context_.set_split(node_.result(int(k)), number_);
    }
  }

 private:
  [[nodiscard]] bool is_block() const { return block_ > 1; }
  /// "stack", or the combiner that folds.
  [[nodiscard]] const std::string& kind(std::size_t k) const {
    return *node_.attrs.find("results")->get_if<ir::List>()->items[k].get_if<std::string>();
  }
  [[nodiscard]] bool is_stack(std::size_t k) const { return kind(k) == "stack"; }
  [[nodiscard]] Combiner combiner(std::size_t k) const {
    return *find_combiner(&CombinerInfo::mr, kind(k));
  }
  void bind_operands() {
    const auto sliced = std::size_t(node_.attrs.i64s("operand_segments")[0]);
    for (std::size_t k = 0; k < node_.operands().size(); ++k) {
      const Value argument = body_.argument(int(k) + 2), operand = node_.operand(k);
      if (k >= sliced) {
        if (context_.is_host(operand))
          context_.set_host_value(argument, context_.host_value(operand));
        else
          context_.place(argument, context_.memory(operand));
        continue;
      }
      const Location at = context_.memory(operand);
      context_.place(operand, at);
      const HostExpr first = context_.is_split(operand) ? first_ - begin_ : first_;
      context_.add_slice(argument, {operand, first, count_, is_block()});
    }
  }

  /// Accumulators start from the identity, stacked ones hold this shard's block.
  void begin_results() {
    for (std::size_t k = 0; k < node_.result_types().size(); ++k) {
      const Type& type = node_.result_types()[k];
      const std::string name = cat(kind(k), " over ", placement_);
      if (is_split_ && is_stack(k)) {
        results_.push_back({context_.new_buffer(BufferKind::block, type.dtype,
                                                context_.block_count(type, number_), name),
                            0});
        continue;
      }
      results_.push_back(context_.new_temporary(type, name));
      if (!is_stack(k))
        lower_fill(context_, results_[k], identity_of(combiner(k), type.dtype), type);
    }
  }

  void add_to_result(std::size_t k) {
    const Value v = body_.results[k];
    if (!is_stack(k)) return lower_fold(context_, v, results_[k], combiner(k), is_block(), count_);
    Location to = results_[k];
    to.offset = to.offset + (is_split_ ? first_ - begin_ : first_) *
                                HostExpr(partition_count(node_.result_types()[k]));
    lower_stack(context_, v, to, is_block(), count_);
  }

  Context& context_;
  Node& node_;
  const Graph& body_;
  const std::string& placement_;
  std::int64_t block_;
  bool is_split_;
  int number_ = -1;         ///< of the placement, where it is split
  HostExpr begin_, end_;    ///< partitions of this shard
  HostExpr first_, count_;  ///< partitions of this turn
  std::vector<Location> results_;
};

void lower_foreach(Context& context, Node& node) { Foreach(context, node).lower(); }

}  // namespace

void register_foreach_lowering(Lowerings& all) { all.add("mr.foreach", lower_foreach); }

}  // namespace partita::lowering
