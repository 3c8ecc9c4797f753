// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Forms that say how to differentiate and compute nothing themselves: mr.custom_vjp, mr.checkpoint,
// mr.stop_gradient.  `differentiate` expands them.  Text names functions; inside a derivative their
// bodies are regions of the node instead.
#include <algorithm>
#include <map>

#include "ops/support/support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

struct Signature {
  std::string name;
  std::vector<Type> arguments, results;
};

/// What attribute `which` names, or region `k` is; nothing where there is neither module nor region.
std::optional<Signature> signature(const InferContext& c, std::string_view which, std::size_t k) {
  Signature s;
  if (!c.regions.empty()) {
    s.name = cat("region ", k);
    for (const Value& v : c.regions[k]->arguments()) s.arguments.push_back(v.type());
    for (const Value& v : c.regions[k]->results) s.results.push_back(v.type());
    return s;
  }
  c.expect(c.attrs.contains(which), cat("an attribute ", which, " that names a function"), "none");
  const std::string& name = c.attrs.text(which);
  if (!c.module) return std::nullopt;
  const Function* function = c.module->find(name);
  c.expect(function != nullptr, cat("the name of a function as ", which), cat("@", name));
  return Signature{cat("@", name), function->argument_types(), function->result_types};
}

void expect_regions(const InferContext& c, std::size_t count) {
  c.expect(c.regions.empty() || c.regions.size() == count,
           cat("names of functions or ", count, count == 1 ? " region" : " regions"),
           cat(c.regions.size(), " regions"));
}

void expect_types(const InferContext& c, const std::string& what, std::span<const Type> expected,
                  std::span<const Type> found) {
  c.expect(expected.size() == found.size(), cat(expected.size(), " ", what), cat(found.size()));
  for (std::size_t k = 0; k < expected.size(); ++k)
    c.expect(expected[k] == found[k],
             cat(what, ", number ", k, ", of type ", to_string(expected[k])), to_string(found[k]));
}

std::vector<Type> with_tangents(std::span<const Type> types) {
  std::vector<Type> kept;
  for (const Type& type : types)
    if (has_tangent(type)) kept.push_back(type);
  return kept;
}

std::vector<Type> infer_checkpoint(const InferContext& c) {
  expect_regions(c, 1);
  const auto callee = signature(c, "callee", 0);
  if (!callee) return {c.declared().begin(), c.declared().end()};
  expect_types(c, cat("operands for ", callee->name), callee->arguments, c.operands);
  return callee->results;
}

std::vector<Type> infer_custom_vjp(const InferContext& c) {
  expect_regions(c, 3);
  const auto callee = signature(c, "callee", 0), fwd = signature(c, "fwd", 1),
             bwd = signature(c, "bwd", 2);
  if (!callee) return {c.declared().begin(), c.declared().end()};
  const std::vector<Type>& values = callee->results;
  expect_types(c, cat("operands for ", callee->name), callee->arguments, c.operands);
  expect_types(c, cat("arguments of ", fwd->name, " (fwd)"), callee->arguments, fwd->arguments);
  c.expect(fwd->results.size() >= values.size(),
           cat(fwd->name, " (fwd) to return the ", values.size(), " results of ", callee->name,
               " and then what ", bwd->name, " needs"),
           cat(fwd->results.size(), " results"));
  expect_types(c, cat("first results of ", fwd->name, " (fwd)"), values,
               std::span(fwd->results).first(values.size()));
  std::vector<Type> arguments(fwd->results.begin() + std::ptrdiff_t(values.size()),
                              fwd->results.end());
  for (const Type& type : with_tangents(values)) arguments.push_back(type);
  expect_types(c,
               cat("arguments of ", bwd->name,
                   " (bwd: what fwd returns further, then a cotangent for each result of floats)"),
               arguments, bwd->arguments);
  expect_types(c, cat("results of ", bwd->name, " (bwd: a cotangent for each operand of floats)"),
               with_tangents(c.operands), bwd->results);
  return values;
}

std::vector<Tensor> run_callee(const EvalContext& c) {
  if (!c.node.regions().empty()) return c.run_region(0, {c.operands.begin(), c.operands.end()});
  const Function* function = c.interpreter.module().find(c.node.attrs.text("callee"));
  PARTITA_ASSERT(function != nullptr);
  return c.interpreter.run(*function, c.operands);
}

Values results_of(Node& node, std::size_t count) {
  Values results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(node.result(int(k)));
  return results;
}

// --- Checkpoint ---------------------------------------------------------------------------------

