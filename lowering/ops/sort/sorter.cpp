// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/sorter.hpp"

#include <algorithm>

#include "lowering/ops/sort/insertion.hpp"
#include "lowering/ops/sort/pair_merge.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::insertion_run;
using scalar::ExprId;
using scalar::ExprPool;

void Sorter::runs(KernelBody& body, const std::vector<Location>& sorted) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId begin = pool.mul(place(s, shape_.in(insertion_run)), insertion_run);
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  const std::int64_t length = std::min(insertion_run, shape_.n);
  const bool is_cut = shape_.n > insertion_run && shape_.n % insertion_run != 0;
  body.loop(length, [&](ExprId i) {
    const ExprId at = pool.add(begin, i);
    body.guard_if_needed(is_cut ? pool.less(at, pool.index(shape_.n)) : pool.boolean(true), [&] {
      s.read_operands(node_, s.index_at(at));
      insert_sorted(s, to, {.place = at, .moves = i, .most = length});
    });
  });
}

void Sorter::merge_pairs(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId pair = place(s, shape_.in(2 * pass.run)), run = pool.index(pass.run);
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, pool.index(shape_.n)});
  merge.all(buffers(body, pass.to, true), pool.index(2 * pass.run));
}

/// A chunk of what a pair of runs gives.
struct Sorter::Chunk {
  SortKernel s;
  ExprId number, run, pair;
  PairMerge merge;
  ExprId first;  ///< the chunk's first place within what the pair gives

  Chunk(const Sorter& sorter, KernelBody& body, const Pass& pass)
      : s(body, sorter.node_, sorter.shape_),
        number(sorter.place(s, sorter.chunks_)),
        run(body.parameter(HostExpr(pass.run))),
        pair(pair_of(body, pass, number)),
        merge(s, {sorter.buffers(body, pass.from, false), run, pair,
                  body.pool().index(sorter.shape_.n)}),
        first(body.pool().sub(body.pool().mul(number, sorter.chunk_), merge.begin)) {}
};

void Sorter::cut(KernelBody& body, const Pass& pass) const {
  Chunk chunk(*this, body, pass);
  ExprPool& pool = body.pool();
  const Register cut = chunk.merge.cut(chunk.first, body.parameter(HostExpr(pass.trips)));
  body.store_to(pass.cuts, DType::i32, body.item(), body.value(cut));
  body.guard(pool.equal(chunk.first, pool.index(0)), [&] {
    body.store_to(pass.flags, DType::i32, of_chunk(chunk.s, chunk.pair),
                  pool.constant(DType::i32, 0));
  });
}

void Sorter::merge_chunks(KernelBody& body, const Pass& pass) const {
  Chunk chunk(*this, body, pass);
  ExprPool& pool = body.pool();
  const ExprId end = pool.add(chunk.merge.left, chunk.merge.right);
  const std::int32_t cuts = body.buffer(pass.cuts, DType::i32, false);
  const Register taken = body.declare(DType::i32, pool.load(cuts, DType::i32, body.item()));
  chunk.merge.part(buffers(body, pass.to, true), taken, {chunk.first, end, pool.index(chunk_)});
  const ExprId next = pool.load(cuts, DType::i32, of_chunk(chunk.s, pool.add(chunk.number, 1)));
  const ExprId differs = pool.apply("compare_ne", DType::i32, {body.value(taken), next});
  body.guard(pool.less(pool.add(chunk.first, chunk_), end), [&] {
    body.guard(differs, [&] {
      body.store_to(pass.flags, DType::i32, of_chunk(chunk.s, chunk.pair),
                    pool.constant(DType::i32, 1));
    });
  });
}

void Sorter::mend(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId pair = place(s, chunks_), run = body.parameter(HostExpr(pass.run));
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, pool.index(shape_.n)});
  const ExprId flag =
      pool.load(body.buffer(pass.flags, DType::i32, false), DType::i32, body.item());
  const ExprId is_wrong =
      pool.apply("compare_ne", DType::i32, {flag, pool.constant(DType::i32, 0)});
  body.guard(pool.less(merge.begin, pool.index(shape_.n)), [&] {
    body.guard(is_wrong,
               [&] { merge.all(buffers(body, pass.to, true), pool.add(merge.left, merge.right)); });
  });
}

}  // namespace partita::lowering
