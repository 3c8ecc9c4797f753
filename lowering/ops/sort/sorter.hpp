// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
//
// Kernels of a sort that have an item for each run, pair of runs, chunk of what a pair gives, or slice: the comparisons are
// those of sorting.hpp.  A pass over memory merges pairs of runs.  Its first kernel finds by bisection where the runs are to
// be cut for each chunk of what a pair gives, its second merges the chunks.  A comparator that is no strict weak order can
// make a cut that merging from the start would not come by; each chunk sees that, because it ends at another place than
// where the next one was begun.  A third kernel merges such pairs anew, each by one work-item.
#pragma once

#include <utility>
#include <vector>

#include "lowering/context/context.hpp"
#include "lowering/ops/sort/sort_kernel.hpp"

namespace partita::lowering {

using namespace kernel;

/// Arrays of one pass over memory.
struct Pass {
  std::int64_t run;                ///< length of the runs that are merged
  std::int64_t trips, shift;       ///< bisections in a run; log2 of the chunks of a pair
  std::vector<Location> from, to;  ///< the operands before and after
  Location cuts, flags;            ///< by chunk, and by pair in an array of that size
};

/// The kernels.
class Sorter {
 public:
  /// `chunk`: elements that merge_chunks() gives at a time, runs of insertion_run times a power of two.
  Sorter(const SortShape& shape, const ir::Node& node, std::int64_t chunk)
      : shape_(shape), node_(node), chunk_(chunk), chunks_(shape.in(chunk)) {}

  /// The slices in chunks.
  [[nodiscard]] const Dims& chunks() const { return chunks_; }

  void runs(KernelBody& body, const std::vector<Location>& sorted) const;
  void merge_pairs(KernelBody& body, const Pass& pass) const;
  void cut(KernelBody& body, const Pass& pass) const;
  void merge_chunks(KernelBody& body, const Pass& pass) const;
  void mend(KernelBody& body, const Pass& pass) const;

  /// The pair that a chunk is of.
  static scalar::ExprId pair_of(KernelBody& body, const Pass& pass, scalar::ExprId number) {
    scalar::ExprPool& pool = body.pool();
    return pool.to_index(
        pool.apply("shift_right_logical", DType::i32,
                   {pool.from_index(number, DType::i32),
                    pool.from_index(body.parameter(HostExpr(pass.shift)), DType::i32)}));
  }

 private:
  struct Chunk;
  [[nodiscard]] std::vector<std::int32_t> buffers(KernelBody& body, const std::vector<Location>& at,
                                                  bool is_written) const {
    std::vector<std::int32_t> slots;
    for (std::size_t i = 0; i < at.size(); ++i)
      slots.push_back(body.buffer(at[i], shape_.dtypes[i], is_written));
    return slots;
  }
  /// The part of the slice that a work-item of `grid` is for.
  scalar::ExprId place(SortKernel& s, const Dims& grid) const {
    s.index = scalar::delinearize(s.pool, s.body.item(), grid);
    return s.index[shape_.dimension];
  }
  /// Element `at` of the slice's row in an array that has one for each chunk.
  [[nodiscard]] scalar::ExprId of_chunk(const SortKernel& s, scalar::ExprId at) const {
    std::vector<scalar::ExprId> index = s.index;
    index[shape_.dimension] = at;
    return scalar::linear_index(s.pool, index, chunks_);
  }
  const SortShape& shape_;
  const ir::Node& node_;
  std::int64_t chunk_;
  Dims chunks_;
};

}  // namespace partita::lowering
