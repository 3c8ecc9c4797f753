// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/stream_rows/row_loops.hpp"

#include <algorithm>

#include "partita/base/error.hpp"
#include "partita/ir/make_loop.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"

namespace partita::passes {
namespace {

using ir::AxisFlow;
using ir::AxisPosition;
using ir::Graph;
using ir::Maker;
using ir::Node;
using ir::Value;

/// A value's shape with the axis as a dimension of its own, where blocks are not simply rows that follow
/// one another.
struct Blocked {
  Dims dims;
  int dim = 0;              ///< along which blocks follow one another
  std::int64_t extent = 1;  ///< of a block along it
};

Blocked blocked_shape(const Type& type, const AxisPosition& at, std::int64_t blocks) {
  if (at.outer == 1) return {type.dims, at.dim, at.inner};
  const ir::SplitAxis split = ir::split_axis(type.dims, at, blocks);
  return {split.dims, split.axis, 1};
}

/// Whether a value follows from nothing but indices and constants.
bool is_generated(const Value& v) {
  const ir::Elements e = v.node->op().elements;
  if (e == ir::Elements::generated) return true;
  return !v.node->operands().empty() && v.node->regions().empty() &&
         (e == ir::Elements::elementwise || e == ir::Elements::viewed) &&
         std::ranges::all_of(v.node->operands(), is_generated);
}

/// One block of a loop while its nodes are made.
struct Block {
  const Maker& body;
  Value index;
  ir::ValueMap<Value> made;  ///< of the region's values and of what is generated
  std::map<Value, std::vector<std::pair<AxisPosition, Value>>> slices;
  std::map<std::int64_t, Value> starts;

  /// Where blocks of so many rows start.
  Value start(std::int64_t rows) {
    if (rows == 1) return index;
    Value& v = starts[rows];
    if (!v) v = body.op("stablehlo.multiply", {index, body.splat(index.type(), double(rows))});
    return v;
  }
  /// What is generated is made in the loop, where kernels compute it as they go.
  Value generated(const Value& v) {
    if (const auto it = made.find(v); it != made.end()) return it->second;
    for (const Value& operand : v.node->operands()) (void)generated(operand);
    ir::clone_node(*v.node, body.graph, made);
    return made.at(v);
  }
};

class Loops {
 public:
  Loops(Graph& graph, const GraphUses& uses, const RowRegion& region)
      : graph_(graph), uses_(uses), region_(region) {}

  void run() {
    for (int stage = 0; stage < region_.stage_count; ++stage) computed_.push_back(nodes_of(stage));
    sort_nodes();
    for (int stage = 0; stage < region_.stage_count; ++stage) make_loop(stage);
    graph_.replace_uses(replaced_);
    ir::remove_dead_nodes(graph_);
  }

 private:
  [[nodiscard]] int stage(const Node* node) const { return region_.stages[uses_.place(node)]; }

  /// What the loop of a stage computes, in order: its own nodes, and again what is large or free.
  [[nodiscard]] std::set<const Node*> nodes_of(int stage) const {
    std::set<const Node*> all;
    for (auto it = region_.nodes.rbegin(); it != region_.nodes.rend(); ++it) {
      const Node* node = *it;
      if (region_.own.contains(node) && this->stage(node) == stage) all.insert(node);
      if (!all.contains(node)) continue;
      for (const Value& v : node->operands())
        if (region_.contains(v.node) && !region_.is_reduced(v.node) &&
            (region_.is_large(v) || !region_.own.contains(v.node)))
          all.insert(v.node);
    }
    return all;
  }

  /// Nodes of one stage together, after what lies between it and the stage before.
  void sort_nodes() {
    std::size_t end = 0;
    for (const Node* node : region_.own) end = std::max(end, uses_.place(node));
    // What follows the region and needs it is in a stage after the last.
    std::vector<int> stages = region_.stages;
    for (std::size_t place = end + 1; place < stages.size(); ++place)
      if (std::ranges::any_of(uses_.inputs(place), [&](const auto& input) {
            return input.from != GraphUses::nowhere && stages[input.from] >= 0;
          }))
        stages[place] = region_.stage_count;
    std::vector<std::pair<std::pair<int, bool>, Node*>> keyed;
    // What no loop makes for itself alone may be used before.
    for (std::size_t place = 0; place < stages.size(); ++place) {
      Node* const node = graph_.nodes()[place];
      keyed.push_back({{std::max(stages[place], 0), region_.own.contains(node)}, node});
    }
    std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) { return a.first < b.first; });
    // Few nodes move: those after the region that do not need it.
    for (std::size_t k = 0; k < keyed.size(); ++k)
      graph_.move_before(keyed[k].second, graph_.nodes()[k]);
  }

  /// Whether a result of the stage is used after its loop.
  [[nodiscard]] bool is_needed_after(const Value& v, int stage) const {
    if (uses_.is_returned(v)) return true;
    return std::ranges::any_of(uses_.users(v), [&](const Node* user) {
      if (!region_.contains(user) || region_.is_reduced(v.node)) return true;
      for (int later = stage + 1; later < region_.stage_count; ++later)
        if (computed_[std::size_t(later)].contains(user) &&
            !computed_[std::size_t(later)].contains(v.node))
          return true;
      return false;
    });
  }

  /// What the loop of a stage gives.
  [[nodiscard]] std::vector<Value> outputs_of(int stage) const {
    std::vector<Value> outputs;
    for (Node* node : region_.nodes)
      for (int k = 0; k < node->result_count(); ++k)
        if (region_.own.contains(node) && this->stage(node) == stage &&
            is_needed_after(node->result(k), stage))
          outputs.push_back(node->result(k));
    return outputs;
  }

