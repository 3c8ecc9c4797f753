// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/support/matrix_fragments.hpp"

#include <algorithm>
#include <memory>

#include "kernel/ast/neighbours.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

Fragment load_fragments(KernelBody& body, const TileOperand& operand, ExprId lane, ExprId first,
                        std::int64_t term, bool second_free, ExprId half) {
  auto& pool = body.pool();
  const ExprId in_matrix = pool.mod(lane, 8), second = pool.mod(pool.div(lane, 8), 2),
               third = pool.div(lane, 16);
  ExprId free = pool.mul(second_free ? second : third, 8),
         terms = pool.mul(second_free ? third : second, 8);
  // Item i says where a line of the array begins: of terms of one row, or of rows of one term.
  (operand.lies_by_terms() ? free : terms) =
      pool.add(operand.lies_by_terms() ? free : terms, in_matrix);
  return body.load_matrices(operand.array(),
                            operand.place(half, pool.add(terms, term), pool.add(first, free)),
                            !operand.lies_by_terms());
}

Fragment load_wide_fragments(KernelBody& body, const TileOperand& operand, ExprId lane,
                             ExprId first, std::int64_t term, bool second_free, ExprId half) {
  auto& pool = body.pool();
  const ExprId free = pool.add(first, pool.div(lane, 4)), terms = pool.add(pool.mod(lane, 4), term);
  Fragment all;
  for (const std::int64_t third : {0, 1})
    for (const std::int64_t second : {0, 1}) {
      const std::int64_t frees = second_free ? second : third, later = second_free ? third : second;
      const Register r = body.declare(
          DType::ui32, operand.load(half, pool.add(terms, later * 4), pool.add(free, frees * 8)));
      all.push_back(body.value(r));
    }
  return all;
}

ExprId rounded_to_tf32(scalar::ExprPool& pool, ExprId bits) {
  const DType d = DType::ui32;
  const auto number = [&](std::int64_t x) { return pool.constant_of(d, double(x)); };
  constexpr std::int64_t exponent = 0x7f800000, half_of_last_bit = 0x1000;
  const ExprId is_finite = pool.apply(
      "compare_ne", d, {pool.apply("and_", d, {bits, number(exponent)}), number(exponent)});
  return pool.apply("select", d,
                    {is_finite, pool.apply("add", d, {bits, number(half_of_last_bit)}), bits});
}

void launch_matrices(Context& context, KernelBody& body, KernelBody& plain, std::int64_t groups) {
  // One set of arguments serves both.
  const auto dtypes = [](const Kernel& k) {
    std::vector<DType> all;
    for (const BufferParam& b : k.buffers) all.push_back(b.dtype);
    return all;
  };
  const auto is_same_place = [](const BufferRef& a, const BufferRef& b) {
    return a.buffer == b.buffer && a.offset == b.offset;
  };
  const bool is_same = std::ranges::equal(body.buffers(), plain.buffers(), is_same_place) &&
                       body.scalars() == plain.scalars() &&
                       dtypes(body.kernel()) == dtypes(plain.kernel());
  if (!is_same) return context.launch_groups(plain, groups);
  body.note_count(plain.largest_count());
  std::unique_ptr<Kernel> stand_in = plain.finish();
  note_alignments(*stand_in);
  body.set_plain(std::move(stand_in));
  context.launch_groups(body, groups);
}

}  // namespace partita::lowering
