// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <limits>

#include "kernel/ast/statements.hpp"
#include "lowering/context/kernel_body.hpp"

namespace partita::passes {

using kernel::ExprId;

void Context::launch(std::unique_ptr<Kernel> kernel, KernelBody& body, HostExpr items) {
  const std::string name = kernel->stem;
  launch(std::move(kernel), body, std::move(items), name);
}

void Context::launch(std::unique_ptr<Kernel> kernel, KernelBody& body, HostExpr items,
                     const std::string& name, bool of_any_group) {
  Launch l;
  std::int64_t local = of_any_group ? 1 : policy_.target.preferred_group;
  ExprId limit{};
  if (items.is_constant()) {
    if (items.value() == 0) return;
    while (local / 2 >= items.value()) local /= 2;
    limit = kernel->pool.index(items.value());
  } else {
    limit = body.scalar(items);
  }
  // The last group may be larger than what is left.
  if (!items.is_constant() || items.value() % local != 0) {
    std::vector<Stmt> inside = std::move(kernel->body);
    kernel->body.clear();
    kernel->body.push_back(
        when(kernel->pool.less(kernel->pool.variable(unbounded_item), limit), std::move(inside)));
  }
  kernel->wide_index =
      body.largest_count() > std::numeric_limits<std::int32_t>::max() ||
      (items.is_constant() && items.value() > std::numeric_limits<std::int32_t>::max() - local);
  l.kernel = int(draft_.kernels.size());
  l.buffers = body.buffers();
  for (const HostExpr& s : body.scalars()) l.scalars.push_back({DType::i64, s});
  l.global[0] =
      HostExpr::binary(HostExpr::Kind::div, items + HostExpr(local - 1), HostExpr(local)) *
      HostExpr(local);
  if (!of_any_group) l.local = {local, 1, 1};
  draft_.kernels.push_back(std::move(kernel));
  emit(std::move(l), name);
}

}  // namespace partita::passes