  [[nodiscard]] Value current(const Value& v) const {
    const auto it = replaced_.find(v);
    return it == replaced_.end() ? v : it->second;
  }
  [[nodiscard]] const AxisFlow& flow(const Value& v) const { return region_.flows.at(v.node); }

  /// Blocks of small floats are summed in f32.
  [[nodiscard]] Type sum_type(const Value& v) const {
    Type type = v.type();
    if (is_small_float(type.dtype)) type.dtype = DType::f32;
    return type;
  }

  void make_loop(int stage) {
    const std::vector<Value> outputs = outputs_of(stage);
    if (outputs.empty()) return;
    const auto first = std::ranges::find_if(graph_.nodes(), [&](const Node* node) {
      return region_.own.contains(node) && this->stage(node) == stage;
    });
    const Maker make{graph_, *first, (*first)->location()};
    std::vector<Value> start;
    for (const Value& v : outputs) {
      if (region_.is_reduced(v.node)) {
        start.push_back(make.constant(ir::combiner_identity(*flow(v).combiner, sum_type(v))));
        continue;
      }
      const Blocked shape = blocked_shape(v.type(), position(v), region_.blocks);
      start.push_back(make.splat({.dtype = v.type().dtype, .dims = shape.dims}, 0));
    }
    const std::vector<Value> made =
        ir::make_counted_loop(make, DType::i32, region_.blocks, start,
                              [&](const Maker& body, Value index, std::span<const Value> carries) {
                                return make_block(stage, outputs, body, index, carries);
                              });
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Type& type = outputs[k].type();
      replaced_[outputs[k]] = make.convert(make.reshape(made[k], type.dims), type.dtype);
    }
  }

  [[nodiscard]] AxisPosition position(const Value& v) const {
    return *flow(v).results[std::size_t(v.index)];
  }

  /// The rows of `v` that a block takes.
  [[nodiscard]] Value rows(Block& block, const Value& v, const AxisPosition& at) const {
    auto& known = block.slices[v];
    for (const auto& [p, slice] : known)
      if (p == at) return slice;
    const Blocked shape = blocked_shape(v.type(), at, region_.blocks);
    const Value whole = block.body.reshape(current(v), shape.dims);
    const Value slice =
        ir::slice_along(block.body, whole, shape.dim, block.start(shape.extent), shape.extent);
    known.emplace_back(at, block.body.reshape(slice, ir::type_without(v.type(), at).dims));
    return known.back().second;
  }

  /// An operand of a node of the region as the block's node takes it.
  Value operand(Block& block, const Value& v, const std::optional<AxisPosition>& at) const {
    if (region_.contains(v.node))
      if (const auto it = block.made.find(v); it != block.made.end()) return it->second;
    if (at) return rows(block, v, *at);
    return is_generated(v) ? block.generated(v) : current(v);
  }

  /// The nodes of a stage for one block; the values that its outputs have after it.
  std::vector<Value> make_block(int stage, const std::vector<Value>& outputs, const Maker& body,
                                Value index, std::span<const Value> carries) {
    Block block{.body = body, .index = index, .made = {}, .slices = {}, .starts = {}};
    for (const Node* node : region_.nodes) {
      if (!computed_[std::size_t(stage)].contains(node)) continue;
      const AxisFlow& flow = region_.flows.at(node);
      std::vector<Value> operands;
      for (std::size_t k = 0; k < node->operands().size(); ++k)
        operands.push_back(operand(block, node->operand(k), flow.operands[k]));
      const ir::RemovalContext context{.into = body.graph,
                                       .partition_index = [&] { return index; }};
      const ir::Removal removal = ir::remove_dim(*node, flow, region_.blocks, operands, context);
      if (!removal.why.empty())
        throw_internal_error(cat(node->name(), ": a block of rows cannot be taken: ", removal.why));
      for (std::size_t k = 0; k < removal.results.size(); ++k)
        block.made[Value{const_cast<Node*>(node), int(k)}] = removal.results[k];
    }
    std::vector<Value> next;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const Value part = block.made.at(outputs[k]);
      next.push_back(region_.is_reduced(outputs[k].node)
                         ? added(body, outputs[k], part, carries[k])
                         : written(block, outputs[k], part, carries[k]));
    }
    return next;
  }

  [[nodiscard]] Value added(const Maker& body, const Value& v, Value part, Value sum) const {
    const Type type = sum_type(v);
    if (part.type() != type) {
      PARTITA_ASSERT(part.node->is("stablehlo.dot_general"));
      part = body.typed("stablehlo.dot_general", part.node->operands(), type, part.node->attrs);
    }
    return body.op(cat("stablehlo.", info(*flow(v).combiner).op), {sum, part});
  }

  [[nodiscard]] Value written(Block& block, const Value& v, Value part, Value array) const {
    const Blocked shape = blocked_shape(v.type(), position(v), region_.blocks);
    Dims dims = array.type().dims;
    dims[std::size_t(shape.dim)] = shape.extent;
    return ir::with_slice_along(block.body, array, shape.dim, block.start(shape.extent),
                                block.body.reshape(part, dims));
  }

  Graph& graph_;
  const GraphUses& uses_;
  const RowRegion& region_;
  std::vector<std::set<const Node*>> computed_;  ///< by stage
  ir::ValueMap<Value> replaced_;
};

}  // namespace

void make_row_loops(Graph& graph, const GraphUses& uses, const RowRegion& region) {
  Loops(graph, uses, region).run();
}

}  // namespace partita::passes
