// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Merging pairs of sorted runs in the kernels of a sort: whole, or a part of what a pair gives.
#pragma once

#include <vector>

#include "lowering/ops/sort/sort_kernel.hpp"

namespace partita::lowering {

using namespace kernel;

/// Merges a pair of neighbouring runs, or a part of what it gives.
class PairMerge {
 public:
  /// Of a slice's runs of length `run` in the arrays `from`.
  struct Pair {
    const std::vector<std::int32_t>& from;
    scalar::ExprId run, number;  ///< length of a run, number of the pair within the slice
    scalar::ExprId n;            ///< length of the slice
  };
  PairMerge(SortKernel& sort, const Pair& pair);

  /// Finds by at most `trips` bisections how many of the first `place` elements are from the left run;
  /// gives the register that holds it.
  [[nodiscard]] Register cut(scalar::ExprId place, scalar::ExprId trips) const;

  /// Places within the pair's result, at most `most` of them.
  struct Places {
    scalar::ExprId first, end, most;
  };
  /// Merges the elements for those places, `taken` of the left run being gone before; leaves in it
  /// how many are gone afterwards.
  void part(const std::vector<std::int32_t>& to, const Register& taken, const Places& places) const;
  /// Merges the whole pair, of at most `most` elements.
  void all(const std::vector<std::int32_t>& to, scalar::ExprId most) const;

  scalar::ExprId begin{}, left{}, right{};  ///< the pair's first element, lengths of its runs

 private:
  [[nodiscard]] scalar::ExprId i32(scalar::ExprId index) const {
    return s_.pool.from_index(index, DType::i32);
  }
  [[nodiscard]] scalar::ExprId left_element(scalar::ExprId i) const {
    return s_.pool.add(begin, i);
  }
  [[nodiscard]] scalar::ExprId right_element(scalar::ExprId j) const {
    return s_.pool.add(s_.pool.add(begin, left), j);
  }

  SortKernel& s_;
  std::vector<std::int32_t> from_;
};

}  // namespace partita::lowering
