// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// What ops share: attribute specs with dimension roles, checks of dimension lists, strided copies for
// evaluation, factors of matching dimensions.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "partita/base/error.hpp"
#include "partita/ir/op.hpp"

namespace partita::ir::ops {

// --- Attribute specs ----------------------------------------------------------------------------

using Fill = DimRole::Fill;

[[nodiscard]] inline DimRole per_dim(DimRole::Side side, int of, Fill fill = Fill::zero) {
  return {.kind = DimRole::Kind::per_dim, .side = side, .of = of, .fill = fill};
}
[[nodiscard]] inline DimRole dim_index(DimRole::Side side, int of) {
  return {.kind = DimRole::Kind::dim_index, .side = side, .of = of};
}
/// A list of integers that says something about dimensions.
[[nodiscard]] AttrSpec dims_attr(std::string name, std::vector<DimRole> roles);
/// A single dimension.
[[nodiscard]] AttrSpec dim_attr(std::string name, std::vector<DimRole> roles);
/// An optional boolean.
[[nodiscard]] AttrSpec flag_attr(std::string name);
/// `spec` as a field of `group = #structure<…>`.
[[nodiscard]] AttrSpec field_of(AttrSpec spec, std::string group, std::string structure);

// --- Verification -------------------------------------------------------------------------------

/// "[1, 2]"
[[nodiscard]] std::string to_text(std::span<const std::int64_t> list);

void expect_operand_count(const InferContext& c, std::size_t count);
/// As many entries as a rank; `what` names the attribute.
void expect_size(const InferContext& c, std::string_view what, std::span<const std::int64_t> list,
                 std::int64_t rank);
/// Each entry in [0, rank).
void expect_dimensions(const InferContext& c, std::string_view what,
                       std::span<const std::int64_t> list, std::int64_t rank);
/// No entry twice.
void expect_unique(const InferContext& c, std::string_view what,
                   std::span<const std::int64_t> list);
void expect_sorted(const InferContext& c, std::string_view what,
                   std::span<const std::int64_t> list);
/// precision_config, where there is one, has a precision for each of two operands, for both, or none.
void expect_precisions(const InferContext& c);
/// Operands from `first` on are scalars of one integer type, one per dimension of `rank`.
void expect_start_indices(const InferContext& c, std::size_t first, std::int64_t rank);
/// A region from 2N scalars to N, elements of these types twice over.
void expect_combiner_region(const InferContext& c, std::span<const Type> elements);

[[nodiscard]] inline bool contains(std::span<const std::int64_t> list, std::int64_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}
/// Dimensions of [0, rank) that are in neither list, ascending.
[[nodiscard]] I64s other_dims(std::int64_t rank, std::span<const std::int64_t> a,
                              std::span<const std::int64_t> b = {});

// --- Evaluation ---------------------------------------------------------------------------------

/// Element (i, j, …) of a box is at offset + i * strides[0] + …, in elements.
struct View {
  std::int64_t offset = 0;
  Dims strides;
};
[[nodiscard]] inline View view_of(const Type& type) { return {0, row_major_strides(type.dims)}; }
/// The view of the box that starts at `start` with steps (in elements of each dimension).
[[nodiscard]] View sub_view(const View& view, std::span<const std::int64_t> start);
/// Copies the elements of a box; the arrays have one element type.
void copy_box(const HostArray& from, const View& from_view, HostArray& to, const View& to_view,
              const Dims& box);

[[nodiscard]] inline std::vector<Tensor> one(HostArray&& array) {
  return {std::make_shared<const HostArray>(std::move(array))};
}
/// a·b; of complex numbers by the four products alone, as kernels have it: C++'s operator turns some
/// results that are no numbers into infinities.
template <class T>
[[nodiscard]] T product_of(const T& a, const T& b) {
  if constexpr (is_std_complex<T>)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}
/// Elements as i64; larger ones saturate.
[[nodiscard]] I64s index_values(const HostArray& array);
/// Scalar operands first, first + 1, … as start indices, each clamped to [0, limit].
[[nodiscard]] I64s clamped_starts(const EvalContext& c, std::size_t first, const Dims& limits);
/// Element k of an array as a scalar.
[[nodiscard]] Tensor element(const HostArray& array, std::int64_t k);

/// Calls f(index) for each multi-index of a box in row-major order.
template <class F>
void for_each_index(const Dims& box, F&& f) {
  for (const std::int64_t extent : box)
    if (extent <= 0) return;
  Dims index(box.size(), 0);
  while (true) {
    f(std::span<const std::int64_t>(index));
    std::size_t d = box.size();
    while (d > 0 && ++index[d - 1] == box[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// Σ index * stride
[[nodiscard]] inline std::int64_t offset_of(std::span<const std::int64_t> index,
                                            const Dims& strides) {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < index.size(); ++d) sum += index[d] * strides[d];
  return sum;
}

// --- Factors ------------------------------------------------------------------------------------

/// A rule with empty lists for each dimension of the node's operands and results.
[[nodiscard]] FactorRule empty_rule(const Node& node);
/// Gives each dimension that has no factors yet, and is larger than 1, one that needs replication.
void replicate_rest(const Node& node, FactorRule& rule);
/// Dimension d of operand 0 and of result 0 share a factor where `passes(d)`; the rest is replicated.
[[nodiscard]] FactorRule dimwise_rule(const Node& node,
                                      const std::function<bool(std::size_t)>& passes);

}  // namespace partita::ir::ops