/// A checkpoint of values and tangents.
Values checkpoint_jvp(DerivativeContext& c, const Values& tangents) {
  const Graph& body = c.node.region(0);
  auto region = std::make_unique<Graph>();
  ValueMap<Value> map, inner;
  Values operands = c.node.operands();
  for (int k = 0; k < body.argument_count(); ++k)
    map[body.argument(k)] = region->add_argument(body.argument(k).type());
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    if (!tangents[k]) continue;
    inner[region->argument(int(k))] = region->add_argument(tangents[k].type());
    operands.push_back(tangents[k]);
  }
  const ForwardRegion forward = forward_region(c, "checkpoint", body, *region, map, inner);
  const std::size_t count = forward.results.size();
  region->results = forward.results;
  for (const Value& t : forward.tangents)
    if (t) region->results.push_back(t);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  Node* made = create(c.graph, c.node.name(), std::move(operands), {}, std::move(regions));
  c.sweep.replace(c.node, results_of(*made, count));
  Values results(count);
  int at = int(count);
  for (std::size_t k = 0; k < count; ++k)
    if (forward.tangents[k]) results[k] = made->result(at++);
  return results;
}

/// The placement whose axis a value has in front, by all that uses it; empty where that is not so.
std::string placement_of(const Graph& graph, Value v) {
  std::string found;
  for (const Node* node : graph.nodes()) {
    const Values used = captures(*node);
    if (std::ranges::find(used, v) == used.end()) continue;
    bool is_placed = node->name().starts_with("mr.reduce_") && node->operands().size() == 1;
    if (node->is("mr.map")) {
      const I64s& axes = node->attrs.i64s_or_empty("in_axes");
      is_placed = true;
      for (std::size_t k = 0; k < axes.size(); ++k)
        is_placed = is_placed && (node->operand(k) != v || axes[k] == 0);
    }
    if (!is_placed || (!found.empty() && found != node->attrs.text("placement"))) return {};
    found = node->attrs.text("placement");
  }
  const bool is_result = std::ranges::find(graph.results, v) != graph.results.end();
  return is_result ? std::string() : found;
}

Values barrier(Graph& graph, const Values& values) {
  Node* made = create(graph, "stablehlo.optimization_barrier", values);
  return results_of(*made, values.size());
}

bool is_placed(Value v) { return v.node->is("mr.map") || v.node->is("mr.broadcast"); }

/// Barriers in front of `graph`'s arguments: one in a map for the values of each placement, which so
/// stay with their partitions, and one for the rest.  A cotangent goes with each where it can.
void add_barriers(const DerivativeContext& c, const Graph& graph, const Values& arguments,
                  const Values& outside, const Values& cotangents, ValueMap<Value>& map) {
  const auto common =
      std::ranges::find_if(cotangents, [](const Value& v) { return bool(v) && !is_placed(v); });
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    groups[placement_of(graph, arguments[k])].push_back(k);
  for (const auto& [placement, members] : groups) {
    Values values;
    for (const std::size_t k : members) values.push_back(outside[k]);
    const bool has_cotangent = std::ranges::any_of(values, [&](const Value& v) {
      return std::ranges::find(cotangents, v) != cotangents.end();
    });
    const bool takes_common = !has_cotangent && common != cotangents.end();
    Values made;
    if (placement.empty()) {
      if (takes_common) values.push_back(*common);
      made = barrier(c.graph, values);
    } else {
      const std::int64_t n = values[0].type().dims[0];
      if (takes_common) {
        Type type = common->type();
        type.dims.insert(type.dims.begin(), n);
        values.push_back(c.op("mr.broadcast", {*common}, {{"placement", placement}}, type));
      }
      made = c.map(placement, n, values, [](const DerivativeContext& in, const Values& v) {
        return barrier(in.graph, v);
      });
    }
    for (std::size_t i = 0; i < members.size(); ++i) map[arguments[members[i]]] = made[i];
  }
}

