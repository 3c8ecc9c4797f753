// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/values/strided_view.hpp"

#include <algorithm>

namespace partita::lowering {
namespace {

using ir::I64s;
using ir::Node;
using ir::Value;

/// Strides of a reshape of a strided array, when no element has to move.
std::optional<Dims> reshaped_strides(const Dims& from, const Dims& strides, const Dims& to) {
  Dims result(to.size(), 0);
  std::size_t i = 0, o = 0;
  while (i < from.size() || o < to.size()) {
    std::int64_t in = i < from.size() ? from[i] : 1, out = o < to.size() ? to[o] : 1;
    const std::size_t i0 = i, o0 = o;
    if (i < from.size()) ++i;
    if (o < to.size()) ++o;
    while (in != out) {
      if (in < out) {
        if (i == from.size()) return std::nullopt;
        in *= from[i++];
      } else {
        if (o == to.size()) return std::nullopt;
        out *= to[o++];
      }
    }
    // Dimensions i0…i of the source must be contiguous among themselves.
    std::int64_t stride = 0, extent = 1;
    for (std::size_t d = i; d-- > i0;) {
      if (from[d] == 1) continue;
      if (extent == 1)
        stride = strides[d];
      else if (strides[d] != stride * extent)
        return std::nullopt;
      extent *= from[d];
    }
    for (std::size_t d = o; d-- > o0;) {
      result[d] = stride;
      stride *= to[d];
    }
  }
  return result;
}

}  // namespace

std::optional<StridedView> strided_view(Value v, const std::function<bool(Value)>& is_root,
                                        const std::function<bool(Value)>& is_host,
                                        const HostValueFn& host_value) {
  if (is_root(v)) return StridedView{v, row_major_strides(v.type().dims), HostExpr(0)};
  Node& node = *v.node;
  const auto inner = [&] { return strided_view(node.operand(0), is_root, is_host, host_value); };
  if (node.is("stablehlo.optimization_barrier") || node.is("sdy.sharding_constraint"))
    return strided_view(node.operand(std::size_t(v.index)), is_root, is_host, host_value);
  if (node.is("stablehlo.transpose")) {
    auto view = inner();
    if (!view) return view;
    Dims strides;
    for (std::int64_t d : node.attrs.i64s("permutation"))
      strides.push_back(view->strides[std::size_t(d)]);
    view->strides = std::move(strides);
    return view;
  }
  if (node.is("stablehlo.reshape")) {
    auto view = inner();
    if (!view) return view;
    const auto strides =
        reshaped_strides(node.operand(0).type().dims, view->strides, v.type().dims);
    if (!strides) return std::nullopt;
    view->strides = *strides;
    return view;
  }
  if (node.is("stablehlo.slice")) {
    auto view = inner();
    if (!view) return view;
    const I64s& start = node.attrs.i64s("start_indices");
    const I64s& step = node.attrs.i64s("strides");
    for (std::size_t d = 0; d < start.size(); ++d) {
      view->offset = view->offset + HostExpr(start[d] * view->strides[d]);
      view->strides[d] *= step[d];
    }
    return view;
  }
  if (node.is("stablehlo.dynamic_slice")) {
    for (std::size_t k = 1; k < node.operands().size(); ++k)
      if (!is_host(node.operand(k))) return std::nullopt;
    auto view = inner();
    if (!view) return view;
    const Dims& whole = node.operand(0).type().dims;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      const HostExpr last(whole[d] - v.type().dims[d]);
      const HostExpr start = min(max(host_value(node.operand(d + 1)), HostExpr(0)), last);
      view->offset = view->offset + start * HostExpr(view->strides[d]);
    }
    return view;
  }
  return std::nullopt;
}

static bool is_no_view(Value x) {
  static constexpr std::string_view views[] = {"stablehlo.transpose",
                                               "stablehlo.reshape",
                                               "stablehlo.slice",
                                               "stablehlo.dynamic_slice",
                                               "stablehlo.optimization_barrier",
                                               "sdy.sharding_constraint"};
  return std::ranges::find(views, x.node->name()) == std::end(views);
}

bool is_strided_view(Value v, const std::function<bool(Value)>& is_host) {
  return strided_view(v, is_no_view, is_host, [](Value) { return HostExpr(0); }).has_value();
}

std::optional<std::int64_t> joint_stride(const Dims& extents, const Dims& strides,
                                         const I64s& group) {
  std::int64_t stride = 0, extent = 1;
  for (std::size_t i = group.size(); i-- > 0;) {
    const auto d = std::size_t(group[i]);
    if (extents[d] == 1) continue;
    if (extent == 1)
      stride = strides[d];
    else if (strides[d] != stride * extent)
      return std::nullopt;
    extent *= extents[d];
  }
  return extent == 1 ? 1 : stride;
}

std::optional<MatrixLayout> matrix_layout(const Node& dot, bool is_lhs, const Dims& strides) {
  const ir::ContractionShape s = contraction_shape(dot);
  const Dims& dims = dot.operand(is_lhs ? 0 : 1).type().dims;
  const auto b = joint_stride(dims, strides, is_lhs ? s.lhs_batch : s.rhs_batch),
             r = joint_stride(dims, strides, is_lhs ? s.lhs_free : s.rhs_contracting),
             c = joint_stride(dims, strides, is_lhs ? s.lhs_contracting : s.rhs_free);
  if (!b || !r || !c) return std::nullopt;
  const std::int64_t rows = is_lhs ? s.m : s.k, columns = is_lhs ? s.k : s.n;
  const std::int64_t row_stride = rows == 1 ? std::max<std::int64_t>(columns * *c, 1) : *r;
  const std::int64_t column_stride = columns == 1 ? (rows == 1 ? 1 : (*r == 1 ? rows : 1)) : *c;
  MatrixLayout m{.batch_stride = s.batch == 1 ? 0 : *b};
  if (column_stride == 1 && row_stride >= columns)
    m.leading = row_stride;
  else if (row_stride == 1 && column_stride >= rows)
    m.is_transposed = true, m.leading = column_stride;
  else
    return std::nullopt;
  return m;
}

bool has_matrix_layouts(const Node& dot, const std::array<Value, 2>& operands,
                        const std::function<bool(Value)>& is_host) {
  for (const bool is_lhs : {true, false}) {
    const auto view = strided_view(operands[is_lhs ? 0 : 1], is_no_view, is_host,
                                   [](Value) { return HostExpr(0); });
    if (view && !matrix_layout(dot, is_lhs, view->strides)) return false;
  }
  return true;
}

}  // namespace partita::lowering
