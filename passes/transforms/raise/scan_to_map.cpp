// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/raise/scan_to_map.hpp"
#include "partita/ir/effects.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/core/placement_support.hpp"
#include "partita/ir/loops.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

/// Whether the start indices from operand `first` on are (counter, 0, …).
bool starts_at(const Node& node, std::size_t first, Value counter) {
  if (node.operands().size() <= first || node.operand(first) != counter) return false;
  for (std::size_t k = first + 1; k < node.operands().size(); ++k)
    if (ir::integer_constant(node.operand(k)) != 0) return false;
  return true;
}

/// Whether `part` is one slice of `whole` along dimension 0.
bool is_one_of(const Type& part, const Type& whole) {
  if (part.dims.empty() || part.dims.size() != whole.dims.size() || part.dims[0] != 1) return false;
  return std::equal(part.dims.begin() + 1, part.dims.end(), whole.dims.begin() + 1);
}

class Scan {
 public:
  static std::optional<Scan> match(Node& loop,
                                   const std::map<std::string, std::int64_t>& placements) {
    const auto counted = ir::counted_loop(loop);
    if (!counted || counted->rising_step() != 1) return std::nullopt;
    const auto end = ir::integer_constant(counted->end);
    if (!end || ir::integer_constant(loop.operand(std::size_t(counted->induction))) != 0)
      return std::nullopt;
    for (const auto& [name, size] : placements) {
      if (size != *end) continue;
      Scan scan(loop, name, size, counted->induction);
      if (scan.classify()) return scan;
    }
    return std::nullopt;
  }

  void replace(Graph& graph) {
    for (std::size_t k = 0; k < roles_.size(); ++k)
      if (roles_[k] == Role::passed)
        bind_operand(body_.argument(int(k)), loop_.operand(k), sliced_.contains(int(k)), graph);
    for (const Value& v : ir::region_captures(loop_)) bind_operand(v, v, false, graph);
    const Type index_type = body_.argument(induction_).type();
    const ir::Maker make{*region_};
    const Value index =
        make.typed("mr.partition_index", {}, Type::scalar(DType::i32), {{"placement", placement_}});
    inner_[body_.argument(induction_)] = make.convert(index, index_type.dtype);
    clone_nodes();
    finish(graph);
  }

 private:
  enum class Role : std::uint8_t { induction, passed, stacked };

  Scan(Node& loop, std::string placement, std::int64_t size, int induction)
      : loop_(loop),
        body_(loop.region(1)),
        placement_(std::move(placement)),
        size_(size),
        induction_(induction) {}

  bool classify() {
    std::map<Value, std::vector<Node*>> users;
    for (Node* node : body_.nodes()) {
      for (const Value& v : node->operands()) users[v].push_back(node);
      for (const Value& v : ir::region_captures(*node)) users[v].push_back(nullptr);
    }
    const Value counter = body_.argument(induction_);
    bool has_output = false;
    for (std::size_t k = 0; k < body_.results.size(); ++k) {
      const Value argument = body_.argument(int(k)), result = body_.results[k];
      if (int(k) == induction_) {
        roles_.push_back(Role::induction);
        continue;
      }
      if (result == argument) {
        roles_.push_back(Role::passed);
        const auto& uses = users[argument];
        const bool is_sliced = !uses.empty() && std::ranges::all_of(uses, [&](Node* n) {
          return n != nullptr && n->is("stablehlo.dynamic_slice") && n->operand(0) == argument &&
                 starts_at(*n, 1, counter) && argument.type().dims[0] == size_ &&
                 is_one_of(n->result_types()[0], argument.type());
        });
        if (is_sliced) sliced_.insert(int(k));
        continue;
      }
      Node* update = result.node;
      const bool is_stacked =
          update->is("stablehlo.dynamic_update_slice") && update->graph() == &body_ &&
          update->operand(0) == argument && users[argument].size() == 1 && users[result].empty() &&
          argument.type().dims[0] == size_ &&
          is_one_of(update->operand(1).type(), argument.type()) && starts_at(*update, 2, counter);
      if (!is_stacked) return false;
      roles_.push_back(Role::stacked);
      updates_.insert(update);
      has_output = true;
    }
    return has_output;
  }

