// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/ops/contraction/contraction_index.hpp"

#include "kernel/ast/expressions.hpp"

namespace partita::lowering {

using namespace kernel;

using ir::I64s;
using ir::Node;
using scalar::Expr;
using scalar::ExprId;
using scalar::ExprKind;
using scalar::ExprPool;

std::vector<ExprId> OperandIndex::at(ExprPool& pool, ExprId b, ExprId f, ExprId c) const {
  std::vector<ExprId> index(dims.size());
  const auto spread = [&](const I64s& group, ExprId linear) {
    Dims extents;
    for (std::int64_t d : group) extents.push_back(dims[std::size_t(d)]);
    const auto parts = scalar::delinearize(pool, linear, extents);
    for (std::size_t i = 0; i < group.size(); ++i) index[std::size_t(group[i])] = parts[i];
  };
  spread(batch, b);
  spread(free, f);
  spread(contracting, c);
  return index;
}

std::vector<ExprId> root_index(ExprPool& pool, const Epilogue& epilogue, ExprId b, ExprId row,
                               ExprId column) {
  const Node& dot = *epilogue.contraction;
  const ir::ContractionShape s = contraction_shape(dot);
  const Dims& lhs = dot.operand(0).type().dims;
  const Dims& rhs = dot.operand(1).type().dims;
  std::vector<ExprId> index;
  const auto spread = [&](const I64s& group, const Dims& dims, ExprId linear) {
    Dims extents;
    for (std::int64_t d : group) extents.push_back(dims[std::size_t(d)]);
    for (const ExprId x : scalar::delinearize(pool, linear, extents)) index.push_back(x);
  };
  spread(s.lhs_batch, lhs, b);
  spread(s.lhs_free, lhs, row);
  spread(s.rhs_free, rhs, column);
  Dims dims = dot.result_types()[0].dims;
  for (const Node* node : epilogue.chain) {
    if (node->is("stablehlo.transpose")) {
      std::vector<ExprId> moved;
      for (const std::int64_t d : node->attrs.i64s("permutation"))
        moved.push_back(index[std::size_t(d)]);
      index = std::move(moved);
    } else if (node->is("stablehlo.reshape")) {
      index = scalar::delinearize(pool, scalar::linear_index(pool, index, dims),
                                  node->result_types()[0].dims);
    }
    dims = node->result_types()[0].dims;
  }
  return index;
}

Along along(const ExprPool& pool, ExprId id, std::int32_t variable) {
  if (!depends_on(pool, id, ExprKind::index_variable, variable)) return Along::constant;
  const Expr& e = pool[id];
  if (e.kind == ExprKind::load)
    return index_stride(pool, e.operands[0], variable) == 1 ? Along::contiguous : Along::scattered;
  if (e.kind != ExprKind::apply) return Along::scattered;
  for (const ExprId x : e.operands)
    if (along(pool, x, variable) == Along::scattered) return Along::scattered;
  return Along::contiguous;
}

}  // namespace partita::lowering
