// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// The lines of an array that a scan runs along.
#pragma once

#include <vector>

#include "partita/base/type.hpp"
#include "partita/ir/window.hpp"
#include "partita/scalar/expr.hpp"

namespace partita::lowering {

/// The array as lines along one dimension, numbered row-major by the other dimensions.
struct ScanLines {
  Dims outer;  ///< extents of the other dimensions
  std::int64_t dimension = 0, extent = 1, lines = 1;
  std::int64_t inner = 1;  ///< neighbouring lines whose elements lie side by side
  bool is_reverse = false;

  ScanLines(const Type& type, const ir::ScanShape& shape)
      : outer(type.dims),
        dimension(shape.dimension),
        extent(type.dims[std::size_t(shape.dimension)]),
        is_reverse(shape.is_reverse) {
    for (std::size_t d = std::size_t(dimension) + 1; d < outer.size(); ++d) inner *= outer[d];
    outer.erase(outer.begin() + dimension);
    for (const std::int64_t e : outer) lines *= e;
  }

  /// Index of element `step` of a line, in the order of the scan.
  [[nodiscard]] std::vector<scalar::ExprId> index(scalar::ExprPool& pool, scalar::ExprId line,
                                                  scalar::ExprId step) const {
    std::vector<scalar::ExprId> at = scalar::delinearize(pool, line, outer);
    at.insert(at.begin() + dimension, is_reverse ? pool.sub(pool.index(extent - 1), step) : step);
    return at;
  }
};

}  // namespace partita::lowering
