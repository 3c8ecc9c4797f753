// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Ops that other ops say as well become these, so that kernels, libraries and simplification see few
// kinds: batch normalisations; attention; convolutions whose windows have one element, which are contractions;
// windows that tile the operand and are few and large, which are reductions; remainders of powers of two.
#include <algorithm>
#include <cmath>

#include "ir/interpreter/constants.hpp"
#include "partita/ir/attention.hpp"
#include "partita/ir/maker.hpp"
#include "partita/ir/normalization.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/reduction.hpp"
#include "partita/ir/window.hpp"
#include "partita/passes/pass.hpp"

namespace partita::passes::transforms {
namespace {

using ir::Dict;
using ir::Graph;
using ir::I64s;
using ir::Maker;
using ir::Node;
using ir::Value;
using ir::WindowDim;

/// What stands for a node's results; empty where the node stays.
using Results = std::vector<Value>;

// --- Convolution --------------------------------------------------------------------------------

/// Every window is one element: a contraction over features, of every stride-th element.
Results expand_convolution(Node& node) {
  const Value lhs = node.operand(0), rhs = node.operand(1);
  const ir::Convolution conv(lhs.type(), rhs.type(), node.attrs);
  if (conv.groups() != 1 || node.result_types()[0].count() == 0) return {};
  for (const WindowDim& w : conv.window)
    if (w.size != 1 || w.low != 0 || w.base_dilation != 1 || w.high > 0) return {};
  const Maker m{*node.graph(), &node};
  const ir::ConvolutionDims& d = conv.dims;
  Value input = lhs;
  I64s start(lhs.type().dims.size(), 0), limit = lhs.type().dims, step(start.size(), 1);
  for (std::size_t k = 0; k < conv.window.size(); ++k) {
    const auto dim = std::size_t(d.input_spatial[k]);
    step[dim] = conv.window[k].stride;
    limit[dim] = (conv.window[k].count() - 1) * step[dim] + 1;
  }
  const bool skips = std::ranges::any_of(step, [](std::int64_t s) { return s != 1; });
  if (skips || limit != lhs.type().dims)
    input = m.op("stablehlo.slice", {lhs},
                 {{"start_indices", start}, {"limit_indices", limit}, {"strides", step}});
  I64s order{std::min(d.kernel_input, d.kernel_output), std::max(d.kernel_input, d.kernel_output)};
  const Value matrix = m.reshape(
      rhs, {rhs.type().dims[std::size_t(order[0])], rhs.type().dims[std::size_t(order[1])]});
  Dict attrs{{"lhs_batching_dimensions", I64s{}},
             {"rhs_batching_dimensions", I64s{}},
             {"lhs_contracting_dimensions", I64s{d.input_feature}},
             {"rhs_contracting_dimensions", I64s{d.kernel_input < d.kernel_output ? 0 : 1}}};
  if (const ir::Attribute* precision = node.attrs.find("precision_config"))
    attrs.set("precision_config", *precision);
  // Dimensions of the input without its features, then the output's features.
  I64s place(lhs.type().dims.size());
  Type type{.dtype = node.result_types()[0].dtype, .dims = {}};
  std::int64_t at = 0;
  for (std::int64_t dim = 0; dim < lhs.type().rank(); ++dim) {
    if (dim == d.input_feature) continue;
    const auto spatial = std::ranges::find(d.input_spatial, dim);
    const std::int64_t out = dim == d.input_batch
                                 ? d.output_batch
                                 : d.output_spatial[std::size_t(spatial - d.input_spatial.begin())];
    place[std::size_t(out)] = at++;
    type.dims.push_back(input.type().dims[std::size_t(dim)]);
  }
  place[std::size_t(d.output_feature)] = at;
  type.dims.push_back(conv.output);
  const Value product = m.typed("stablehlo.dot_general", {input, matrix}, type, std::move(attrs));
  return {m.transpose(product, place)};
}

// --- Windows ------------------------------------------------------------------------------------

/// Windows from here on are worth a reduction, which splits them.
constexpr std::int64_t large_window = 1024;

Results expand_reduce_window(Node& node) {
  const std::vector<WindowDim> window = ir::window_dims(node.operand(0).type(), node.attrs);
  std::int64_t elements = 1;
  Dims split;
  I64s dimensions;
  for (const WindowDim& w : window) {
    if (!w.is_identity() && !w.is_tiling()) return {};
    elements *= w.size;
    split.push_back(w.count());
    if (w.size > 1) {
      dimensions.push_back(std::int64_t(split.size()));
      split.push_back(w.size);
    }
  }
  if (elements < large_window || node.operand(0).type().count() == 0) return {};
  const Maker m{*node.graph(), &node};
  const std::size_t n = node.operands().size() / 2;
  std::vector<Value> operands;
  for (std::size_t k = 0; k < n; ++k) operands.push_back(m.reshape(node.operand(k), split));
  for (std::size_t k = n; k < 2 * n; ++k) operands.push_back(node.operand(k));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(ir::clone_graph(node.region(0)));
  Node* made = ir::create(m.graph, "stablehlo.reduce", operands, {{"dimensions", dimensions}},
                          std::move(regions), {}, &node);
  Results results;
  for (std::size_t k = 0; k < n; ++k) results.push_back(made->result(int(k)));
  return results;
}

// --- Remainders ---------------------------------------------------------------------------------

/// |x| - c floor(|x| / c) with the sign of x, which is exact for c = 1, 2, 4, ...: there are vectors for these,
/// and none for a remainder, which divides bit by bit.
Results expand_remainder(Node& node) {
  const Value x = node.operand(0);
  const Type& type = x.type();
  const ir::DenseRef splat = ir::splat_of(node.operand(1));
  if (!splat || (type.dtype != DType::f32 && type.dtype != DType::f64)) return {};
  const double divisor = std::fabs(convert(splat->to_array(), DType::f64).data<DType::f64>()[0]);
  int exponent = 0;
  if (!(divisor >= 1) || std::isinf(divisor) || std::frexp(divisor, &exponent) != 0.5) return {};
  const Maker m{*node.graph(), &node};
  const Value size = m.op("stablehlo.abs", {x});
  const Value turns =
      m.op("stablehlo.floor", {m.op("stablehlo.multiply", {size, m.splat(type, 1 / divisor)})});
  const Value rest = m.op("stablehlo.subtract",
                          {size, m.op("stablehlo.multiply", {turns, m.splat(type, divisor)})});
  return {m.op("stablehlo.multiply", {m.op("stablehlo.sign", {x}), rest})};
}

Results expand(Node& node) {
  if (node.name().starts_with("stablehlo.batch_norm_"))
    return ir::normalization_ops(*node.graph(), node, &node);
  if (node.is("mr.attention")) return ir::attention_ops(*node.graph(), node, &node);
  if (node.is("mr.attention_gradient"))
    return ir::attention_gradient_ops(*node.graph(), node, &node);
  if (node.is("stablehlo.convolution")) return expand_convolution(node);
  if (node.is("stablehlo.reduce_window")) return expand_reduce_window(node);
  if (node.is("stablehlo.remainder")) return expand_remainder(node);
  return {};
}

void run(ir::Module& module, PassContext&) {
  for (const auto& f : module.functions) {
    std::vector<Node*> nodes;
    ir::walk(*f->body, [&](Node& node) { nodes.push_back(&node); });
    ir::ValueMap<Value> map;
    std::vector<Node*> replaced;
    for (Node* node : nodes) {
      const Results results = expand(*node);
      if (results.empty()) continue;
      replaced.push_back(node);
      for (std::size_t k = 0; k < results.size(); ++k) map[node->result(int(k))] = results[k];
    }
    if (replaced.empty()) continue;
    f->body->replace_uses(map);
    for (Node* node : replaced) node->graph()->erase(node);
  }
}

}  // namespace

PassInfo pass_expand_ops();
PassInfo pass_expand_ops() {
  return {.name = "expand-ops",
          .doc =
              "Writes batch normalisations, attention, convolutions, windows and remainders as "
              "simpler ops where these say the same.",
          .needs = Stage::parsed,
          .gives = Stage::parsed,
          .idempotent = true,
          .run = run};
}

}  // namespace partita::passes::transforms
