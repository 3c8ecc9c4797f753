// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Algebra of operations that move data: identities are dropped, chains become one operation.
#include <algorithm>
#include <numeric>

#include "ir/axes/dim_edit.hpp"
#include "ir/interpreter/constants.hpp"
#include "partita/ir/window.hpp"
#include "passes/transforms/simplify/rewriter.hpp"

namespace partita::passes {
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;

bool is_counting(const I64s& list) {
  for (std::size_t d = 0; d < list.size(); ++d)
    if (list[d] != std::int64_t(d)) return false;
  return true;
}

/// For each dimension of `narrow`, the dimension of `wide` it becomes when dimensions of extent 1 are
/// put in between; nothing where more than that happens.
std::optional<I64s> unit_dims_added(const Dims& narrow, const Dims& wide) {
  I64s to;
  std::size_t d = 0;
  for (const std::int64_t extent : narrow) {
    while (d < wide.size() && wide[d] != extent && wide[d] == 1) ++d;
    if (d == wide.size() || wide[d] != extent) return std::nullopt;
    to.push_back(std::int64_t(d++));
  }
  for (; d < wide.size(); ++d)
    if (wide[d] != 1) return std::nullopt;
  return to;
}

Replacement reshape(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  const Type& type = node.result_types()[0];
  if (x.type() == type) return {x};
  if (x.node->is("stablehlo.reshape")) return {r.reshape(x.node->operand(0), type)};
  if (x.node->is("stablehlo.broadcast_in_dim") && x.node->operand(0).type().count() == 1)
    return {r.broadcast(r.reshape(x.node->operand(0), Type::scalar(type.dtype)), type, {})};
  return {};
}

/// The product with its factors exchanged, where a transposition that is all that becomes of it exchanges their
/// dimensions: gradients of weights come so.
Replacement exchanged_product(Node& product, const I64s& permutation, const Type& type,
                              Rewriter& r) {
  if (r.uses(product.result()) != 1 || product.attrs.find("algorithm") != nullptr) return {};
  const I64s &lhs_batch = product.attrs.i64s("lhs_batching_dimensions"),
             &rhs_batch = product.attrs.i64s("rhs_batching_dimensions"),
             &lhs_sum = product.attrs.i64s("lhs_contracting_dimensions"),
             &rhs_sum = product.attrs.i64s("rhs_contracting_dimensions");
  const std::size_t batch = lhs_batch.size(),
                    rows = product.operand(0).type().dims.size() - batch - lhs_sum.size();
  I64s exchange = ir::counting(std::int64_t(batch));
  for (std::size_t d = batch + rows; d < permutation.size(); ++d)
    exchange.push_back(std::int64_t(d));
  for (std::size_t d = batch; d < batch + rows; ++d) exchange.push_back(std::int64_t(d));
  if (permutation != exchange) return {};
  ir::Dict attrs{{"lhs_batching_dimensions", rhs_batch},
                 {"rhs_batching_dimensions", lhs_batch},
                 {"lhs_contracting_dimensions", rhs_sum},
                 {"rhs_contracting_dimensions", lhs_sum}};
  if (const ir::Attribute* precision = product.attrs.find("precision_config")) {
    const auto* list = precision->get_if<ir::List>();
    ir::List exchanged = list ? *list : ir::List{};
    std::ranges::reverse(exchanged.items);
    attrs.set("precision_config", std::move(exchanged));
  }
  return {r.value("stablehlo.dot_general", {product.operand(1), product.operand(0)},
                  std::move(attrs), {&type, 1})};
}

Replacement transpose(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  const I64s& permutation = node.attrs.i64s("permutation");
  if (is_counting(permutation)) return {x};
  if (x.node->is("stablehlo.transpose")) {
    const I64s& inner = x.node->attrs.i64s("permutation");
    I64s both;
    for (const std::int64_t d : permutation) both.push_back(inner[std::size_t(d)]);
    return {r.value("stablehlo.transpose", {x.node->operand(0)}, {{"permutation", both}})};
  }
  I64s moved;  // dimensions of more than one element, in their new order
  for (const std::int64_t d : permutation)
    if (x.type().dims[std::size_t(d)] != 1) moved.push_back(d);
  if (std::ranges::is_sorted(moved)) return {r.reshape(x, node.result_types()[0])};
  if (x.node->is("stablehlo.dot_general"))
    return exchanged_product(*x.node, permutation, node.result_types()[0], r);
  if (!x.node->is("stablehlo.broadcast_in_dim")) return {};
  I64s dims;
  for (const std::int64_t d : x.node->attrs.i64s("broadcast_dimensions"))
    dims.push_back(std::ranges::find(permutation, d) - permutation.begin());
  if (!std::ranges::is_sorted(dims)) return {};
  return {r.broadcast(x.node->operand(0), node.result_types()[0], dims)};
}

Replacement broadcast_in_dim(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  const Type& type = node.result_types()[0];
  const I64s& dims = node.attrs.i64s("broadcast_dimensions");
  if (x.type() == type && is_counting(dims)) return {x};
  if (x.type().count() == type.count() && std::ranges::is_sorted(dims)) return {r.reshape(x, type)};
  if (x.node->is("stablehlo.broadcast_in_dim")) {
    I64s both;
    for (const std::int64_t d : x.node->attrs.i64s("broadcast_dimensions"))
      both.push_back(dims[std::size_t(d)]);
    return {r.broadcast(x.node->operand(0), type, both)};
  }
  if (!x.node->is("stablehlo.reshape")) return {};
  const Value inner = x.node->operand(0);
  if (const auto added = unit_dims_added(inner.type().dims, x.type().dims)) {
    I64s both;
    for (const std::int64_t d : *added) both.push_back(dims[std::size_t(d)]);
    return {r.broadcast(inner, type, both)};
  }
  return {};
}

/// Bounds of a slice along each dimension.
struct SliceBounds {
  I64s start, limit, stride;
};
SliceBounds bounds_of(const Node& node) {
  return {node.attrs.i64s("start_indices"), node.attrs.i64s("limit_indices"),
          node.attrs.i64s("strides")};
}
Value make_slice(Rewriter& r, Value x, const SliceBounds& b) {
  return r.value("stablehlo.slice", {x},
                 {{"start_indices", b.start}, {"limit_indices", b.limit}, {"strides", b.stride}});
}

Replacement slice_of_concatenation(Node& node, Rewriter& r) {
  const Node& joined = *node.operand(0).node;
  const auto d = std::size_t(joined.attrs.i64("dimension"));
  SliceBounds b = bounds_of(node);
  std::int64_t offset = 0;
  for (const Value& part : joined.operands()) {
    const std::int64_t end = offset + part.type().dims[d];
    if (b.start[d] >= offset && b.limit[d] <= end && b.start[d] < b.limit[d]) {
      b.start[d] -= offset;
      b.limit[d] -= offset;
      return {make_slice(r, part, b)};
    }
    offset = end;
  }
  return {};
}

Replacement slice(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  if (x.type() == node.result_types()[0]) return {x};
  if (x.node->is("stablehlo.concatenate")) return slice_of_concatenation(node, r);
  if (!x.node->is("stablehlo.slice")) return {};
  const SliceBounds inner = bounds_of(*x.node);
  SliceBounds b = bounds_of(node);
  for (std::size_t d = 0; d < b.start.size(); ++d) {
    const std::int64_t count = node.result_types()[0].dims[d];
    // Of nothing, which may begin behind the end of what the inner slice takes: from anywhere.
    b.start[d] = count == 0 ? 0 : inner.start[d] + b.start[d] * inner.stride[d];
    b.stride[d] = count > 1 ? b.stride[d] * inner.stride[d] : 1;
    b.limit[d] = count == 0 ? b.start[d] : b.start[d] + (count - 1) * b.stride[d] + 1;
  }
  return {make_slice(r, x.node->operand(0), b)};
}

Replacement dynamic_slice(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  if (x.type() == node.result_types()[0]) return {x};
  SliceBounds b;
  for (std::size_t d = 0; d < x.type().dims.size(); ++d) {
    const std::int64_t size = node.result_types()[0].dims[d], last = x.type().dims[d] - size;
    const auto start = integers_of(node.operand(d + 1), 1);
    if (!start && last != 0) return {};
    b.start.push_back(start ? std::clamp<std::int64_t>((*start)[0], 0, last) : 0);
    b.limit.push_back(b.start.back() + size);
    b.stride.push_back(1);
  }
  return {make_slice(r, x, b)};
}

Replacement dynamic_update_slice(Node& node, Rewriter&) {
  if (node.operand(1).type() == node.operand(0).type()) return {node.operand(1)};
  if (node.operand(1).type().count() == 0) return {node.operand(0)};
  return {};
}

Replacement pad(Node& node, Rewriter&) {
  const auto is_zero = [&](std::string_view name) {
    return std::ranges::all_of(node.attrs.i64s(name), [](auto p) { return p == 0; });
  };
  if (node.operand(0).type() == node.result_types()[0] && is_zero("edge_padding_low") &&
      is_zero("edge_padding_high"))
    return {node.operand(0)};
  return {};
}

Replacement concatenate(Node& node, Rewriter& r) {
  const auto d = std::size_t(node.attrs.i64("dimension"));
  std::vector<Value> parts;
  for (const Value& v : node.operands()) {
    if (v.type().dims[d] == 0) continue;
    const bool is_joined = v.node->is("stablehlo.concatenate") &&
                           v.node->attrs.i64("dimension") == std::int64_t(d) && r.uses(v) == 1;
    if (is_joined)
      parts.insert(parts.end(), v.node->operands().begin(), v.node->operands().end());
    else
      parts.push_back(v);
  }
  if (parts.empty()) return {node.operand(0)};
  if (parts.size() == 1) return {parts[0]};
  if (parts == node.operands()) return {};
  return {r.value("stablehlo.concatenate", parts, {{"dimension", std::int64_t(d)}})};
}

Replacement reverse(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  I64s dims;
  for (const std::int64_t d : node.attrs.i64s("dimensions"))
    if (x.type().dims[std::size_t(d)] > 1) dims.push_back(d);
  if (dims.empty()) return {x};
  if (x.node->is("stablehlo.reverse") && x.node->attrs.i64s("dimensions") == dims)
    return {x.node->operand(0)};
  if (dims == node.attrs.i64s("dimensions")) return {};
  return {r.value("stablehlo.reverse", {x}, {{"dimensions", dims}})};
}

Replacement iota(Node& node, Rewriter& r) {
  const Type& type = node.result_types()[0];
  if (type.dims[std::size_t(node.attrs.i64("iota_dimension"))] != 1) return {};
  return {r.splat(type, 0)};
}

/// Whether an array holds zeros whose bits are.
bool is_plain_zero(Value v) {
  const ir::DenseRef splat = splat_of(v);
  return splat != nullptr && std::ranges::all_of(splat->to_array().bytes,
                                                 [](std::byte b) { return b == std::byte{0}; });
}

/// Zeros around a convolution's input are its padding.
Replacement padded_convolution(Node& node, Rewriter& r) {
  const Value x = node.operand(0);
  if (!x.node->is("stablehlo.pad") || r.uses(x) != 1 || !is_plain_zero(x.node->operand(1)))
    return {};
  const ir::Convolution conv(x.type(), node.operand(1).type(), node.attrs);
  const I64s &low = x.node->attrs.i64s("edge_padding_low"),
             &high = x.node->attrs.i64s("edge_padding_high"),
             &interior = x.node->attrs.i64s("interior_padding");
  I64s padding;
  std::vector<bool> is_spatial(low.size());
  for (std::size_t k = 0; k < conv.window.size(); ++k) {
    const auto d = std::size_t(conv.dims.input_spatial[k]);
    const ir::WindowDim& w = conv.window[k];
    is_spatial[d] = true;
    if (w.base_dilation != 1 && (low[d] != 0 || high[d] != 0)) return {};
    padding.push_back(w.low + low[d]);
    padding.push_back(w.high + high[d]);
  }
  for (std::size_t d = 0; d < low.size(); ++d)
    if (interior[d] != 0 || low[d] < 0 || high[d] < 0 ||
        (!is_spatial[d] && (low[d] != 0 || high[d] != 0)))
      return {};
  ir::Dict attrs = node.attrs;
  attrs.set("padding", ir::padding_attribute(padding));
  return {r.value("stablehlo.convolution", {x.node->operand(0), node.operand(1)}, attrs)};
}

/// A gather of one window is a slice at an index.
Replacement gather_of_one_window(Node& node, Rewriter& r) {
  const Value x = node.operand(0), indices = node.operand(1);
  const I64s& map = node.attrs.i64s("start_index_map");
  if (indices.type().count() != std::int64_t(map.size()) || map.empty()) return {};
  const Type one{.dtype = indices.type().dtype, .dims = {std::int64_t(map.size())}},
      scalar = Type::scalar(one.dtype);
  const Value list = r.reshape(indices, one);
  const Value zero = r.splat(scalar, 0);
  std::vector<Value> operands(x.type().dims.size() + 1, zero);
  operands[0] = x;
  for (std::size_t k = 0; k < map.size(); ++k) {
    const auto at = std::int64_t(k);
    operands[std::size_t(map[k]) + 1] =
        r.reshape(make_slice(r, list, {{at}, {at + 1}, {1}}), scalar);
  }
  const Value window = r.value("stablehlo.dynamic_slice", operands,
                               {{"slice_sizes", node.attrs.i64s("slice_sizes")}});
  return {r.reshape(window, node.result_types()[0])};
}

}  // namespace

void add_shape_rules(RuleTable& table) {
  table["stablehlo.reshape"].push_back(reshape);
  table["stablehlo.transpose"].push_back(transpose);
  table["stablehlo.broadcast_in_dim"].push_back(broadcast_in_dim);
  table["stablehlo.slice"].push_back(slice);
  table["stablehlo.dynamic_slice"].push_back(dynamic_slice);
  table["stablehlo.dynamic_update_slice"].push_back(dynamic_update_slice);
  table["stablehlo.pad"].push_back(pad);
  table["stablehlo.concatenate"].push_back(concatenate);
  table["stablehlo.reverse"].push_back(reverse);
  table["stablehlo.iota"].push_back(iota);
  table["stablehlo.convolution"].push_back(padded_convolution);
  table["stablehlo.gather"].push_back(gather_of_one_window);
}

}  // namespace partita::passes
