// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "passes/transforms/raise/composites.hpp"

#include <algorithm>

#include "ir/core/placement_support.hpp"
#include "partita/base/error.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/op.hpp"

namespace partita::passes {
namespace {

using ir::Dict;
using ir::Graph;
using ir::I64s;
using ir::Node;
using ir::Value;

constexpr std::string_view prefix = "partita.";

const Dict& composite_attributes(const Node& node) {
  static const Dict none;
  const ir::Attribute* a = node.attrs.find("composite_attributes");
  const Dict* dict = a == nullptr ? nullptr : a->get_if<Dict>();
  return dict == nullptr ? none : *dict;
}

I64s integers(const Dict& attrs, std::string_view name) {
  const ir::Attribute* a = attrs.find(name);
  if (a == nullptr) return {};
  if (const I64s* list = a->get_if<I64s>()) return *list;
  I64s result;
  if (const ir::List* list = a->get_if<ir::List>())
    for (const ir::Attribute& item : list->items)
      if (const auto* i = item.get_if<ir::Integer>()) result.push_back(i->value);
  return result;
}

/// Which dimension of `placed` is the axis, when one partition's part is `part`; -1: none; nothing
/// when they do not fit.
std::optional<std::int64_t> axis_between(const Type& placed, const Type& part, std::int64_t n) {
  if (placed == part) return -1;
  for (std::size_t d = 0; d < placed.dims.size(); ++d) {
    if (placed.dims[d] != n) continue;
    Type t = placed;
    t.dims.erase(t.dims.begin() + std::ptrdiff_t(d));
    if (t == part) return std::int64_t(d);
  }
  return std::nullopt;
}

class CompositeRaiser {
 public:
  CompositeRaiser(ir::Module& module, PassContext& context) : module_(module), context_(context) {}

  void graph(Graph& g) {
    for (Node* node : std::vector<Node*>(g.nodes())) {
      for (const auto& region : node->regions()) graph(*region);
      if (!node->is("stablehlo.composite") || !node->attrs.text("name").starts_with(prefix))
        continue;
      std::vector<Value> results = raised(*node);
      for (std::size_t k = 0; k < results.size(); ++k) replaced[node->result(int(k))] = results[k];
    }
  }
  ir::ValueMap<Value> replaced;

 private:
  std::vector<Value> operands_of(const Node& node) const {
    std::vector<Value> operands;
    for (const Value& v : node.operands()) {
      const auto it = replaced.find(v);
      operands.push_back(it == replaced.end() ? v : it->second);
    }
    return operands;
  }

  // No specification of an op has checked the attributes of a composite.
  static void check_kinds(const Node& node, const Dict& attrs) {
    const auto check = [&](std::string_view name, const char* kind, auto fits) {
      const ir::Attribute* a = attrs.find(name);
      if (a != nullptr && !fits(*a))
        throw_user_error(cat("stablehlo.composite: expected attribute '", name, "' to be ", kind,
                             ", found another kind"),
                         node.location());
    };
    const auto is_text = [](const ir::Attribute& a) {
      return a.get_if<std::string>() || a.get_if<ir::SymbolRef>();
    };
    check("placement", "a string", is_text);
    check("body", "a symbol", is_text);
    check("n", "an integer",
          [](const ir::Attribute& a) { return a.get_if<ir::Integer>() != nullptr; });
  }

  std::vector<Value> raised(Node& node) {
    const Dict& attrs = composite_attributes(node);
    check_kinds(node, attrs);
    const std::string name = node.attrs.text("name").substr(prefix.size());
    const std::string placement = attrs.text("placement", "");
    const std::int64_t n = attrs.i64("n", 0);
    if (placement.empty() || n <= 0)
      throw_user_error(cat("stablehlo.composite: \"partita.", name,
                           "\": expected attributes placement and n > 0, found ",
                           placement.empty() ? "no placement" : cat("n = ", n)),
                       node.location());
    declare_placement(module_, placement, n, cat("partita.", name));
    const std::vector<Value> operands = operands_of(node);
    if (name == "map") {
      if (auto results = map_with_body(node, attrs, placement, n, operands)) return *results;
      return decomposed(node, operands);
    }
    Dict mr{{"placement", placement}};
    if (const ir::Attribute* policy = attrs.find("on_zero_weight"))
      mr.set("on_zero_weight", *policy);
    if (const I64s segments = integers(attrs, "operand_segments"); !segments.empty())
      mr.set("operand_segments", segments);
    Node* fresh = ir::create(*node.graph(), cat("mr.", name), operands, mr, {}, node.result_types(),
                             &node, node.location());
    std::vector<Value> results;
    for (int k = 0; k < fresh->result_count(); ++k) results.push_back(fresh->result(k));
    return results;
  }

  std::vector<Value> decomposed(Node& node, const std::vector<Value>& operands) {
    const ir::Function* f = module_.find(node.attrs.text("decomposition"));
    if (f == nullptr)
      throw_user_error(cat("stablehlo.composite: expected a decomposition, found none"),
                       node.location());
    ir::ValueMap<Value> map;
    for (std::size_t k = 0; k < operands.size(); ++k) map[f->body->argument(int(k))] = operands[k];
    return ir::clone_body(*f->body, *node.graph(), map, &node);
  }

