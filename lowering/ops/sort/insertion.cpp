// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/insertion.hpp"

namespace partita::lowering {

using scalar::ExprId;
using scalar::ExprPool;

void insert_sorted(const SortKernel& s, const std::vector<std::int32_t>& to, const Insertion& at) {
  KernelBody& body = s.body;
  ExprPool& pool = s.pool;
  const Register target = body.declare(DType::i32, pool.from_index(at.place, DType::i32)),
                 goes_on = body.declare(DType::i1, pool.boolean(true));
  body.loop_to(at.moves, at.most, [&](ExprId back) {
    const ExprId here = pool.sub(at.place, back), previous = pool.sub(here, pool.index(1));
    body.guard(body.value(goes_on), [&] {
      s.read(s.after, to, previous);
      body.assign(goes_on, s.holds);
      body.guard(body.value(goes_on), [&] {
        s.write(s.after, to, here);
        body.assign(target, pool.from_index(previous, DType::i32));
      });
    });
  });
  s.write(s.before, to, pool.to_index(body.value(target)));
}

}  // namespace partita::lowering
