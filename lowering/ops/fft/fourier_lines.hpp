// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Lines of an array that are transformed, and their elements: what transforms by factors and by
// convolution share.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/ast/element_math.hpp"
#include "lowering/context/context.hpp"
#include "lowering/ops/fft/butterfly.hpp"
#include "partita/ir/fourier.hpp"

namespace partita::lowering {

using namespace kernel;

/// How a line of 2 n real numbers is one of n complex ones, x[2k] + i · x[2k + 1]: what is transformed is, or what comes out.
/// The half of its spectrum that is kept, n + 1 numbers, is the other end.
enum class Pairs { none, in, out };

/// A transform of all lines of an array along one dimension.
struct FourierLines {
  std::int64_t n;
  std::size_t dimension;
  bool inverse, mirrors;  ///< mirrors: elements beyond those there are conjugates of n - k
  Type from, to;          ///< extents along the dimension may be less than n
  double scale;
  Pairs pairs = Pairs::none;

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
  /// Parts of the element `position` of a line; no imaginary part where there is none.  `root`: where pairs come out,
  /// exp(2πi · position / 2n).
  [[nodiscard]] ComplexParts element(scalar::ExprPool& pool, std::int32_t source,
                                     std::span<const scalar::ExprId> index, scalar::ExprId position,
                                     const std::optional<ComplexParts>& root = {}) const {
    if (pairs == Pairs::in) return pair(pool, source, index, position);
    if (pairs == Pairs::out) return of_spectrum(pool, source, index, position, *root);
    const ElementMath in{pool, from.dtype};
    const scalar::ExprId there = pool.less(position, pool.index(from.dims[dimension]));
    const scalar::ExprId k =
        mirrors ? pool.min(position, pool.sub(pool.index(n), position)) : position;
    const scalar::ExprId x = pool.load(source, from.dtype, at(pool, index, dimension, k, from));
    if (!is_complex(from.dtype)) return {x, scalar::no_expr};
    const scalar::ExprId im = in.imag(x);
    return {in.real(x), mirrors ? pool.choose(there, im, pool.apply("negate", in.part, {im})) : im};
  }
  /// An element of the result; where pairs come out, its first number.
  [[nodiscard]] scalar::ExprId result(scalar::ExprPool& pool, ComplexParts x) const {
    return is_complex(to.dtype)
               ? ElementMath{pool, to.dtype}.compose(scaled(pool, x.re), scaled(pool, x.im))
               : scaled(pool, x.re);
  }
  /// A part of the result.
  [[nodiscard]] scalar::ExprId scaled(scalar::ExprPool& pool, scalar::ExprId e) const {
    const DType d = part();
    if (e == scalar::no_expr) return pool.constant_of(d, 0);
    return scale == 1 ? e : pool.apply("multiply", d, {e, pool.constant_of(d, scale)});
  }
  /// Number k of the spectrum of a line that went in as pairs, of the transform's numbers k and n - k and exp(-2πi k / 2n).
  [[nodiscard]] ComplexParts spectrum(scalar::ExprPool& pool, ComplexParts at,
                                      ComplexParts mirrored, ComplexParts root) const;

 private:
  [[nodiscard]] ComplexParts pair(scalar::ExprPool& pool, std::int32_t source,
                                  std::span<const scalar::ExprId> index,
                                  scalar::ExprId position) const;
  [[nodiscard]] ComplexParts of_spectrum(scalar::ExprPool& pool, std::int32_t source,
                                         std::span<const scalar::ExprId> index,
                                         scalar::ExprId position, ComplexParts root) const;
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
