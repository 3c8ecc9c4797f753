// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/sort/sort_kernel.hpp"

#include <algorithm>
#include <array>

#include "kernel/ast/element_math.hpp"
#include "kernel/ast/expressions.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

SortShape::SortShape(const ir::Node& node) : dims(node.operand(0).type().dims) {
  const std::int64_t d = node.attrs.i64("dimension", -1);
  dimension = std::size_t(d < 0 ? d + std::int64_t(dims.size()) : d);
  n = dims[dimension];
  for (const Type& t : node.result_types()) dtypes.push_back(t.dtype);
}

Dims SortShape::in(std::int64_t length) const {
  Dims parts = dims;
  parts[dimension] = (n + length - 1) / length;
  return parts;
}

SortKernel::SortKernel(KernelBody& kernel_body, const ir::Node& node, const SortShape& shape)
    : body(kernel_body), pool(kernel_body.pool()), shape_(shape) {
  const ir::Graph& region = node.region(0);
  for (std::size_t i = 0; i < shape.dtypes.size(); ++i) {
    for (auto* side : {&before, &after}) side->push_back(body.new_register(shape.dtypes[i]));
    body.define(region.argument(int(2 * i)), body.value(before[i]));
    body.define(region.argument(int(2 * i) + 1), body.value(after[i]));
    for (const Register& r : {before[i], after[i]}) {
      const ElementMath math{pool, r.dtype};
      const bool has_parts = is_complex(r.dtype);
      body.declare(r, has_parts ? math.number(0) : pool.constant(r.dtype, 0));
    }
  }
  body.note_count(node.operand(0).type().count());
  holds = body.combined(region, 0);
}

void SortKernel::read(const std::vector<Register>& registers,
                      const std::vector<std::int32_t>& buffers, ExprId position) const {
  for (std::size_t i = 0; i < registers.size(); ++i)
    body.assign(registers[i], pool.load(buffers[i], registers[i].dtype, linear(position)));
}

void SortKernel::write(const std::vector<Register>& registers,
                       const std::vector<std::int32_t>& buffers, ExprId position) const {
  for (std::size_t i = 0; i < registers.size(); ++i)
    body.store(buffers[i], linear(position), body.value(registers[i]));
}

void SortKernel::read_operands(const ir::Node& node, const std::vector<ExprId>& at) const {
  for (std::size_t o = 0; o < node.operands().size(); ++o)
    body.assign(before[o], body.element(node.operand(o), at));
}

bool SortKernel::reads(std::size_t operand) const {
  return std::ranges::any_of(std::array{before[operand], after[operand]}, [&](const Register& r) {
    return depends_on(pool, holds, scalar::ExprKind::reg, r.slot);
  });
}

std::vector<ExprId> SortKernel::index_at(ExprId position) const {
  std::vector<ExprId> at = index;
  at[shape_.dimension] = position;
  return at;
}

ExprId SortKernel::linear(ExprId position) const {
  return scalar::linear_index(pool, index_at(position), shape_.dims);
}

}  // namespace partita::lowering