  void bind_operand(Value inside, Value outside, bool is_sliced, Graph& graph) {
    if (is_sliced) {
      operands_.push_back(outside);
      slices_[inside] = region_->add_argument(ir::partition_type(outside.type()));
      return;
    }
    if (outside.node->is("stablehlo.constant")) {
      inner_[inside] =
          ir::create_constant(*region_, *outside.node->attrs.find("value")->get_if<ir::DenseRef>());
      return;
    }
    Type type = outside.type();
    type.dims.insert(type.dims.begin(), size_);
    operands_.push_back(ir::create_value(graph, "mr.broadcast", {outside},
                                         {{"placement", placement_}}, {&type, 1}, &loop_));
    inner_[inside] = region_->add_argument(outside.type());
  }

  void clone_nodes() {
    for (Node* node : body_.nodes()) {
      if (updates_.contains(node)) continue;
      if (node->is("stablehlo.dynamic_slice"))
        if (const auto it = slices_.find(node->operand(0)); it != slices_.end()) {
          const Type type = node->result_types()[0];
          inner_[node->result()] =
              ir::create_value(*region_, "stablehlo.reshape", {it->second}, {}, {&type, 1});
          continue;
        }
      ir::clone_node(*node, *region_, inner_);
    }
  }

  Value inside(Value v) const {
    const auto it = inner_.find(v);
    return it == inner_.end() ? v : it->second;
  }

  void finish(Graph& graph) {
    std::vector<Type> types;
    for (std::size_t k = 0; k < roles_.size(); ++k) {
      if (roles_[k] != Role::stacked) continue;
      const Type part = ir::partition_type(loop_.result_types()[k]);
      region_->results.push_back(ir::create_value(*region_, "stablehlo.reshape",
                                                  {inside(body_.results[k].node->operand(1))}, {},
                                                  {&part, 1}));
      types.push_back(loop_.result_types()[k]);
    }
    const ir::Dict attrs{{"placement", placement_},
                         {"in_axes", I64s(operands_.size(), 0)},
                         {"out_axes", I64s(types.size(), 0)}};
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(std::move(region_));
    Node* map = ir::create(graph, "mr.map", operands_, attrs, std::move(regions), types, &loop_,
                           loop_.location());
    ir::ValueMap<Value> replaced;
    int next = 0;
    for (std::size_t k = 0; k < roles_.size(); ++k) {
      const Value old = loop_.result(int(k));
      if (roles_[k] == Role::stacked)
        replaced[old] = map->result(next++);
      else if (roles_[k] == Role::passed)
        replaced[old] = loop_.operand(k);
      else
        replaced[old] = ir::create_splat(graph, old.type(), double(size_), &loop_);
    }
    graph.replace_uses(replaced);
    graph.erase(&loop_);
  }

  Node& loop_;
  const Graph& body_;
  std::string placement_;
  std::int64_t size_;
  int induction_;
  std::vector<Role> roles_;
  std::set<int> sliced_;
  std::set<const Node*> updates_;
  std::unique_ptr<Graph> region_ = std::make_unique<Graph>();
  std::vector<Value> operands_;
  ir::ValueMap<Value> inner_, slices_;
};

}  // namespace

int scans_to_maps(Graph& graph, const std::map<std::string, std::int64_t>& placements) {
  int found = 0;
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    // What happens in a loop comes in the order of its iterations.
    if (!node->is("stablehlo.while") || ir::has_effects(*node)) continue;
    if (auto scan = Scan::match(*node, placements)) {
      scan->replace(graph);
      ++found;
    }
  }
  return found;
}

}  // namespace partita::passes
