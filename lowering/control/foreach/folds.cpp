// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include "lowering/control/foreach/folds.hpp"

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

using namespace kernel;
using ir::Value;
using scalar::ExprId;

void lower_fold(Context& context, Value v, Location accumulator, Combiner combiner, bool is_block,
                const HostExpr& count) {
  Type type = v.type();
  if (is_block) type.dims.erase(type.dims.begin());
  const std::int64_t n = type.count();
  if (n == 0) return;
  KernelBody body(context, cat("fold_", info(combiner).mr, "_", step_name(*v.node)), n);
  auto& pool = body.pool();
  const ExprId item = body.item();
  std::vector<ExprId> index = scalar::delinearize(pool, item, type.dims);
  const std::int32_t memory = body.buffer(accumulator, type.dtype, true);
  const Register acc = body.declare(type.dtype, pool.load(memory, type.dtype, item));
  const auto combine = [&](ExprId x) {
    body.assign(acc, pool.apply(info(combiner).row, type.dtype, {body.value(acc), x}));
  };
  if (is_block) {
    const std::int32_t partition = body.new_variable(v.type().dims[0]);
    index.insert(index.begin(), pool.variable(partition));
    const ExprId x = body.element(v, index);
    body.loop({partition, body.scalar(count)}, [&] { combine(x); });
  } else {
    combine(body.element(v, index));
  }
  body.store(memory, item, body.value(acc));
  context.launch(body, n);
}

void lower_stack(Context& context, Value v, Location to, bool is_block, const HostExpr& count) {
  const std::int64_t n = v.type().count();
  if (n == 0) return;
  KernelBody body(context, cat("stack_", step_name(*v.node)), n);
  const ExprId item = body.item();
  const ExprId value = body.element(v, scalar::delinearize(body.pool(), item, v.type().dims));
  body.store_to(to, v.type().dtype, item, value);
  context.launch(body, is_block ? count * HostExpr(n / v.type().dims[0]) : HostExpr(n));
}

}  // namespace partita::lowering
