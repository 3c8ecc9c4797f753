// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "partita/builder/ops.hpp"

#include <algorithm>
#include <numeric>

#include "frontend/builder/scope.hpp"
#include "partita/base/error.hpp"

namespace partita::build {
namespace {

ir::Maker maker() { return Scope::current().maker(); }

/// first, first + 1, … (count of them).
Axes range(std::int64_t first, std::int64_t count) {
  Axes axes(static_cast<std::size_t>(count));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

/// Dimensions counted from the front, sorted.
Axes from_front(std::string_view function, const Axes& dimensions, std::int64_t rank) {
  Axes front;
  for (const std::int64_t d : dimensions) {
    if (d < -rank || d >= rank)
      refuse(function, cat("dimensions from ", -rank, " to ", rank - 1), cat(d));
    front.push_back(d < 0 ? d + rank : d);
  }
  std::ranges::sort(front);
  return front;
}

Array reduced(Combiner combiner, const Array& x, const Axes& dimensions) {
  const Axes over =
      dimensions.empty() ? range(0, x.rank()) : from_front(info(combiner).op, dimensions, x.rank());
  return as_array(maker().reduce(combiner, x.value(), over));
}

}  // namespace

Array convert(const Array& x, DType dtype) {
  if (x.is_literal()) return full(Type::scalar(dtype), x.literal());
  if (x.dtype() == dtype) return x;
  return as_array(maker().convert(x.value(), dtype));
}

Array reshape(const Array& x, const Dims& dims) {
  if (x.dims() == dims) return x;
  return as_array(maker().reshape(x.value(), dims));
}

Array transpose(const Array& x, const Axes& permutation) {
  return op("stablehlo.transpose", {x}, {{"permutation", permutation}})[0];
}

Array broadcast_to(const Array& x, const Dims& dims) {
  if (x.dims() == dims) return x;
  const std::int64_t added = std::int64_t(dims.size()) - x.rank();
  if (added < 0)
    refuse("broadcast_to", cat("at least ", x.rank(), " dimensions"), cat(dims.size()));
  return as_array(maker().broadcast(x.value(), dims, range(added, x.rank())));
}

Array expand_dims(const Array& x, const Axes& positions) {
  const std::int64_t rank = x.rank() + std::int64_t(positions.size());
  const Axes at = from_front("expand_dims", positions, rank);
  Dims dims = x.dims();
  for (const std::int64_t d : at) dims.insert(dims.begin() + d, 1);
  return reshape(x, dims);
}

Array slice(const Array& x, const Dims& starts, const Dims& limits, const Dims& strides) {
  return op("stablehlo.slice", {x},
            {{"start_indices", starts},
             {"limit_indices", limits},
             {"strides", strides.empty() ? Dims(starts.size(), 1) : strides}})[0];
}

Array pad(const Array& x, double value, const Dims& low, const Dims& high) {
  return op("stablehlo.pad", {x, full(Type::scalar(x.dtype()), value)},
            {{"edge_padding_low", low},
             {"edge_padding_high", high},
             {"interior_padding", Dims(low.size(), 0)}})[0];
}

Array concatenate(const Arrays& parts, std::int64_t dimension) {
  if (parts.empty()) refuse("concatenate", "at least 1 array", "none");
  const Axes at = from_front("concatenate", {dimension}, parts[0].rank());
  return op("stablehlo.concatenate", parts, {{"dimension", at[0]}})[0];
}

Array reverse(const Array& x, const Axes& dimensions) {
  return op("stablehlo.reverse", {x},
            {{"dimensions", from_front("reverse", dimensions, x.rank())}})[0];
}

Array dynamic_slice(const Array& x, const Arrays& starts, const Dims& sizes) {
  Arrays operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return op("stablehlo.dynamic_slice", operands, {{"slice_sizes", sizes}})[0];
}

Array dynamic_update_slice(const Array& x, const Array& update, const Arrays& starts) {
  Arrays operands{x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return op("stablehlo.dynamic_update_slice", operands)[0];
}

Array take(const Array& table, const Array& indices) {
  if (table.rank() == 0) refuse("take", "a table with rows", to_string(table.type()));
  const std::int64_t rank = indices.rank();
  Dims sizes = table.dims();
  sizes[0] = 1;
  const Axes offsets = range(rank, table.rank() - 1);
  return op("stablehlo.gather", {table, indices},
            {{"offset_dims", offsets},
             {"collapsed_slice_dims", Axes{0}},
             {"operand_batching_dims", Axes{}},
             {"start_indices_batching_dims", Axes{}},
             {"start_index_map", Axes{0}},
             {"index_vector_dim", rank},
             {"slice_sizes", sizes},
             {"indices_are_sorted", false}})[0];
}

Array one_hot(const Array& indices, std::int64_t classes, DType dtype) {
  Dims dims = indices.dims();
  dims.push_back(classes);
  const Array classes_along =
      iota({.dtype = indices.dtype(), .dims = dims}, std::int64_t(dims.size()) - 1);
  return convert(equal(expand_dims(indices, {-1}), classes_along), dtype);
}

Array sum(const Array& x, const Axes& dimensions) { return reduced(Combiner::sum, x, dimensions); }

Array mean(const Array& x, const Axes& dimensions) {
  const Array total = sum(x, dimensions);
  const double count = double(x.type().count()) / double(total.type().count());
  return total / count;
}

Array max(const Array& x, const Axes& dimensions) { return reduced(Combiner::max, x, dimensions); }

Array min(const Array& x, const Axes& dimensions) { return reduced(Combiner::min, x, dimensions); }

Array dot_general(const Array& a, const Array& b, const Axes& a_batch, const Axes& b_batch,
                  const Axes& a_contracted, const Axes& b_contracted) {
  return op("stablehlo.dot_general", {a, b},
            {{"lhs_batching_dimensions", a_batch},
             {"rhs_batching_dimensions", b_batch},
             {"lhs_contracting_dimensions", a_contracted},
             {"rhs_contracting_dimensions", b_contracted}})[0];
}

Array matmul(const Array& a, const Array& b) {
  if (a.rank() == 0 || b.rank() == 0)
    refuse("matmul", "operands with dimensions", to_string((a.rank() == 0 ? a : b).type()));
  const std::int64_t batches = std::max<std::int64_t>(0, std::min(a.rank(), b.rank()) - 2);
  if (a.rank() > 2 && b.rank() > 2 && a.rank() != b.rank())
    refuse("matmul", cat("operands of one rank (batches lead)"),
           cat("ranks ", a.rank(), " and ", b.rank()));
  const Axes batch = range(0, batches);
  const std::int64_t b_contracted = b.rank() == 1 ? 0 : b.rank() - 2;
  if (batches == 0 && b.rank() > 2) {
    // One matrix for all: its free dimension comes before b's batches.
    Array product = dot_general(a, b, {}, {}, {a.rank() - 1}, {b_contracted});
    if (a.rank() == 1) return product;
    Axes back = range(1, product.rank() - 2);
    back.insert(back.end(), {0, product.rank() - 1});
    return transpose(product, back);
  }
  return dot_general(a, b, batch, batch, {a.rank() - 1}, {b_contracted});
}

}  // namespace partita::build
