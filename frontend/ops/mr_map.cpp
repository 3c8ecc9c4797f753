// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "frontend/ops/mr_support.hpp"
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