/// Computes the body again from the operands.  The barrier makes that depend on a cotangent: it is
/// part of the reverse wherever regions are split, and equal to nothing that came before.
Values checkpoint_vjp(DerivativeContext& c, const Values& cotangents) {
  const std::unique_ptr<Graph> graph = clone_graph(c.node.region(0));
  const std::size_t count = c.node.operands().size();
  Values outputs, seeds, wrt;
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < cotangents.size(); ++k) {
    if (!cotangents[k]) continue;
    outputs.push_back(graph->results[k]);
    seeds.push_back(graph->add_argument(cotangents[k].type()));
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (!c.wanted(k) || !has_tangent(c.node.operand(k).type())) continue;
    wrt.push_back(graph->argument(int(k)));
    asked.push_back(k);
  }
  const Values found = reverse_region(c, "checkpoint", *graph, outputs, seeds, wrt);
  graph->results.clear();
  for (const Value& v : found)
    if (v) graph->results.push_back(v);
  if (graph->results.empty()) return {};
  remove_dead_nodes(*graph);
  const ValueMap<int> uses = count_uses(*graph);
  Values arguments, outside;
  for (int k = 0; k < graph->argument_count(); ++k) {
    if (!uses.contains(graph->argument(k))) continue;
    arguments.push_back(graph->argument(k));
    if (std::size_t(k) < count) outside.push_back(c.node.operand(std::size_t(k)));
  }
  std::size_t seed = count;
  for (const Value& cotangent : cotangents) {
    if (!cotangent) continue;
    if (uses.contains(graph->argument(int(seed)))) outside.push_back(cotangent);
    ++seed;
  }
  ValueMap<Value> map;
  add_barriers(c, *graph, arguments, outside, cotangents, map);
  const Values made = clone_body(*graph, c.graph, map);
  Values results(count);
  auto next = made.begin();
  for (std::size_t k = 0; k < found.size(); ++k)
    if (found[k]) results[asked[k]] = *next++;
  return results;
}

// --- Custom vjp ---------------------------------------------------------------------------------

Values custom_jvp(DerivativeContext& c, const Values&) {
  c.refuse("fwd and bwd say its reverse mode alone; mode = \"forward\" has no rule");
}

Values custom_vjp(DerivativeContext& c, const Values& cotangents) {
  const Graph &fwd = c.node.region(1), &bwd = c.node.region(2);
  ValueMap<Value> map;
  for (int k = 0; k < fwd.argument_count(); ++k)
    map[fwd.argument(k)] = c.node.operand(std::size_t(k));
  const Values all = clone_body(fwd, c.graph, map, &c.node);
  const auto end_of_values = all.begin() + std::ptrdiff_t(cotangents.size());
  c.sweep.replace(c.node, Values(all.begin(), end_of_values));
  Values arguments(end_of_values, all.end());
  for (std::size_t k = 0; k < cotangents.size(); ++k)
    if (const Type& type = c.node.result_types()[k]; has_tangent(type))
      arguments.push_back(c.or_zeros(cotangents[k], type));
  ValueMap<Value> back;
  for (std::size_t k = 0; k < arguments.size(); ++k) back[bwd.argument(int(k))] = arguments[k];
  const Values found = clone_body(bwd, c.graph, back);
  Values results;
  auto next = found.begin();
  for (const Value& v : c.node.operands())
    results.push_back(has_tangent(v.type()) ? *next++ : Value{});
  return results;
}

OpDef form(std::string name, std::string doc, InferFn infer, EvalFn eval, Derivative derivative) {
  OpDef op;
  op.name = std::move(name);
  op.doc = std::move(doc);
  op.infer = std::move(infer);
  op.eval = std::move(eval);
  op.derivative = std::move(derivative);
  return op;
}

AttrSpec function_attr(std::string name) {
  return AttrSpec{.name = std::move(name), .kind = AttrKind::symbol, .required = false};
}

}  // namespace

void register_mr_forms(OpRegistry& registry) {
  OpDef custom = form(
      "mr.custom_vjp",
      "Results of `callee`. Reverse mode runs `fwd` instead, which returns those results and "
      "further values, and then `bwd` on the further values and a cotangent for each result of "
      "floats; it returns one for each operand of floats. Expanded by differentiate.",
      infer_custom_vjp, run_callee, Derivative::rules(custom_jvp, custom_vjp));
  custom.attrs = {function_attr("callee"), function_attr("fwd"), function_attr("bwd")};
  registry.add(std::move(custom));

  OpDef checkpoint =
      form("mr.checkpoint",
           "Results of `callee`, of which reverse mode keeps the operands alone: it computes the "
           "rest again. Expanded by differentiate.",
           infer_checkpoint, run_callee, Derivative::rules(checkpoint_jvp, checkpoint_vjp));
  checkpoint.attrs = {function_attr("callee")};
  checkpoint.samples = {
      R"(func.func private @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  %1 = stablehlo.multiply %0, %y : tensor<3xf32>
  %2 = stablehlo.multiply %1, %1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "mr.checkpoint"(%x, %y) {callee = @f} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})"};
  registry.add(std::move(checkpoint));

  registry.add(form(
      "mr.stop_gradient", "Its operands, as if nothing they depend on were differentiated.",
      [](const InferContext& c) { return std::vector<Type>(c.operands.begin(), c.operands.end()); },
      [](const EvalContext& c) {
        return std::vector<Tensor>(c.operands.begin(), c.operands.end());
      },
      Derivative::rules([](DerivativeContext&, const Values&) { return Values{}; },
                        [](DerivativeContext&, const Values&) { return Values{}; })));
}

}  // namespace partita::ir::ops
