// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/control/foreach/folds.hpp"

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::passes {
using ir::Value;
using kernel::ExprId;

void lower_fold(Context& context, Value v, Location accumulator, Combiner combiner, bool has_lanes,
                const HostExpr& count) {
  Type type = v.type();
  if (has_lanes) type.dims.erase(type.dims.begin());
  const std::int64_t n = type.count();
  if (n == 0) return;
  auto k = new_kernel(cat("fold_", info(combiner).mr, "_", step_name(*v.node)), n);
  KernelBody body(context, *k);
  const ExprId item = k->pool.variable(0);
  std::vector<ExprId> index = kernel::delinearize(k->pool, item, type.dims);
  const std::int32_t memory = body.buffer(accumulator, type.dtype, true);
  const Register acc(*k, type.dtype);
  const auto combine = [&](ExprId x) {
    return acc.assign(k->pool.apply(info(combiner).row, type.dtype, {acc.value(k->pool), x}));
  };
  k->body.push_back(acc.declare(k->pool.load(memory, type.dtype, item)));
  if (has_lanes) {
    const std::int32_t lane = k->new_variable(v.type().dims[0]);
    index.insert(index.begin(), k->pool.variable(lane));
    k->body.push_back(loop(lane, body.scalar(count), {combine(body.element(v, index))}));
  } else {
    k->body.push_back(combine(body.element(v, index)));
  }
  k->body.push_back(store(memory, type.dtype, item, acc.value(k->pool)));
  context.launch(std::move(k), body, n);
}

void lower_stack(Context& context, Value v, Location to, bool has_lanes, const HostExpr& count) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  auto k = new_kernel(cat("stack_", step_name(*v.node)), n);
  KernelBody body(context, *k);
  const ExprId item = k->pool.variable(0);
  const ExprId value = body.element(v, kernel::delinearize(k->pool, item, v.type().dims));
  k->body.push_back(store(body.buffer(to, v.type().dtype, true), v.type().dtype, item, value));
  context.launch(std::move(k), body,
                 has_lanes ? count * HostExpr(n / v.type().dims[0]) : HostExpr(n));
}

}  // namespace partita::passes
