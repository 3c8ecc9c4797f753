// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/control/control_derivatives.hpp"
#include "ops/placements/mr_support.hpp"
#include "partita/ir/interpreter.hpp"

namespace partita::ir::ops {
namespace {

/// Entries of in_axes or out_axes; all 0 when absent.
I64s axes_of(const Dict& attrs, std::string_view name, std::size_t count) {
  return attrs.contains(name) ? attrs.i64s(name) : I64s(count, 0);
}

I64s checked_axes(const InferContext& c, std::string_view name, std::size_t count) {
  I64s axes = axes_of(c.attrs, name, count);
  expect_size(c, name, axes, std::int64_t(count));
  for (const std::int64_t axis : axes)
    c.expect(axis >= -1, cat("dimensions or -1 in ", name), to_text(axes));
  return axes;
}

/// One partition's part of each operand is an argument of the region.
void expect_arguments(const InferContext& c, const I64s& in_axes) {
  const std::vector<Value> arguments = c.regions[0]->arguments();
  c.expect(arguments.size() == c.operands.size(),
           cat("a region of ", c.operands.size(), " arguments"), cat(arguments.size()));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Type wanted = in_axes[k] < 0 ? c.operands[k] : without_axis(c.operands[k], in_axes[k]);
    c.expect(arguments[k].type() == wanted,
             cat("argument ", k, " of the region of type ", to_string(wanted)),
             to_string(arguments[k].type()));
  }
}

std::vector<Type> infer(const InferContext& c) {
  c.expect(c.regions.size() == 1, "1 region", cat(c.regions.size()));
  const std::vector<Value>& results = c.regions[0]->results;
  c.expect(!results.empty(), "a region that returns at least 1 value", "none");
  const I64s in_axes = checked_axes(c, "in_axes", c.operands.size());
  const I64s out_axes = checked_axes(c, "out_axes", results.size());
  PlacementSize n(c, c.attrs.text("placement"));
  for (std::size_t k = 0; k < c.operands.size(); ++k)
    if (in_axes[k] >= 0) n.expect(cat("operand ", k), c.operands[k], in_axes[k]);
  expect_arguments(c, in_axes);
  std::vector<Type> types;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Type& type = results[k].type();
    c.expect(out_axes[k] <= type.rank(),
             cat("an entry of out_axes of at most ", type.rank(), " for ", to_string(type)),
             cat(out_axes[k]));
    if (!c.module && k < c.declared_results.size() && out_axes[k] >= 0)
      n.expect(cat("result ", k), c.declared_results[k], out_axes[k]);
    types.push_back(out_axes[k] < 0 ? type : with_axis(type, out_axes[k], n.size()));
  }
  return types;
}

std::int64_t size_of(const EvalContext& c, const I64s& in_axes, const I64s& out_axes) {
  for (std::size_t k = 0; k < in_axes.size(); ++k)
    if (in_axes[k] >= 0) return c.operands[k]->type.dims[std::size_t(in_axes[k])];
  for (std::size_t k = 0; k < out_axes.size(); ++k)
    if (out_axes[k] >= 0) return c.result_type(int(k)).dims[std::size_t(out_axes[k])];
  return c.interpreter.module().placement_size(c.node.attrs.text("placement")).value_or(1);
}

/// Results of the region for partition i.
std::vector<Tensor> run_partition(const EvalContext& c, const I64s& in_axes, std::int64_t i) {
  std::vector<Tensor> arguments;
  for (std::size_t k = 0; k < in_axes.size(); ++k) {
    if (in_axes[k] < 0)
      arguments.push_back(c.operands[k]);
    else
      arguments.push_back(
          std::make_shared<const HostArray>(slice_of(*c.operands[k], in_axes[k], i)));
  }
  c.interpreter.partitions.emplace_back(c.node.attrs.text("placement"), i);
  std::vector<Tensor> results = c.run_region(0, std::move(arguments));
  c.interpreter.partitions.pop_back();
  return results;
}

std::vector<Tensor> eval(const EvalContext& c) {
  const I64s in_axes = axes_of(c.node.attrs, "in_axes", c.operands.size());
  const I64s out_axes = axes_of(c.node.attrs, "out_axes", c.node.result_types().size());
  std::vector<std::shared_ptr<HostArray>> results;
  for (const Type& type : c.node.result_types())
    results.push_back(std::make_shared<HostArray>(type));
  const std::int64_t n = size_of(c, in_axes, out_axes);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::vector<Tensor> values = run_partition(c, in_axes, i);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (out_axes[k] >= 0) {
        put_slice(*values[k], *results[k], out_axes[k], i);
      } else if (i == 0) {
        *results[k] = *values[k];
      } else if (results[k]->bytes != values[k]->bytes) {
        throw_user_error(
            cat("mr.map: expected result ", k,
                ", whose axis is -1, to be the same in all partitions, found partition ", i,
                " to differ from partition 0"),
            c.node.location());
      }
    }
  }
  return {results.begin(), results.end()};
}

