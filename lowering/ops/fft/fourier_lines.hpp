// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of an array that are transformed, and their elements: what transforms by factors and by
// convolution share.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/context.hpp"
#include "lowering/ops/fft/butterfly.hpp"
#include "partita/ir/fourier.hpp"

namespace partita::lowering {

using namespace kernel;

/// A transform of all lines of an array along one dimension.
struct FourierLines {
  std::int64_t n;
  std::size_t dimension;
  bool inverse, mirrors;  ///< mirrors: elements beyond those there are conjugates of n - k
  Type from, to;          ///< extents along the dimension may be less than n
  double scale;

  [[nodiscard]] DType part() const { return part_dtype(from.dtype); }
  [[nodiscard]] DType complex() const { return part() == DType::f32 ? DType::c64 : DType::c128; }
  [[nodiscard]] int sign() const { return inverse ? 1 : -1; }
  /// Linear index of the element at `position` of the line that `index` is on.
  static scalar::ExprId at(scalar::ExprPool& pool, std::span<const scalar::ExprId> index,
                           std::size_t d, scalar::ExprId position, const Type& type) {
    std::vector<scalar::ExprId> full(index.begin(), index.end());
    full[d] = position;
    return scalar::linear_index(pool, full, type.dims);
  }
  /// Parts of the element `position` of a line; no imaginary part where there is none.
  [[nodiscard]] ComplexParts element(scalar::ExprPool& pool, std::int32_t source,
                                     std::span<const scalar::ExprId> index,
                                     scalar::ExprId position) const {
    const ElementMath in{pool, from.dtype};
    const scalar::ExprId there = pool.less(position, pool.index(from.dims[dimension]));
    const scalar::ExprId k =
        mirrors ? pool.min(position, pool.sub(pool.index(n), position)) : position;
    const scalar::ExprId x = pool.load(source, from.dtype, at(pool, index, dimension, k, from));
    if (!is_complex(from.dtype)) return {x, scalar::no_expr};
    const scalar::ExprId im = in.imag(x);
    return {in.real(x), mirrors ? pool.choose(there, im, pool.apply("negate", in.part, {im})) : im};
  }
  /// An element of the result.
  [[nodiscard]] scalar::ExprId result(scalar::ExprPool& pool, ComplexParts x) const {
    const DType d = part();
    const auto scaled = [&](scalar::ExprId e) {
      if (e == scalar::no_expr) return pool.constant_of(d, 0);
      return scale == 1 ? e : pool.apply("multiply", d, {e, pool.constant_of(d, scale)});
    };
    return is_complex(to.dtype) ? ElementMath{pool, to.dtype}.compose(scaled(x.re), scaled(x.im))
                                : scaled(x.re);
  }
};

/// Numbers as an array of a complex dtype.
[[nodiscard]] inline HostArray table_of(const ir::ComplexLine& numbers, DType d) {
  HostArray table(Type{.dtype = DType::c128, .dims = {std::int64_t(numbers.size())}});
  std::ranges::copy(numbers, table.data<DType::c128>());
  return convert(table, d);
}

/// Transforms lines; gives where the result lies.
Location lower_fourier(Context& context, Location at, const FourierLines& lines,
                       const ir::Node& node);
Location lower_chirp(Context& context, Location at, const FourierLines& lines,
                     const ir::Node& node);

}  // namespace partita::lowering
