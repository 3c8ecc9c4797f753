// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/windows/library_convolution.hpp"

#include "lowering/context/memory_views.hpp"
#include "partita/ir/window.hpp"

namespace partita::lowering {

using ir::Node;
using ir::Value;

bool lower_library_convolution(Context& context, Node& node, Location to) {
  if (!is_library_convolution(node, context.policy())) return false;
  const Value input = node.operand(0), kernel = node.operand(1);
  const auto source = view_in_memory(context, input), weights = view_in_memory(context, kernel);
  if (!source || !weights || !is_dense(input.type().dims, source->strides)) return false;
  const ir::Convolution conv(input.type(), kernel.type(), node.attrs);
  Convolve step{.batch = conv.batch,
                .groups = conv.groups(),
                .inputs = conv.input,
                .outputs = conv.output,
                .window = {},
                .source = place_of(context, *source),
                .weights = place_of(context, *weights),
                .result = {to.buffer, to.offset},
                .weight_strides = {}};
  for (const ir::WindowDim& w : conv.window)
    step.window.push_back({.input = w.extent,
                           .size = w.size,
                           .stride = w.stride,
                           .dilation = w.window_dilation,
                           .low = w.low,
                           .high = w.high});
  const auto stride = [&](std::int64_t dim) { return weights->strides[std::size_t(dim)]; };
  for (const std::int64_t dim : conv.dims.kernel_spatial)
    step.weight_strides.push_back(stride(dim));
  step.weight_strides.push_back(stride(conv.dims.kernel_input));
  step.weight_strides.push_back(stride(conv.dims.kernel_output));
  context.emit(std::move(step), step_name(node));
  context.count("library_calls");
  return true;
}

}  // namespace partita::lowering