// --- Derivative ------------------------------------------------------------------------------------

Values results_of(Node& node, std::size_t first, std::size_t count) {
  Values results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(node.result(int(first + k)));
  return results;
}

/// Size of the placement: whatever has its axis says it.
std::int64_t placement_size(const Node& node, const I64s& in_axes, const I64s& out_axes) {
  for (std::size_t k = 0; k < in_axes.size(); ++k)
    if (in_axes[k] >= 0) return node.operand(k).type().dims[std::size_t(in_axes[k])];
  for (std::size_t k = 0; k < out_axes.size(); ++k)
    if (out_axes[k] >= 0) return node.result_types()[k].dims[std::size_t(out_axes[k])];
  return 1;
}

Node* make_map(Graph& graph, const Node& like, std::unique_ptr<Graph> region, Values operands,
               I64s in_axes, I64s out_axes, std::int64_t n, Node* before = nullptr) {
  std::vector<Type> types;
  for (std::size_t k = 0; k < out_axes.size(); ++k) {
    const Type& type = region->results[k].type();
    types.push_back(out_axes[k] < 0 ? type : with_axis(type, out_axes[k], n));
  }
  Dict attrs = like.attrs;
  attrs.set("in_axes", std::move(in_axes));
  attrs.set("out_axes", std::move(out_axes));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(region));
  return create(graph, "mr.map", std::move(operands), std::move(attrs), std::move(regions), types,
                before, like.location());
}

/// One map that computes results and tangents.
Values jvp(DerivativeContext& c, const Values& tangents) {
  I64s in_axes = axes_of(c.node.attrs, "in_axes", tangents.size());
  I64s out_axes = axes_of(c.node.attrs, "out_axes", c.node.result_types().size());
  const std::int64_t n = placement_size(c.node, in_axes, out_axes);
  const Graph& body = c.node.region(0);
  auto region = std::make_unique<Graph>();
  ValueMap<Value> map, inner;
  Values operands = c.node.operands();
  for (int k = 0; k < body.argument_count(); ++k)
    map[body.argument(k)] = region->add_argument(body.argument(k).type(), body.argument_hint(k));
  for (std::size_t k = 0; k < tangents.size(); ++k) {
    if (!tangents[k]) continue;
    inner[region->argument(int(k))] = region->add_argument(body.argument(int(k)).type());
    operands.push_back(tangents[k]);
    in_axes.push_back(in_axes[k]);
  }
  const ForwardRegion forward = forward_region(c, "map", body, *region, map, inner);
  region->results = forward.results;
  const std::size_t count = forward.results.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (!forward.tangents[k]) continue;
    region->results.push_back(forward.tangents[k]);
    out_axes.push_back(out_axes[k]);
  }
  Node* made = make_map(c.graph, c.node, std::move(region), std::move(operands), std::move(in_axes),
                        std::move(out_axes), n);
  c.sweep.replace(c.node, results_of(*made, 0, count));
  Values results;
  std::size_t at = count;
  for (std::size_t k = 0; k < count; ++k)
    results.push_back(forward.tangents[k] ? made->result(int(at++)) : Value{});
  return results;
}

/// The map's body with its reverse: arguments for cotangents follow the map's own; results are the
/// map's, then the cotangents of `inputs` that are not zero.
struct ReversedBody {
  std::unique_ptr<Graph> graph;
  std::vector<std::size_t> inputs;  ///< operands
};
ReversedBody reversed_body(const DerivativeContext& c, const Values& cotangents,
                           const I64s& out_axes) {
  ReversedBody out{clone_graph(c.node.region(0)), {}};
  Graph& graph = *out.graph;
  const std::size_t count = c.node.operands().size();
  const DerivativeContext inside(c.node, graph, c.sweep, c.path);
  Values outputs, seeds, wrt;
  for (std::size_t k = 0; k < cotangents.size(); ++k) {
    if (!cotangents[k]) continue;
    Value seed = graph.add_argument(graph.results[k].type());
    // A result that is the same everywhere is partition 0's.
    if (out_axes[k] < 0) {
      const Value index =
          inside.op("mr.partition_index", {}, {{"placement", c.node.attrs.text("placement")}});
      const Value is_first = inside.compare("EQ", index, inside.zeros(index.type()));
      seed = inside.select(is_first, seed, inside.zeros(seed.type()));
    }
    outputs.push_back(graph.results[k]);
    seeds.push_back(seed);
  }
  std::vector<std::size_t> asked;
  for (std::size_t k = 0; k < count; ++k) {
    if (!c.wanted(k) || !has_tangent(c.node.operand(k).type())) continue;
    wrt.push_back(graph.argument(int(k)));
    asked.push_back(k);
  }
  const Values found = reverse_region(c, "map", graph, outputs, seeds, wrt);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!found[k]) continue;
    graph.results.push_back(found[k]);
    out.inputs.push_back(asked[k]);
  }
  return out;
}

