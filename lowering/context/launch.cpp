// SPDX-License-Identifier: Apache-2.0
// Copyright The partita authors
#include <limits>

#include "lowering/context/kernel_body.hpp"

namespace partita::lowering {

using namespace kernel;

using scalar::ExprId;

void Context::launch(KernelBody& body, HostExpr items, bool of_any_group) {
  Launch l;
  std::int64_t local = of_any_group ? 1 : policy_.target.preferred_group;
  ExprId limit{};
  if (items.is_constant()) {
    if (items.value() == 0) return;
    while (local / 2 >= items.value()) local /= 2;
    limit = body.pool().index(items.value());
  } else {
    limit = body.scalar(items);
  }
  // The last group may be larger than what is left.
  if (!items.is_constant() || items.value() % local != 0)
    body.guard_all(body.pool().less(body.pool().variable(unbounded_item), limit));
  l.kernel = int(draft_.kernels.size());
  l.buffers = body.buffers();
  for (const HostExpr& s : body.scalars()) l.scalars.push_back({DType::i64, s});
  l.global[0] =
      HostExpr::binary(HostExpr::Kind::div, items + HostExpr(local - 1), HostExpr(local)) *
      HostExpr(local);
  if (!of_any_group) l.local = {local, 1, 1};
  std::unique_ptr<Kernel> kernel = body.finish();
  kernel->wide_index =
      body.largest_count() > std::numeric_limits<std::int32_t>::max() ||
      (items.is_constant() && items.value() > std::numeric_limits<std::int32_t>::max() - local);
  const std::string name = kernel->stem;
  draft_.kernels.push_back(std::move(kernel));
  emit(std::move(l), name);
}

}  // namespace partita::lowering