  /// The map whose region is the function `body`; nothing when there is none that fits.
  std::optional<std::vector<Value>> map_with_body(Node& node, const Dict& attrs,
                                                  const std::string& placement, std::int64_t n,
                                                  const std::vector<Value>& operands) {
    const std::string body_name = attrs.text("body", "");
    const ir::Function* f = body_name.empty() ? nullptr : module_.find(body_name);
    if (f == nullptr) return std::nullopt;
    I64s order = integers(attrs, "body_args");
    if (order.empty())
      for (std::size_t k = 0; k < operands.size(); ++k) order.push_back(std::int64_t(k));
    const I64s shared = integers(attrs, "shared");
    const auto arguments = f->body->arguments();
    if (order.size() != arguments.size()) return std::nullopt;
    std::vector<Value> map_operands;
    I64s in_axes, out_axes;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (order[k] < 0 || order[k] >= std::int64_t(operands.size())) return std::nullopt;
      map_operands.push_back(operands[std::size_t(order[k])]);
      const bool is_shared = std::ranges::find(shared, order[k]) != shared.end();
      const auto axis = is_shared
                            ? std::optional<std::int64_t>(-1)
                            : axis_between(map_operands.back().type(), arguments[k].type(), n);
      if (!axis || (is_shared && map_operands.back().type() != arguments[k].type()))
        return std::nullopt;
      in_axes.push_back(*axis);
    }
    if (f->body->results.size() != node.result_types().size()) return std::nullopt;
    for (std::size_t k = 0; k < f->body->results.size(); ++k) {
      const auto axis = axis_between(node.result_types()[k], f->body->results[k].type(), n);
      if (!axis) return std::nullopt;
      out_axes.push_back(*axis);
    }
    std::vector<std::unique_ptr<Graph>> regions;
    regions.push_back(ir::clone_graph(*f->body));
    Node* map = ir::create(*node.graph(), "mr.map", map_operands,
                           {{"placement", placement}, {"in_axes", in_axes}, {"out_axes", out_axes}},
                           std::move(regions), node.result_types(), &node, node.location());
    ++context_.counts["maps_recovered"];
    std::vector<Value> results;
    for (int k = 0; k < map->result_count(); ++k) results.push_back(map->result(k));
    return results;
  }

  ir::Module& module_;
  PassContext& context_;
};

Value move_axis(Graph& graph, Value v, std::int64_t from, std::int64_t to, Node* before) {
  if (from == to) return v;
  I64s permutation;
  for (std::int64_t d = 0; d < v.type().rank(); ++d)
    if (d != from) permutation.push_back(d);
  permutation.insert(permutation.begin() + to, from);
  return ir::create_value(graph, "stablehlo.transpose", {v}, {{"permutation", permutation}}, {},
                          before);
}

I64s axes_of(const Node& map, std::string_view name, std::size_t count) {
  return map.attrs.contains(name) ? map.attrs.i64s(name) : I64s(count, 0);
}

void normalise_map(Graph& graph, Node& map, std::int64_t n) {
  const I64s in = axes_of(map, "in_axes", map.operands().size());
  const I64s out = axes_of(map, "out_axes", map.result_types().size());
  const bool is_normal = std::ranges::all_of(in, [](auto a) { return a == 0; }) &&
                         std::ranges::all_of(out, [](auto a) { return a == 0; });
  if (is_normal && map.attrs.contains("in_axes") && map.attrs.contains("out_axes")) return;
  const std::string placement = map.attrs.text("placement");
  std::vector<Value> operands;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const Value v = map.operand(k);
    if (in[k] >= 0) {
      operands.push_back(move_axis(graph, v, in[k], 0, &map));
      continue;
    }
    Type type = v.type();
    type.dims.insert(type.dims.begin(), n);
    operands.push_back(
        ir::create_value(graph, "mr.broadcast", {v}, {{"placement", placement}}, {&type, 1}, &map));
  }
  std::vector<Type> types;
  for (const Value& v : map.region(0).results) {
    types.push_back(v.type());
    types.back().dims.insert(types.back().dims.begin(), n);
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(ir::clone_graph(map.region(0)));
  Node* fresh = ir::create(graph, "mr.map", operands,
                           {{"placement", placement},
                            {"in_axes", I64s(in.size(), 0)},
                            {"out_axes", I64s(out.size(), 0)}},
                           std::move(regions), types, &map, map.location());
  ir::ValueMap<Value> replaced;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Value v = fresh->result(int(k));
    if (out[k] >= 0) {
      replaced[map.result(int(k))] = move_axis(graph, v, 0, out[k], &map);
      continue;
    }
    // The same for all partitions: the first one's.
    const ir::Maker make{graph, &map};
    replaced[map.result(int(k))] = make.reshape(make.part(v, 0, 0, 1), map.result_types()[k].dims);
  }
  graph.replace_uses(replaced);
  graph.erase(&map);
}

}  // namespace

void declare_placement(ir::Module& module, const std::string& name, std::int64_t size,
                       const std::string& where) {
  if (const auto known = module.placement_size(name)) {
    if (*known != size)
      throw_user_error(
          cat(where, ": placement '", name, "': expected size ", *known, ", found ", size));
    return;
  }
  Dict placements;
  if (const ir::Attribute* a = module.attrs.find("mr.placements"))
    if (const Dict* dict = a->get_if<Dict>()) placements = *dict;
  placements.set(name, size);
  module.attrs.set("mr.placements", placements);
}

void raise_composites(ir::Module& module, ir::Function& function, PassContext& context) {
  CompositeRaiser raiser(module, context);
  raiser.graph(*function.body);
  function.body->replace_uses(raiser.replaced);
  ir::remove_dead_nodes(*function.body);
}

void normalise_maps(Graph& graph, const ir::Module& module) {
  for (Node* node : std::vector<Node*>(graph.nodes())) {
    for (const auto& region : node->regions()) normalise_maps(*region, module);
    if (!node->is("mr.map")) continue;
    normalise_map(graph, *node, ir::declared_size(module, node->attrs.text("placement")));
  }
}

}  // namespace partita::passes