/// A map that also returns what its reverse needs, and the map of the reverse.
Values vjp(DerivativeContext& c, const Values& cotangents) {
  const std::size_t count = c.node.operands().size(), primal = cotangents.size();
  const I64s in_axes = axes_of(c.node.attrs, "in_axes", count);
  I64s out_axes = axes_of(c.node.attrs, "out_axes", primal);
  const std::int64_t n = placement_size(c.node, in_axes, out_axes);
  const ReversedBody reversed = reversed_body(c, cotangents, out_axes);
  if (reversed.inputs.empty()) return {};
  SplitRegion split = split_region(*reversed.graph, primal, int(count));
  const I64s primal_axes = out_axes;
  out_axes.resize(split.forward->results.size(), 0);
  Node* forward = &c.node;
  if (out_axes.size() > primal) {
    forward = make_map(c.graph, c.node, std::move(split.forward), c.node.operands(), in_axes,
                       out_axes, n, &c.node);
    mark_residuals(*forward, primal, out_axes.size() - primal);
    c.sweep.replace(c.node, results_of(*forward, 0, primal));
  }
  Values operands;
  I64s axes, result_axes;
  std::size_t residual = primal;
  for (const int argument : split.residuals) {
    operands.push_back(argument >= 0 ? c.node.operand(std::size_t(argument))
                                     : forward->result(int(residual++)));
    axes.push_back(argument >= 0 ? in_axes[std::size_t(argument)] : 0);
  }
  for (std::size_t k = 0; k < primal; ++k) {
    if (!cotangents[k]) continue;
    operands.push_back(cotangents[k]);
    axes.push_back(primal_axes[k]);
  }
  for (const std::size_t k : reversed.inputs)
    result_axes.push_back(std::max<std::int64_t>(in_axes[k], 0));
  Node* backward = make_map(c.graph, c.node, std::move(split.backward), std::move(operands),
                            std::move(axes), std::move(result_axes), n);
  // What the map itself keeps (of an earlier derivative) is not said of its reverse.
  backward->attrs.erase("mr.residuals");
  Values results(count);
  for (std::size_t i = 0; i < reversed.inputs.size(); ++i) {
    const std::size_t k = reversed.inputs[i];
    results[k] = backward->result(int(i));
    if (in_axes[k] < 0)
      results[k] =
          c.op("mr.reduce_sum", {results[k]}, {{"placement", c.node.attrs.text("placement")}});
  }
  return results;
}

}  // namespace

void register_mr_map(OpRegistry& registry) {
  OpDef op;
  op.name = "mr.map";
  op.doc =
      "Runs the region for each partition of the placement; in_axes and out_axes say which "
      "dimension is the placement's, -1 none.";
  op.attrs = {placement_attr(),
              AttrSpec{.name = "in_axes", .kind = AttrKind::i64s, .required = false},
              AttrSpec{.name = "out_axes", .kind = AttrKind::i64s, .required = false}};
  op.infer = infer;
  op.eval = eval;
  op.derivative = Derivative::rules(jvp, vjp);
  op.samples = {R"(module attributes {mr.placements = {clients = 3}} {
func.func @main(%a: tensor<3x2xf32>, %b: tensor<3xf32>) -> tensor<3x2xf32> {
  %0 = "mr.map"(%a, %b) ({
  ^bb0(%x: tensor<2xf32>, %y: tensor<f32>):
    %1 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.add %x, %1 : tensor<2xf32>
    "mr.return"(%2) : (tensor<2xf32>) -> ()
  }) {placement = "clients", in_axes = array<i64: 0, 0>, out_axes = array<i64: 0>} : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
})"};
  registry.add(std::move(op));
}

}  // namespace partita::ir::ops
