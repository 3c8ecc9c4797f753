// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/pair_merge.hpp"

#include <algorithm>
#include <iterator>

namespace partita::passes {

using kernel::ExprId;
using kernel::ExprPool;

PairMerge::PairMerge(SortKernel& sort, Kernel& kernel, const Pair& pair)
    : s_(sort), k_(kernel), from_(pair.from) {
  ExprPool& pool = s_.pool;
  begin = pool.mul(pair.number, pool.mul(pair.run, 2));
  const ExprId rest = pool.sub(pool.index(pair.n), begin);
  left = pool.min(pair.run, rest);
  right = pool.max(pool.index(0), pool.min(pair.run, pool.sub(rest, pair.run)));
}

Register PairMerge::cut(ExprId place, ExprId trips) const {
  ExprPool& pool = s_.pool;
  const Register low(k_, DType::i32), high(k_, DType::i32), middle(k_, DType::i32);
  k_.body.push_back(low.declare(i32(pool.max(pool.index(0), pool.sub(place, right)))));
  k_.body.push_back(high.declare(i32(pool.min(place, left))));
  const ExprId is_open = pool.apply("compare_lt", DType::i32, {low.value(pool), high.value(pool)});
  const ExprId sum = pool.apply("add", DType::i32, {low.value(pool), high.value(pool)});
  std::vector<Stmt> step{middle.declare(
      pool.apply("shift_right_logical", DType::i32, {sum, pool.constant(DType::i32, 1)}))};
  const ExprId m = pool.to_index(middle.value(pool));
  // The right element that would be just behind the first m + 1 of the left.
  s_.read(step, s_.before, from_, right_element(pool.sub(pool.sub(place, m), pool.index(1))));
  s_.read(step, s_.after, from_, left_element(m));
  const ExprId more =
      pool.apply("add", DType::i32, {middle.value(pool), pool.constant(DType::i32, 1)});
  const Register right_first(k_, DType::i1);
  step.push_back(right_first.declare(s_.holds));
  const ExprId r = right_first.value(pool);
  step.push_back(low.assign(pool.choose(r, low.value(pool), more)));
  step.push_back(high.assign(pool.choose(r, middle.value(pool), high.value(pool))));
  k_.body.push_back(loop(k_.next_variable++, trips, {when(is_open, std::move(step))}));
  return low;
}

std::vector<Stmt> PairMerge::part(const std::vector<std::int32_t>& to, const Register& taken,
                                  const Places& places) const {
  ExprPool& pool = s_.pool;
  const std::int32_t t = k_.next_variable++;
  const ExprId place = pool.add(places.first, pool.variable(t));
  const ExprId i = pool.to_index(taken.value(pool)), j = pool.sub(place, i);
  const Register takes_right(k_, DType::i1), source(k_, DType::i32);
  std::vector<Stmt> compared, step;
  s_.read(compared, s_.before, from_, right_element(j));
  s_.read(compared, s_.after, from_, left_element(i));
  compared.push_back(takes_right.assign(s_.holds));
  step.push_back(takes_right.declare(pool.less_equal(left, i)));
  step.push_back(
      when(pool.logical_and(pool.less(i, left), pool.less(j, right)), std::move(compared)));
  const ExprId r = takes_right.value(pool);
  step.push_back(source.declare(pool.choose(r, i32(right_element(j)), i32(left_element(i)))));
  s_.read(step, s_.before, from_, pool.to_index(source.value(pool)));
  s_.write(step, s_.before, to, pool.add(begin, place));
  const ExprId one =
      pool.apply("add", DType::i32, {taken.value(pool), pool.constant(DType::i32, 1)});
  step.push_back(taken.assign(pool.choose(r, taken.value(pool), one)));
  return {loop(t, places.most, {when(pool.less(place, places.end), std::move(step))})};
}

std::vector<Stmt> PairMerge::all(const std::vector<std::int32_t>& to, ExprId most) const {
  const Register taken(k_, DType::i32);
  std::vector<Stmt> statements{taken.declare(s_.pool.constant(DType::i32, 0))};
  std::ranges::move(part(to, taken, {s_.pool.index(0), s_.pool.add(left, right), most}),
                    std::back_inserter(statements));
  return statements;
}

}  // namespace partita::passes
