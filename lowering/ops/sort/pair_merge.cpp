// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/pair_merge.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;
using scalar::ExprPool;

PairMerge::PairMerge(SortKernel& sort, const Pair& pair) : s_(sort), from_(pair.from) {
  ExprPool& pool = s_.pool;
  begin = pool.mul(pair.number, pool.mul(pair.run, 2));
  const ExprId rest = pool.sub(pair.n, begin);
  left = pool.min(pair.run, rest);
  right = pool.max(pool.index(0), pool.min(pair.run, pool.sub(rest, pair.run)));
}

Register PairMerge::cut(ExprId place, ExprId trips) const {
  KernelBody& body = s_.body;
  ExprPool& pool = s_.pool;
  const auto of_i32 = [&](std::string_view row, ExprId x, ExprId y) {
    return pool.apply(row, DType::i32, {x, y});
  };
  const ExprId one = pool.constant(DType::i32, 1);
  const Register low =
                     body.declare(DType::i32, i32(pool.max(pool.index(0), pool.sub(place, right)))),
                 high = body.declare(DType::i32, i32(pool.min(place, left)));
  body.loop({body.new_variable(), trips}, [&] {
    body.guard(of_i32("compare_lt", body.value(low), body.value(high)), [&] {
      const ExprId sum = of_i32("add", body.value(low), body.value(high));
      const Register middle = body.declare(DType::i32, of_i32("shift_right_logical", sum, one));
      const ExprId m = pool.to_index(body.value(middle));
      // The right element that would be just behind the first m + 1 of the left.
      s_.read(s_.before, from_, right_element(pool.sub(pool.sub(place, m), pool.index(1))));
      s_.read(s_.after, from_, left_element(m));
      const ExprId more = of_i32("add", body.value(middle), one);
      const ExprId right_first = body.value(body.declare(DType::i1, s_.holds));
      body.assign(low, pool.choose(right_first, body.value(low), more));
      body.assign(high, pool.choose(right_first, body.value(middle), body.value(high)));
    });
  });
  return low;
}

void PairMerge::part(const std::vector<std::int32_t>& to, const Register& taken,
                     const Places& places) const {
  KernelBody& body = s_.body;
  ExprPool& pool = s_.pool;
  const std::int32_t t = body.new_variable();
  const ExprId place = pool.add(places.first, pool.variable(t));
  const ExprId i = pool.to_index(body.value(taken)), j = pool.sub(place, i);
  body.loop({t, places.most}, [&] {
    body.guard(pool.less(place, places.end), [&] {
      const Register takes_right = body.declare(DType::i1, pool.less_equal(left, i));
      body.guard(pool.logical_and(pool.less(i, left), pool.less(j, right)), [&] {
        s_.read(s_.before, from_, right_element(j));
        s_.read(s_.after, from_, left_element(i));
        body.assign(takes_right, s_.holds);
      });
      const ExprId r = body.value(takes_right);
      const Register source =
          body.declare(DType::i32, pool.choose(r, i32(right_element(j)), i32(left_element(i))));
      s_.read(s_.before, from_, pool.to_index(body.value(source)));
      s_.write(s_.before, to, pool.add(begin, place));
      const ExprId one =
          pool.apply("add", DType::i32, {body.value(taken), pool.constant(DType::i32, 1)});
      body.assign(taken, pool.choose(r, body.value(taken), one));
    });
  });
}

void PairMerge::all(const std::vector<std::int32_t>& to, ExprId most) const {
  const Register taken = s_.body.declare(DType::i32, s_.pool.constant(DType::i32, 0));
  part(to, taken, {s_.pool.index(0), s_.pool.add(left, right), most});
}

}  // namespace partita::lowering
