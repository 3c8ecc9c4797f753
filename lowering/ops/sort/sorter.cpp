// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/sorter.hpp"

#include <algorithm>

#include "lowering/ops/sort/pair_merge.hpp"
#include "partita/ir/sorting.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::insertion_run;
using scalar::ExprId;
using scalar::ExprPool;

namespace {

/// Where an element goes among those before it, which are in order.
struct Insertion {
  ExprId place, most;      ///< behind the last of them; how many may move
  std::int32_t back;       ///< loop variable over them
  Register target, moves;  ///< where the element goes so far, whether it may go on
};

/// Elements of `to` behind which s.before does not belong move on by one; it takes the place left.
void insert_sorted(const SortKernel& s, const std::vector<std::int32_t>& to, const Insertion& at) {
  KernelBody& body = s.body;
  ExprPool& pool = s.pool;
  const ExprId here = pool.sub(at.place, pool.variable(at.back)),
               previous = pool.sub(here, pool.index(1)), moves = body.value(at.moves);
  body.loop({at.back, at.most}, [&] {
    body.guard(moves, [&] {
      s.read(s.after, to, previous);
      body.assign(at.moves, s.holds);
      body.guard(moves, [&] {
        s.write(s.after, to, here);
        body.assign(at.target, pool.from_index(previous, DType::i32));
      });
    });
  });
  s.write(s.before, to, pool.to_index(body.value(at.target)));
}

}  // namespace

void Sorter::read_operands(SortKernel& s, ExprId at) const {
  for (std::size_t o = 0; o < node_.operands().size(); ++o) {
    std::vector<ExprId> index = s.index;
    index[shape_.dimension] = at;
    s.body.assign(s.before[o], s.body.element(node_.operand(o), index));
  }
}

void Sorter::runs(KernelBody& body, const std::vector<Location>& sorted) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId begin = pool.mul(place(s, shape_.in(insertion_run)), insertion_run);
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  const std::int64_t length = std::min(insertion_run, shape_.n);
  const bool is_cut = shape_.n > insertion_run && shape_.n % insertion_run != 0;
  body.loop(length, [&](ExprId i) {
    const std::int32_t back = body.new_variable(length);
    const ExprId at = pool.add(begin, i);
    body.guard_if_needed(is_cut ? pool.less(at, pool.index(shape_.n)) : pool.boolean(true), [&] {
      read_operands(s, at);
      const Register target = body.declare(DType::i32, pool.from_index(at, DType::i32)),
                     moves = body.declare(DType::i1, pool.boolean(true));
      insert_sorted(s, to, {at, i, back, target, moves});
    });
  });
}

void Sorter::select(KernelBody& body, const std::vector<Location>& sorted,
                    std::int64_t count) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  place(s, shape_.in(shape_.n));
  const std::vector<std::int32_t> to = buffers(body, sorted, true);
  body.loop(shape_.n, [&](ExprId at) {
    const std::int32_t back = body.new_variable(count);
    const ExprId last = pool.index(count - 1);
    // Elements that stay: what the last one was before goes when there are enough.
    const ExprId held = pool.min(at, last);
    const Register target = body.new_register(DType::i32), moves = body.new_register(DType::i1);
    read_operands(s, at);
    body.declare(moves, pool.boolean(true));
    body.guard(pool.less(last, at), [&] {
      s.read(s.after, to, last);
      body.assign(moves, s.holds);
    });
    body.guard(body.value(moves), [&] {
      body.declare(target, pool.from_index(held, DType::i32));
      insert_sorted(s, to, {held, held, back, target, moves});
    });
  });
}

void Sorter::merge_pairs(KernelBody& body, const Pass& pass) const {
  SortKernel s(body, node_, shape_);
  ExprPool& pool = body.pool();
  const ExprId pair = place(s, shape_.in(2 * pass.run)), run = pool.index(pass.run);
  const std::vector<std::int32_t> from = buffers(body, pass.from, false);
  const PairMerge merge(s, {from, run, pair, shape_.n});
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
        merge(s, {sorter.buffers(body, pass.from, false), run, pair, sorter.shape_.n}),
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
  const PairMerge merge(s, {from, run, pair, shape_.n});
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
