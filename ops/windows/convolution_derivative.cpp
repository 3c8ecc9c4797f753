// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "ops/windows/window_derivatives.hpp"
#include "partita/ir/op.hpp"
#include "partita/ir/window.hpp"

namespace partita::ir::ops {
namespace {

/// A convolution whose windows are given by dimension.
Value convolved(const DerivativeContext& c, Value lhs, Value rhs, const ConvolutionDims& dims,
                const std::vector<WindowDim>& window, std::int64_t feature_groups,
                std::int64_t batch_groups) {
  I64s strides, base, dilation, padding;
  Bools reversal;
  for (const WindowDim& w : window) {
    strides.push_back(w.stride);
    base.push_back(w.base_dilation);
    dilation.push_back(w.window_dilation);
    padding.insert(padding.end(), {w.low, w.high});
    reversal.values.push_back(w.is_reversed);
  }
  Dict attrs{{"dimension_numbers", dimension_numbers(dims)},
             {"window_strides", strides},
             {"padding", padding_attribute(padding)},
             {"lhs_dilation", base},
             {"rhs_dilation", dilation},
             {"window_reversal", reversal},
             {"feature_group_count", feature_groups},
             {"batch_group_count", batch_groups}};
  if (const Attribute* precision = c.node.attrs.find("precision_config"))
    attrs.set("precision_config", *precision);
  const Type declared{.dtype = c.node.result_types()[0].dtype,
                      .dims = Convolution(lhs.type(), rhs.type(), attrs).result_dims()};
  return c.op("stablehlo.convolution", {lhs, rhs}, std::move(attrs), declared);
}

/// Dimension d, of extent groups * n, as a dimension of groups in front of dimension `to`, joined
/// with it.
Value moved_groups(const DerivativeContext& c, Value v, std::int64_t d, std::int64_t to,
                   std::int64_t groups) {
  if (groups == 1) return v;
  Dims dims = v.type().dims;
  const std::int64_t n = dims[std::size_t(d)] / groups;
  dims[std::size_t(d)] = n;
  Dims split = dims, joined = dims;
  split.insert(split.begin() + d, groups);
  I64s order;  // dimensions of `split`: d holds the groups, and those from d on are one further
  for (std::int64_t k = 0; k < v.type().rank(); ++k) {
    if (k == to) order.push_back(d);
    order.push_back(k < d ? k : k + 1);
  }
  joined[std::size_t(to)] *= groups;
  return c.reshape(c.transpose(c.reshape(v, split), order), joined);
}

/// The cotangent, spread by the strides, with the kernel back to front.
Value lhs_vjp(const DerivativeContext& c, Value cotangent) {
  const Type& type = c.node.operand(0).type();
  const Convolution conv(type, c.node.operand(1).type(), c.node.attrs);
  ConvolutionDims d = conv.dims;
  const Value kernel =
      moved_groups(c, c.node.operand(1), d.kernel_output, d.kernel_input, conv.groups());
  std::swap(d.input_batch, d.output_batch);
  std::swap(d.input_feature, d.output_feature);
  std::swap(d.input_spatial, d.output_spatial);
  std::swap(d.kernel_input, d.kernel_output);
  std::vector<WindowDim> window;
  for (const WindowDim& w : conv.window) {
    WindowDim& t = window.emplace_back(w);
    t.extent = w.count();
    std::swap(t.stride, t.base_dilation);
    t.low = (w.size - 1) * w.window_dilation - w.low;
    t.high = w.spread() + w.low - t.spread();
    t.is_reversed = !w.is_reversed;
  }
  const Value v = convolved(c, cotangent, kernel, d, window, conv.groups(), 1);
  // Groups of batches come as groups of features.
  return moved_groups(c, v, d.output_feature, d.output_batch, conv.batch_groups);
}

/// Windows as large as the result, batches as features; groups of features are groups of batches,
/// and the other way round.
Value rhs_vjp(const DerivativeContext& c, Value cotangent) {
  const Convolution conv(c.node.operand(0).type(), c.node.operand(1).type(), c.node.attrs);
  const ConvolutionDims& from = conv.dims;
  ConvolutionDims d = from;
  std::swap(d.input_batch, d.input_feature);
  d.kernel_input = from.output_batch;
  d.kernel_output = from.output_feature;
  d.kernel_spatial = from.output_spatial;
  d.output_batch = from.kernel_input;
  d.output_feature = from.kernel_output;
  d.output_spatial = from.kernel_spatial;
  std::vector<WindowDim> window;
  I64s reversed;
  for (std::size_t k = 0; k < conv.window.size(); ++k) {
    const WindowDim& w = conv.window[k];
    WindowDim& t = window.emplace_back(w);
    t.size = w.count();
    std::swap(t.stride, t.window_dilation);
    t.high = (w.size - 1) * w.window_dilation + (t.size - 1) * w.stride + 1 - w.low - w.spread();
    t.is_reversed = false;
    if (w.is_reversed) reversed.push_back(from.kernel_spatial[k]);
  }
  const Value v =
      convolved(c, c.node.operand(0), cotangent, d, window, conv.batch_groups, conv.feature_groups);
  return reversed.empty() ? v : c.op("stablehlo.reverse", {v}, {{"dimensions", reversed}});
}

Values vjp(DerivativeContext& c, const Values& cotangents) {
  Values results(2);
  for (const Value& v : c.node.operands())
    if (v.type().count() == 0) return results;
  if (cotangents[0].type().count() == 0) return results;
  for (const std::size_t k : {0, 1}) {
    if (!c.wanted(k)) continue;
    const Value v = k == 0 ? lhs_vjp(c, cotangents[0]) : rhs_vjp(c, cotangents[0]);
    results[k] = c.convert(v, c.node.operand(k).type().dtype);
  }
  return results;
}

}  // namespace

Derivative convolution_derivative() { return Derivative::linear_in_each({0, 1}, vjp); }

}  // namespace partita::ir::ops
