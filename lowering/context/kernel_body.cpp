// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/context/kernel_body.hpp"

#include <algorithm>

#include "partita/scalar/elementwise.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::Node;
using ir::Value;
using scalar::ExprId;

std::int32_t KernelBody::buffer(const Location& at, DType d, bool is_written) {
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    if (buffers_[k].buffer != at.buffer || !(buffers_[k].offset == at.offset) ||
        kernel().buffers[k].dtype != d)
      continue;
    if (is_written) mark_written(std::int32_t(k));
    return std::int32_t(k);
  }
  buffers_.push_back({at.buffer, at.offset});
  return new_buffer(d, is_written);
}

ExprId KernelBody::scalar(const HostExpr& value) {
  if (value.is_constant()) return pool().index(value.value());
  const auto it = std::ranges::find(scalars_, value);
  if (it != scalars_.end()) return pool().scalar(std::int32_t(it - scalars_.begin()));
  return parameter(value);
}

ExprId KernelBody::parameter(const HostExpr& value) {
  scalars_.push_back(value);
  return new_scalar();
}

ExprId KernelBody::load_memory(const Location& at, const Type& type,
                               std::span<const ExprId> index) {
  largest_count_ = std::max(largest_count_, type.count());
  return pool().load(buffer(at, type.dtype, false), type.dtype,
                     scalar::linear_index(pool(), index, type.dims));
}

ExprId KernelBody::load_slice(const Slice& slice, const Type& type, std::span<const ExprId> index) {
  // In memory: the slice starts at an offset that the host computes.
  if (!context_.is_placed(slice.whole)) {
    std::vector<ExprId> whole_index;
    ExprId partition = scalar(slice.first);
    if (slice.is_block)
      partition = pool().add(
          partition, pool().min(index[0], pool().sub(scalar(slice.count), pool().index(1))));
    whole_index.push_back(partition);
    whole_index.insert(whole_index.end(), index.begin() + (slice.is_block ? 1 : 0), index.end());
    return element(slice.whole, whole_index);
  }
  const Type& whole = slice.whole.type();
  std::int64_t stride = 1;
  for (std::size_t d = 1; d < whole.dims.size(); ++d) stride *= whole.dims[d];
  Location at = context_.place_of(slice.whole);
  at.offset = at.offset + slice.first * HostExpr(stride);
  if (!slice.is_block) return load_memory(at, type, index);
  // Partitions beyond the count repeat the last one, so that the last block reads nothing foreign.
  std::vector<ExprId> clamped(index.begin(), index.end());
  clamped[0] = pool().min(index[0], pool().sub(scalar(slice.count), pool().index(1)));
  return load_memory(at, type, clamped);
}

void KernelBody::define(Value v, ExprId e) {
  const auto [it, is_new] = defined_.emplace(v, e);
  if (is_new || it->second == e) return;
  it->second = e;
  memo_.clear();  // what was made of it before
}

ExprId KernelBody::combined(const ir::Graph& region, std::size_t k) {
  return element(region.results.at(k), {});
}

ExprId KernelBody::element(Value v, std::span<const ExprId> index) {
  if (const auto it = defined_.find(v); it != defined_.end()) return it->second;
  if (context_.is_host(v)) return pool().from_index(scalar(context_.host_value(v)), v.type().dtype);
  const auto key = std::pair(v, std::vector<ExprId>(index.begin(), index.end()));
  if (const auto it = memo_.find(key); it != memo_.end()) return it->second;
  ExprId e;
  if (const Slice* slice = context_.slice(v)) {
    e = load_slice(*slice, v.type(), index);
  } else if (context_.is_placed(v)) {
    e = load_memory(context_.place_of(v), v.type(), index);
  } else {
    e = inline_node(v, index);
  }
  memo_.emplace(key, e);
  return e;
}

ExprId KernelBody::inline_node(Value v, std::span<const ExprId> index) {
  Node& node = *v.node;
  if (node.is("stablehlo.constant")) {
    const auto& dense = **node.attrs.find("value")->get_if<ir::DenseRef>();
    if (dense.is_splat()) return pool().constant_of(v.type().dtype, dense.bytes());
    return load_memory(context_.memory(v), v.type(), index);
  }
  const auto load = [&](int operand, std::span<const ExprId> at) {
    return element(node.operand(std::size_t(operand)), at);
  };
  if (node.op().lower) return node.op().lower(node, v.index, pool(), index, load);
  if (node.op().row != nullptr) {
    std::vector<ExprId> operands;
    for (const Value& x : node.operands())
      operands.push_back(element(x, x.type().dims.empty() ? std::span<const ExprId>{} : index));
    return pool().apply(node.op().row->name, node.operands().back().type().dtype, operands);
  }
  throw_user_error(cat(node.name(), ": has no kernel on this target"), node.location());
}

}  // namespace partita::lowering
