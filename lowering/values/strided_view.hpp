// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Values seen as strided views of memory, which is how a GEMM library takes transposes, reshapes and
// slices without a copy.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "ir/core/contraction.hpp"
#include "partita/artifact/host_expr.hpp"
#include "partita/ir/graph.hpp"

namespace partita::lowering {

/// `root` (in memory) seen with strides: element (i…) lies at offset + Σ i_d · strides[d].
struct StridedView {
  ir::Value root;
  Dims strides;
  HostExpr offset;
};
using HostValueFn = std::function<HostExpr(ir::Value)>;
/// The view that `v` is of `stop`-ped memory: walks through transposes, reshapes that keep strides,
/// slices and dynamic slices with host starts until `is_root` holds.  Nothing when it is no view.
[[nodiscard]] std::optional<StridedView> strided_view(ir::Value v,
                                                      const std::function<bool(ir::Value)>& is_root,
                                                      const std::function<bool(ir::Value)>& is_host,
                                                      const HostValueFn& host_value);
/// Whether such a view exists however far it reaches (roots being whatever is not a view op).
[[nodiscard]] bool is_strided_view(ir::Value v, const std::function<bool(ir::Value)>& is_host);

/// A group of dimensions as one dimension of a matrix: its stride, where it has one.
[[nodiscard]] std::optional<std::int64_t> joint_stride(const Dims& extents, const Dims& strides,
                                                       const ir::I64s& group);

/// How a GEMM library reads matrices, one per batch: row-major with a leading dimension, or the
/// transpose of such.
struct MatrixLayout {
  bool is_transposed = false;
  std::int64_t leading = 0, batch_stride = 0;
};
/// The layout of one operand of a contraction that has these strides, where it has one.
[[nodiscard]] std::optional<MatrixLayout> matrix_layout(const ir::Node& dot, bool is_lhs,
                                                        const Dims& strides);
/// Whether such operands, left and right, have such layouts, roots of views being whatever is not a
/// view op.
[[nodiscard]] bool has_matrix_layouts(const ir::Node& dot, const std::array<ir::Value, 2>& operands,
                                      const std::function<bool(ir::Value)>& is_host);

}  // namespace partita::lowering
